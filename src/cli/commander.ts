import { Command, CommanderError, Option } from "commander";
import { versionText } from "../platform/lib/build-info.ts";
import { visible } from "../platform/lib/safe-text.ts";
import type { Invocation } from "./arguments.ts";
import { commandEntries, loadAllCommands } from "./commands.ts";
import {
  describe,
  type DescribedCommand,
  type DescribedFlag,
  type DescribedGroup,
} from "./terminal/help-texts.ts";
import type { CommandDefinition, CommandGroup } from "./terminal/command.ts";
import type { Terminal } from "./terminal/terminal.ts";

const errorLengthMax = 2_000;

type Run = (invocation: Invocation, terminal: Terminal) => Promise<void>;

/**
 * Parses every form of arguments, prints help, and reports incorrect usage. Returns the exit code.
 * @throws what `run` throws, and UsageError if a value is not allowed
 */
export async function parse(args: string[], terminal: Terminal, run: Run): Promise<0 | 2> {
  const program = buildProgram(await neededCommands(args), await topicsFor(args), { terminal, run });
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // The message is already printed. Help and version exit with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/** Returns the command that the arguments name, or all commands if they name none, for help and suggestions. */
async function neededCommands([first]: string[]): Promise<(CommandDefinition | CommandGroup)[]> {
  const entry = commandEntries.find(({ name }) => name === first);
  return entry === undefined ? loadAllCommands() : [await entry.load()];
}

/** Returns the topics of the manual where the general help is printed. */
async function topicsFor([first]: string[]): Promise<string[]> {
  if (commandEntries.some(({ name }) => name === first)) return [];
  const { manualPages } = await import("../manual/manual.ts");
  return manualPages.map(({ topic }) => topic);
}

/** The same for every command. */
interface Context {
  terminal: Terminal;
  run: Run;
}

function buildProgram(
  commands: (CommandDefinition | CommandGroup)[],
  topics: string[],
  context: Context,
): Command {
  const program = new Command("phishwatch")
    .description("Finds phishing look-alikes of your domains before your customers do.")
    .usage("<command> [options]")
    .version(versionText, "-V, --version", "print version, commit and Bun version")
    .helpCommand("help [topic]", "show a manual page, or help for a command")
    .addHelpText("after", `\nManual (phishwatch help TOPIC):\n${linesOf(topics)}\n\n${helpFooter}`);
  prepare(program, context.terminal, "help");
  for (const entry of commands) program.addCommand(buildEntry(describe(entry), context));
  return program;
}

const helpFooter = `Every command has --help. Data goes to standard output, everything else to standard error.
With --json, each line of data is a JSON object.
Exit codes: 0 success, 1 failure, 2 incorrect usage or configuration.`;

const lineLengthMax = 100;

/** Joins words with commas into indented lines. */
function linesOf(words: readonly string[]): string {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length + 3 > lineLengthMax) lines.push(`  ${word}`);
    else lines[lines.length - 1] = `${line}, ${word}`;
  }
  return lines.join(",\n");
}

function buildEntry(entry: DescribedCommand | DescribedGroup, context: Context): Command {
  if (!("commands" in entry)) return buildCommand(entry, context);
  const group = new Command(entry.name).summary(entry.summary).description(entry.summary).helpCommand(false);
  group.aliases(entry.aliases ?? []);
  prepare(group, context.terminal, `${entry.name} --help`);
  for (const definition of entry.commands)
    group.addCommand(buildCommand(definition, context, `${entry.name} `), {
      isDefault: definition.name === entry.unnamed,
    });
  return group;
}

/** @param group name of the command's group, followed by a space */
function buildCommand(definition: DescribedCommand, { terminal, run }: Context, group = ""): Command {
  const { name, aliases = [], summary, details, examples, flags } = definition;
  const built = new Command(name)
    .aliases(aliases)
    .summary(summary)
    .description(details === "" ? summary : `${summary}\n\n${details}`);
  if (definition.arguments !== undefined) built.arguments(definition.arguments);
  const options = Object.entries(flags).map(([key, flag]) => [key, buildOption(flag)] as const);
  for (const [, option] of options) built.addOption(option);
  built.addHelpText("after", () => `\nExamples:\n${examplesText(examples)}`);
  prepare(built, terminal, `${group}${definition.name} --help`);
  return built.action(async () => {
    const given = built.opts<Record<string, unknown>>();
    const args = built.processedArgs.flat().filter((argument) => argument !== undefined) as string[];
    const values = options.map(([key, option]) => [key, given[option.attributeName()] ?? flags[key]!.absent]);
    await run({ definition, given: { args, options: Object.fromEntries(values) } }, terminal);
  });
}

function buildOption({ form, description, read, repeatable }: DescribedFlag): Option {
  const option = new Option(form, description);
  if (read === undefined) return option;
  return option.argParser<unknown>((text, before = []) =>
    repeatable ? [...(before as unknown[]), read(text)] : read(text),
  );
}

/**
 * Keeps commander from exiting the process and from writing to it directly.
 *
 * @param help arguments that print the help
 */
function prepare(built: Command, { out, err }: Terminal, help: string): void {
  built
    .exitOverride()
    .showHelpAfterError(`Run 'phishwatch ${help}' for help.`)
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(text),
      outputError: (text, write) =>
        write(
          text
            .split("\n")
            .map((line) => visible(line, errorLengthMax))
            .join("\n"),
        ),
      getOutHelpWidth: () => out.columns ?? 100,
      getErrHelpWidth: () => err.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

function examplesText(examples: readonly (readonly string[])[]): string {
  return examples.map(([line, purpose]) => `  ${purpose}\n    $ ${line}\n`).join("");
}
