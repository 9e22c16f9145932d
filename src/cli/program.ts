import { PublicError, StartError } from "../platform/lib/errors.ts";
import { visible } from "../platform/lib/safe-text.ts";
import { endStartup } from "../platform/lib/startup.ts";
import { clause } from "../platform/lib/wording.ts";
import { NameListError } from "../intake/sources/name-file-bytes/byte-source.ts";
import { type Invocation, readInvocation } from "./arguments.ts";
import { commandEntries, loadAllCommands } from "./commands.ts";
import { FailedError, UsageError } from "./terminal/command.ts";
import { BrokenPipeError, type Terminal } from "./terminal/terminal.ts";

/** 0 success, 1 failure, 2 incorrect usage or configuration. */
export type ExitCode = 0 | 1 | 2;

const errorLengthMax = 2_000;

/** Runs the command that the arguments name, reports errors, and returns the exit code. */
export async function runCommandLine(given: string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const args = given[0] === "help" ? await openHelp(given.slice(1), terminal) : given;
    if (args === undefined) return 0;
    const code = (await runIfUsual(args, terminal)) ?? (await runWithCommander(args, terminal));
    terminal.out.flush();
    return code;
  } catch (error) {
    return report(error, terminal);
  }
}

/** Runs the command without commander, which takes 2 ms to load and is needed for help and incorrect usage only. */
async function runIfUsual(args: string[], terminal: Terminal): Promise<ExitCode | undefined> {
  const entry = await commandEntries.find(({ name }) => name === args[0])?.load();
  const invocation = entry && readInvocation(entry, args);
  if (invocation === undefined) return undefined;
  await run(invocation, terminal);
  return 0;
}

async function runWithCommander(args: string[], terminal: Terminal): Promise<ExitCode> {
  const { parse } = await import("./commander.ts");
  return parse(args, terminal, run);
}

async function run({ definition, given }: Invocation, terminal: Terminal): Promise<void> {
  if (definition.endsStartup !== true) endStartup();
  await definition.run({ ...given, terminal, loadCommands: loadAllCommands });
}

function report(error: unknown, { out, err }: Terminal): ExitCode {
  try {
    if (error instanceof BrokenPipeError) return 0;
    out.flush();
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
