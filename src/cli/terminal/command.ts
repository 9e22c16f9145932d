import type { Terminal } from "./terminal.ts";

/**
 * Definition of a command. Parsing, help and the table in the documentation are generated from it (`program.ts`,
 * `reference.ts`). Its file is loaded only when the command is needed (`commands.ts`).
 */
export interface CommandDefinition {
  name: string;
  /** Other names that work too. */
  aliases?: readonly string[];
  /** In commander's form: `<domain>`, `[file...]`. */
  arguments?: string;
  /** One line. */
  summary: string;
  /** Paragraphs below it in the help, an empty line between them. */
  details?: string;
  flags: Record<string, Flag<unknown>>;
  examples: [command: string, does: string][];
  /** Calls `endStartup` itself, once it is ready; absent: its start is over when it runs. */
  getsReady?: boolean;
  run(call: Call<Record<string, Flag<unknown>>>): Promise<void> | void;
}

/** Several commands under one name: `threats list`, `threats show`. */
export interface CommandGroup {
  name: string;
  /** Other names that work too. */
  aliases?: readonly string[];
  summary: string;
  commands: CommandDefinition[];
}

export interface Call<Flags extends Record<string, Flag<unknown>>> {
  args: string[];
  options: OptionsOf<Flags>;
  terminal: Terminal;
}

/** What the options of a command are read to. */
export type OptionsOf<Flags extends Record<string, Flag<unknown>>> = {
  [Name in keyof Flags]: Flags[Name] extends Flag<infer Value> ? Value : never;
};

/** Declares a command; the options that `run` receives take their types from the flags. */
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
  /** In commander's form: `-n, --limit <count>`. */
  form: string;
  description: string;
  /** Answers the value, or throws a UsageError; absent: the option stands alone and is true. */
  read?: (text: string) => unknown;
  repeatable: boolean;
  /** When the option is not given. */
  absent: Value;
  /** How `absent` is shown in the help. */
  absentShown?: string;
}

/** Wrong use of a command: exit code 2. The message says what is allowed. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
