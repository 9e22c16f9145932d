import { escapeHidden } from "../../../platform/lib/safe-text.ts";

/** Description of a character that people cannot tell from another one by its look. */
export interface DescribedCharacter {
  /** The character, or its escape if it would be invisible: `\u{200d}`. */
  shown: string;
  /** Such as `U+0430`. */
  codePoint: string;
  /** Such as `Cyrillic letter`, `digit` or `invisible character`. */
  description: string;
}

/** Scripts that are named; letters of all others are described as foreign. */
const scripts = [
  ..."Latin Cyrillic Greek Armenian Georgian Hebrew Arabic Han Hiragana Katakana Hangul Thai Lao Khmer".split(
    " ",
  ),
  ..."Devanagari Bengali Tamil Telugu Kannada Malayalam Gujarati Gurmukhi Sinhala Myanmar Ethiopic".split(
    " ",
  ),
  ..."Cherokee Lisu Coptic Canadian_Aboriginal Tifinagh Bopomofo Yi".split(" "),
].map((script) => ({ name: script.replace("_", " "), pattern: new RegExp(`\\p{Script=${script}}`, "u") }));

export function describeCharacter(character: string): DescribedCharacter {
  const point = character.codePointAt(0)!.toString(16);
  return {
    shown: escapeHidden(character),
    codePoint: `U+${point.toUpperCase().padStart(4, "0")}`,
    description: describe(character),
  };
}

function describe(character: string): string {
  if (escapeHidden(character) !== character) return "invisible character";
  if (character === "-") return "hyphen";
  if (character === ".") return "dot";
  if (/\p{M}/u.test(character)) return "combining mark";
  if (/\p{N}/u.test(character)) return character <= "9" ? "digit" : "number sign";
  const script = scripts.find(({ pattern }) => pattern.test(character))?.name;
  if (/\p{L}/u.test(character)) return `${script ?? "foreign"} letter`;
  return "sign";
}
