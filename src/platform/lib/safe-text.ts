/**
 * Characters that are escaped before text from outside is shown. Control characters, bidirectional controls and
 * invisible characters could hide or reorder what a person reads on a terminal, in a log or on a page.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Maximum number of characters of the input that a message of the API echoes. */
export const echoedMax = 100;

/** Returns `text` with each hidden character as `\u{202e}`, truncated to `charactersMax` with an ellipsis. */
export function visible(text: string, charactersMax = 200): string {
  // Truncating first bounds the work for text of any length.
  const cut = text.length > charactersMax ? `${text.slice(0, charactersMax - 1)}…` : text;
  return escapeHidden(cut);
}

/** Returns the whole text with each hidden character as `\u{202e}`; for text that is known to be short. */
export function escapeHidden(text: string): string {
  return text.replace(hidden, escapeCharacter);
}

/**
 * Returns a line of JSON with each hidden character as a JSON escape: it parses to the same value and is harmless on
 * a terminal. White space outside of strings must be spaces only.
 */
export function visibleJson(json: string): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replace(hidden, (character) => character.split("").map(escape).join(""));
}

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/**
 * Escapes text for use as content or as a quoted attribute in HTML, XML and SVG, and drops characters that XML 1.0 does
 * not allow.
 */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
