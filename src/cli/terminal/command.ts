import type { Terminal } from "./terminal.ts";

/**
 * Definition of a command. Parsing, help and the table in the documentation are generated from it (`program.ts`,
 * `help.ts`). Its file is loaded only when the command is needed (`commands.ts`).
 */
export interface CommandDefinition {
  name: string;
  /** Other names that work too. */
  aliases?: readonly string[];
  /** Arguments in commander's syntax: `<domain>`, `[file...]`. */
  arguments?: string;
  /** The only allowed values of the first argument. */
  argumentChoices?: readonly string[];
  /** One line, in the imperative. Default: that of `help.json`, which has all texts that are not computed or shared. */
  summary?: string;
  /** Paragraphs below the summary in the help, separated by empty lines. */
  details?: string;
  flags: Record<string, Flag<unknown>>;
  examples?: [command: string, purpose: string][];
  /** Whether the command calls `endStartup` itself. Otherwise its startup ends when it runs. */
  endsStartup?: boolean;
  run(call: Call<Record<string, Flag<unknown>>>): Promise<void> | void;
}

/** Several commands under one name: `threats list`, `threats show`. */
export interface CommandGroup {
  name: string;
  /** Other names that work too. */
  aliases?: readonly string[];
  summary?: string;
  commands: CommandDefinition[];
  /** Name of the command that runs if none is named. */
  unnamed?: string;
}

export interface Call<Flags extends Record<string, Flag<unknown>>> {
  args: string[];
  options: OptionsOf<Flags>;
  terminal: Terminal;
  /** Loads the definitions of all commands. */
  loadCommands(): Promise<(CommandDefinition | CommandGroup)[]>;
}

/** Parsed options of a command. */
export type OptionsOf<Flags extends Record<string, Flag<unknown>>> = {
  [Name in keyof Flags]: Flags[Name] extends Flag<infer Value> ? Value : never;
};

/** Defines a command. The options that `run` receives take their types from the flags. */
export function command<Flags extends Record<string, Flag<unknown>>>(
  definition: Omit<CommandDefinition, "flags" | "run"> & {
    flags: Flags;
    run(call: Call<Flags>): Promise<void> | void;
  },
): CommandDefinition {
  return definition as unknown as CommandDefinition;
}

/** An option of a command. */
export interface Flag<Value> {
  /** The option in commander's syntax: `-n, --limit <count>`. */
  form: string;
  /** Default: that of `help.json`. */
  description?: string | undefined;
  /** Returns the value, or throws a UsageError. Absent for an option without a value. */
  read?: (text: string) => unknown;
  repeatable: boolean;
  /** Value if the option is not given. */
  absent: Value;
  /** Text for `absent` in the help. */
  absentShown?: string | undefined;
  /** The only allowed values. */
  choices?: readonly string[];
}

/** Incorrect usage of a command: exit code 2. The message says what is allowed. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** A command failed for the reason in the message: exit code 1. */
export class FailedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FailedError";
  }
}
