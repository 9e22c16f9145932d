/** All but letters and digits of every script, and characters without a meaning within a word. */
const special = /[^\p{L}\p{N}_@%+=:,./-]/gu;
const invisible = /\p{C}/u;

/**
 * Returns a text as one word of a command that people copy into a shell. Escapes it with backslashes, because commands are
 * often shown in quotes: whether or not those are copied as well, the shell runs nothing in the text. Invisible characters
 * become `?`, which matches any character of a path.
 */
export function shellWord(text: string): string {
  if (text === "") return "''";
  return text.replace(special, (character) => (invisible.test(character) ? "?" : `\\${character}`));
}
