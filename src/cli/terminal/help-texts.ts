import texts from "./help.json" with { type: "json" };
import type { CommandDefinition, CommandGroup, Flag } from "./command.ts";

interface HelpText {
  summary?: string;
  /** Paragraphs. */
  details?: readonly string[];
  /** Descriptions by the long form of an option. */
  options?: Readonly<Partial<Record<string, string>>>;
  examples?: readonly (readonly string[])[];
}

/** Texts by the words that name a command or a group, such as `threats list`. */
export const helpTexts: Readonly<Partial<Record<string, HelpText>>> = texts;

/** A command with the texts of its definition, or else those of `help.json`. */
export interface DescribedCommand extends CommandDefinition {
  summary: string;
  details: string;
  examples: [command: string, purpose: string][];
  flags: Record<string, DescribedFlag>;
}

/** `description` also names the allowed values, whether the option is repeatable, and the default. */
export type DescribedFlag = Flag<unknown> & { description: string };

export interface DescribedGroup extends CommandGroup {
  summary: string;
  commands: DescribedCommand[];
}

/** Adds the texts of the help. */
export function describe(entry: CommandDefinition | CommandGroup): DescribedCommand | DescribedGroup {
  if (!("commands" in entry)) return describeCommand(entry.name, entry);
  const { name, summary = helpTexts[name]?.summary ?? "" } = entry;
  const commands = entry.commands.map((inner) => describeCommand(`${name} ${inner.name}`, inner));
  return { ...entry, summary, commands };
}

function describeCommand(words: string, definition: CommandDefinition): DescribedCommand {
  const given = helpTexts[words] ?? {};
  const { summary = given.summary ?? "", examples = given.examples ?? [] } = definition;
  // Commander wraps lines.
  const details =
    definition.details?.replaceAll(/(?<!\n)\n(?!\n)/g, " ") ?? given.details?.join("\n\n") ?? "";
  const flags = Object.entries(definition.flags).map(([key, flag]): [string, DescribedFlag] => {
    const { form, description = given.options?.[/--[a-z-]+/.exec(form)![0]] ?? "" } = flag;
    return [key, { ...flag, description: description + limitsOf(flag) }];
  });
  return {
    ...definition,
    summary,
    details,
    examples: examples as DescribedCommand["examples"],
    flags: Object.fromEntries(flags),
  };
}

function limitsOf({ absentShown, choices, repeatable }: Flag<unknown>): string {
  return [
    choices === undefined ? "" : `: ${choices.join(", ")}`,
    repeatable ? " (repeatable)" : "",
    absentShown === undefined ? "" : ` (default: ${absentShown})`,
  ].join("");
}
