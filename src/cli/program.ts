import { Command, CommanderError, Option } from "commander";
import { versionText } from "../lib/build-info.ts";
import { PublicError, StartError } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";
import { endStartup } from "../lib/startup.ts";
import { clause } from "../lib/wording.ts";
import { NameListError } from "../sources/list-bytes/errors.ts";
import { commandEntries, loadAllCommands } from "./commands.ts";
import { UsageError, type CommandDefinition, type CommandGroup, type Flag } from "./terminal/command.ts";
import { FailedError } from "./terminal/failure.ts";
import { BrokenPipeError, type Terminal } from "./terminal/terminal.ts";

/** 0 success, 1 failure, 2 incorrect usage or configuration. */
export type ExitCode = 0 | 1 | 2;

const errorLengthMax = 2_000;

/** Runs the command that the arguments name, reports errors, and returns the exit code. */
export async function runCommandLine(given: string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const args = given[0] === "help" ? await openHelp(given.slice(1), terminal) : given;
    if (args === undefined) return 0;
    const program = buildProgram(await neededCommands(args), await topicsFor(args), terminal);
    await program.parseAsync(args, { from: "user" });
    terminal.out.flush();
    return 0;
  } catch (error) {
    return report(error, terminal);
  }
}

function report(error: unknown, { out, err }: Terminal): ExitCode {
  try {
    if (error instanceof BrokenPipeError) return 0;
    out.flush();
    // Commander has already printed the message. Its help and version exit with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { code, text } = explain(error);
    for (const line of text.split("\n")) err.write(`phishwatch: ${visible(line, errorLengthMax)}\n`);
    return code;
  } catch (failure) {
    return failure instanceof BrokenPipeError ? 0 : 1;
  }
}

function explain(error: unknown): { code: ExitCode; text: string } {
  if (error instanceof UsageError) return { code: 2, text: error.message };
  if (error instanceof StartError) return { code: error.exitCode, text: error.message };
  if (error instanceof PublicError || error instanceof NameListError || error instanceof FailedError)
    return { code: 1, text: clause(error.message) };
  const message = databaseError(error);
  if (message !== undefined) return { code: 1, text: `the database cannot be used: ${message}` };
  const { stack, code } = error as { stack?: string; code?: string };
  // Errors of the operating system (no space, no permission) are clear without a stack; others are bugs.
  if (code !== undefined && error instanceof Error) return { code: 1, text: error.message };
  return { code: 1, text: stack ?? String(error) };
}

/** Returns SQLite's own message, which the query builder wraps in the text of the query. */
function databaseError(error: unknown): string | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const { code } = inner as { code?: string };
    if (code?.startsWith("SQLITE_") === true) return inner.message;
  }
  return undefined;
}

/** Loads the manual only if it is asked for. */
async function openHelp(words: string[], terminal: Terminal): Promise<string[] | undefined> {
  return (await import("./help.ts")).openHelp(words, terminal);
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

function buildProgram(
  commands: (CommandDefinition | CommandGroup)[],
  topics: string[],
  terminal: Terminal,
): Command {
  const program = new Command("phishwatch")
    .description("Finds phishing look-alikes of your domains before your customers do.")
    .usage("<command> [options]")
    .version(versionText, "-V, --version", "print version, commit and Bun version")
    .helpCommand("help [topic]", "show a manual page, or help for a command")
    .addHelpText("after", `\nManual (phishwatch help TOPIC):\n${linesOf(topics)}\n\n${helpFooter}`);
  prepare(program, terminal, "help");
  for (const entry of commands) program.addCommand(buildEntry(entry, terminal));
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

function buildEntry(entry: CommandDefinition | CommandGroup, terminal: Terminal): Command {
  if (!("commands" in entry)) return buildCommand(entry, terminal);
  const group = new Command(entry.name).summary(entry.summary).description(entry.summary).helpCommand(false);
  group.aliases(entry.aliases ?? []);
  prepare(group, terminal, `${entry.name} --help`);
  for (const definition of entry.commands)
    group.addCommand(buildCommand(definition, terminal, `${entry.name} `), {
      isDefault: definition.name === entry.unnamed,
    });
  return group;
}

/** @param group name of the command's group, followed by a space */
function buildCommand(definition: CommandDefinition, terminal: Terminal, group = ""): Command {
  const { name, aliases = [], summary, details, flags, examples } = definition;
  const built = new Command(name)
    .aliases(aliases)
    .summary(summary)
    .description(details === undefined ? summary : `${summary}\n\n${joinLines(details)}`);
  if (definition.arguments !== undefined) built.arguments(definition.arguments);
  const options = Object.entries(flags).map(([key, flag]) => [key, buildOption(flag)] as const);
  for (const [, option] of options) built.addOption(option);
  built.addHelpText("after", () => `\nExamples:\n${examplesText(examples)}`);
  prepare(built, terminal, `${group}${definition.name} --help`);
  return built.action(async () => {
    if (definition.endsStartup !== true) endStartup();
    const given = built.opts<Record<string, unknown>>();
    await definition.run({
      args: built.processedArgs.flat().filter((argument) => argument !== undefined) as string[],
      options: Object.fromEntries(
        options.map(([key, option]) => [key, given[option.attributeName()] ?? flags[key]!.absent]),
      ),
      terminal,
      loadCommands: loadAllCommands,
    });
  });
}

/** Joins the lines of each paragraph, so that they wrap at the width of the terminal. */
function joinLines(text: string): string {
  return text
    .split("\n\n")
    .map((paragraph) => paragraph.replaceAll("\n", " "))
    .join("\n\n");
}

function buildOption({ form, description, read, repeatable, absentShown }: Flag<unknown>): Option {
  const shown = absentShown === undefined ? description : `${description} (default: ${absentShown})`;
  const option = new Option(form, shown);
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

function examplesText(examples: [string, string][]): string {
  return examples.map(([line, purpose]) => `  ${purpose}\n    $ ${line}\n`).join("");
}
