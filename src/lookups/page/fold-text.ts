/**
 * Text as it is compared: compatibility forms taken apart, without accents and in lower case, so that
 * "\uff30assword", "LÖSENORD" and "lösenord" meet what the lists hold.
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

/** The folded words of a text, camelCase divided. */
export function foldedWords(text: string): string[] {
  return foldText(text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")).match(/[\p{L}\p{N}]+/gu) ?? [];
}
