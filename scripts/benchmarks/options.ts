import { parseArgs } from "node:util";

interface Option {
  /** A number makes the option numeric, false makes it a flag, and null means that there is no default. */
  default: number | string | false | null;
  /** Placeholder for the value in the help text. A flag has none. */
  value?: string;
  description: string;
}

type Value<Default> = Default extends number
  ? number
  : Default extends null
    ? string | null
    : Default extends false
      ? boolean
      : string;

/**
 * Returns the options of the command line. Prints the help and exits for `--help` or an invalid option. An interrupted
 * benchmark exits, which stops its servers and deletes its files.
 */
export function readOptions<const Options extends Record<string, Option>>({
  benchmark,
  script = "bench",
  summary,
  options,
}: {
  benchmark: string;
  /** Script below `scripts/` that runs it. */
  script?: "bench" | "campaign";
  summary: string;
  options: Options;
}): { [Name in keyof Options]: Value<Options[Name]["default"]> } {
  const lines = Object.entries(options).map(([name, { value = "", description, default: standard }]) => {
    const suffix = standard === null || standard === false ? "" : ` (default: ${standard})`;
    return `  ${`--${name} ${value}`.padEnd(22)} ${description}${suffix}`;
  });
  const help = `usage: scripts/${script} ${benchmark} [OPTION...]\n\n${summary}\n\n${lines.join("\n")}`;
  const fail = (message: string): never => {
    console.error(`${message}\n\n${help}`);
    process.exit(2);
  };
  const parse = () => {
    try {
      return parseArgs({
        options: {
          ...Object.fromEntries(
            Object.entries(options).map(([name, { default: standard }]) => [
              name,
              { type: standard === false ? ("boolean" as const) : ("string" as const) },
            ]),
          ),
          help: { type: "boolean", short: "h" },
        },
      }).values as Record<string, string | boolean | undefined>;
    } catch (error) {
      return fail((error as Error).message);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const given = parse();
  if (given["help"] === true) {
    console.log(help);
    process.exit(0);
  }
  const entries = Object.entries(options).map(([name, { default: standard }]) => {
    const value = given[name] ?? standard;
    if (typeof standard !== "number") return [name, value];
    const count = Number(value);
    return [name, Number.isFinite(count) && count >= 0 ? count : fail(`--${name} is not a number: ${value}`)];
  });
  return Object.fromEntries(entries) as ReturnType<typeof readOptions<Options>>;
}
