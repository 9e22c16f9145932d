import type { CommandDefinition, CommandGroup, Flag } from "./terminal/command.ts";

/** Arguments and options as a command receives them. */
export interface Arguments {
  args: string[];
  options: Record<string, unknown>;
}

interface GivenFlag {
  key: string;
  flag: Flag<unknown>;
  /** Absent for an option without a value. */
  text?: string | undefined;
}

/** A command with what its user has given. */
export interface Invocation {
  definition: CommandDefinition;
  given: Arguments;
}

/**
 * Reads the words of a command line if they have the usual form: `--option value`, and arguments in the right number.
 * Returns undefined for everything else, which commander parses: `--option=value`, help, incorrect usage.
 *
 * @param entry what the first word names
 * @throws UsageError if the value of an option is not allowed
 */
export function readInvocation(
  entry: CommandDefinition | CommandGroup,
  [, ...words]: readonly string[],
): Invocation | undefined {
  if (!("commands" in entry)) return withArguments(entry, words);
  const [inner, ...rest] = words;
  const definition = entry.commands.find(({ name, aliases }) => [name, ...(aliases ?? [])].includes(inner!));
  return definition && withArguments(definition, rest);
}

function withArguments(definition: CommandDefinition, words: readonly string[]): Invocation | undefined {
  const { flags } = definition;
  const args: string[] = [];
  const given: GivenFlag[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (!word.startsWith("-")) {
      args.push(word);
      continue;
    }
    const found = findFlag(flags, word);
    if (found === undefined) return undefined;
    if (found.flag.read !== undefined) {
      at += 1;
      found.text = words[at];
      if (found.text === undefined || found.text.startsWith("-")) return undefined;
    }
    given.push(found);
  }
  if (!isRightNumber(args.length, definition.arguments)) return undefined;
  return { definition, given: { args, options: optionsOf(flags, given) } };
}

function findFlag(flags: CommandDefinition["flags"], word: string): GivenFlag | undefined {
  for (const [key, flag] of Object.entries(flags)) {
    if (flag.form.split(/, | /).includes(word)) return { key, flag };
  }
  return undefined;
}

/** @param form arguments in commander's syntax: `<id...>`, `<name> [file]` */
function isRightNumber(count: number, form = ""): boolean {
  const parameters = form === "" ? [] : form.split(" ");
  const required = parameters.filter((parameter) => parameter.startsWith("<")).length;
  return count >= required && (count <= parameters.length || form.includes("..."));
}

function optionsOf(flags: CommandDefinition["flags"], given: readonly GivenFlag[]): Arguments["options"] {
  const options = Object.fromEntries(Object.entries(flags).map(([key, { absent }]) => [key, absent]));
  for (const { key, flag, text } of given) {
    const value = text === undefined ? true : flag.read!(text);
    options[key] = flag.repeatable ? [...(options[key] as unknown[]), value] : value;
  }
  return options;
}
