/**
 * Folds text for comparison: compatibility forms decomposed, accents removed, lower case. "\uff30assword", "LÖSENORD" and
 * "lösenord" then match the entries of the lists.
 */
export function foldText(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replaceAll("ı", "i")
    .replaceAll("ł", "l");
}

/** Returns the folded words of a text, with camelCase split. */
export function foldedWords(text: string): string[] {
  return foldText(text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")).match(/[\p{L}\p{N}]+/gu) ?? [];
}
