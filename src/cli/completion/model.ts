import type { CommandDefinition, CommandGroup } from "../terminal/command.ts";
import {
  describe,
  type DescribedCommand,
  type DescribedFlag,
  type DescribedGroup,
} from "../terminal/help-texts.ts";

/** The commands as a shell and a manual page see them. */
export interface CommandModel {
  name: string;
  aliases: readonly string[];
  summary: string;
  /** Empty for a group. */
  options: OptionModel[];
  arguments: ArgumentModel[];
  /** Empty unless this is a group. */
  commands: CommandModel[];
}

export interface OptionModel {
  /** `-n` */
  short: string | undefined;
  /** `--limit` */
  long: string;
  description: string;
  /** Undefined for an option without a value. */
  value: ValueModel | undefined;
  repeatable: boolean;
}

export interface ValueModel {
  /** `count` */
  name: string;
  /** Empty if any value is allowed. */
  choices: readonly string[];
  /** Whether it is the path of a file or folder. */
  isPath: boolean;
}

export interface ArgumentModel extends ValueModel {
  repeatable: boolean;
}

/** Names of values and arguments that are paths. */
const pathNames = ["file", "path", "folder"];

const helpOption: OptionModel = {
  short: "-h",
  long: "--help",
  description: "display help for command",
  value: undefined,
  repeatable: false,
};

/** @param topics of `help` */
export function modelOf(
  commands: readonly (CommandDefinition | CommandGroup)[],
  topics: readonly string[],
): CommandModel[] {
  const names = commands.map(({ name }) => name);
  return [...commands.map(describe).map(modelOfEntry), helpModel([...new Set([...topics, ...names])])];
}

function helpModel(choices: readonly string[]): CommandModel {
  return {
    name: "help",
    aliases: [],
    summary: "show a manual page, or help for a command",
    options: [],
    arguments: [{ name: "topic", choices, isPath: false, repeatable: false }],
    commands: [],
  };
}

function modelOfEntry(entry: DescribedCommand | DescribedGroup): CommandModel {
  const { name, aliases = [], summary } = entry;
  if ("commands" in entry)
    return { name, aliases, summary, options: [], arguments: [], commands: entry.commands.map(modelOfEntry) };
  const options = Object.values(entry.flags).map(optionOf);
  const args = entry.arguments?.split(" ") ?? [];
  return {
    name,
    aliases,
    summary,
    options: [...options, helpOption],
    arguments: args.map((form, index) => argumentOf(form, index === 0 ? (entry.argumentChoices ?? []) : [])),
    commands: [],
  };
}

function optionOf({ form, description, choices = [], repeatable }: DescribedFlag): OptionModel {
  const [, short, long, name] = /^(?:(-\w), )?(--[\w-]+)(?: [<[](.+)[>\]])?$/.exec(form) ?? [];
  if (long === undefined) throw new Error(`the form of an option is unknown: ${form}`);
  return {
    short,
    long,
    description,
    value: name === undefined ? undefined : { name, choices, isPath: pathNames.includes(name) },
    repeatable,
  };
}

function argumentOf(form: string, choices: readonly string[]): ArgumentModel {
  const name = form.replaceAll(/[<>[\].]/g, "");
  return { name, choices, isPath: pathNames.includes(name), repeatable: form.includes("...") };
}

/** A command with the words that name it. */
export interface NamedCommand {
  /** `threats list`; one element for each alias of the group and of the command. */
  paths: string[];
  command: CommandModel;
}

/** Returns all commands that can run, without groups. */
export function flatten(commands: readonly CommandModel[]): NamedCommand[] {
  return commands.flatMap((command) => {
    const names = [command.name, ...command.aliases];
    if (command.commands.length === 0) return [{ paths: names, command }];
    return flatten(command.commands).map((inner) => ({
      paths: names.flatMap((name) => inner.paths.map((path) => `${name} ${path}`)),
      command: inner.command,
    }));
  });
}
