import { FieldError } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";

export const accountNameCharactersMax = 64;
/** ASCII only, before it is converted to lowercase: the lowercase of some other letters is an ASCII letter. */
const form = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,${accountNameCharactersMax - 1}}$`);
/** Words that stand for people in filters, so that no account can have them as its name. */
export const wordsForPeople = { own: "me", nobody: "none" } as const;
const reserved: readonly string[] = Object.values(wordsForPeople);
/** Describes the rule for names, for messages and hints. */
export const accountNameRule = `1 to ${accountNameCharactersMax} characters: letters a to z, digits, and . _ @ - (not at the start); case does not matter, and ${reserved.join(" and ")} are reserved`;

/** Returns the name in the form in which it is stored, or undefined if it is not allowed. */
export function readAccountName(text: string): string | undefined {
  const name = text.toLowerCase();
  return form.test(text) && !reserved.includes(name) ? name : undefined;
}

/** @throws FieldError of `name` with the rule */
export function requireAccountName(text: string): string {
  const name = readAccountName(text);
  if (name !== undefined) return name;
  const given = text === "" ? "The name is empty" : `${visible(text, 80)} is not a name of an account`;
  throw new FieldError("name", `${given}. Use ${accountNameRule}.`);
}
