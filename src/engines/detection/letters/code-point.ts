/** Returns the code point of a character, such as `U+0430`. Reasons are worded without loading the tables of letters. */
export function codePointOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
