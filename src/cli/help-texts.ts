import texts from "./commands/help.json" with { type: "json" };
import type { CommandDefinition } from "./terminal/command.ts";

interface HelpText {
  /** Paragraphs. */
  details?: readonly string[];
  examples?: readonly (readonly string[])[];
}

/** Texts by the words that name a command, such as `threats list`. */
export const helpTexts: Readonly<Record<string, HelpText>> = texts;

/**
 * Returns what the help of a command has beyond its summary and options: the texts of its definition, or else those of
 * `commands/help.json`.
 * @param words name of the command, with that of its group
 */
export function helpTextOf(
  words: string,
  { details, examples }: Pick<CommandDefinition, "details" | "examples">,
): Required<HelpText> {
  const given = helpTexts[words];
  const paragraphs = details?.split("\n\n").map((paragraph) => paragraph.replaceAll("\n", " "));
  return { details: paragraphs ?? given?.details ?? [], examples: examples ?? given?.examples ?? [] };
}
