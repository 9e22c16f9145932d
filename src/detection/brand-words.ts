/**
 * The words by which a protected name is known, and how strictly each is to be read: `chase` is found in
 * thousands of honest names, `wellsfargo` in none.
 */
import { foldLabel } from "./fold.ts";
import {
  countWordsAround,
  isInWords,
  isKeyword,
  isPopularLabel,
  isWord,
  splitIntoKeywords,
} from "./lexicon.ts";
import { splitName } from "./suffix.ts";
import type { ProtectedName } from "./types.ts";

/**
 * `label`: a label of the protected name. `keyword`: given in the configuration. `name`: label and suffix,
 * as they are run together (`chainlink` for chain.link). `stem`: the telling part of a label (`epos` of
 * eposcard), itself less than the brand.
 */
export type WordKind = "label" | "keyword" | "name" | "stem";

export const strictnesses = ["plain", "careful", "strict"] as const;
export type Strictness = (typeof strictnesses)[number];

export interface BrandWord {
  kind: WordKind;
  /** Folded; hyphens and dots are kept. */
  text: string;
  /** Letters and digits, separators not counted. */
  length: number;
  /** How many letters tell the brand from others: a suffix says little. */
  weight: number;
  strictness: Strictness;
}

export interface Assessment {
  strictness: Strictness;
  /** Why, in words for whoever writes the configuration. */
  reason: string;
}

const stemLengthMin = 4;
const hyphenStemLengthMin = 3;

export function brandWordsOf(protectedName: ProtectedName): BrandWord[] {
  const parts = splitName(protectedName.domain);
  const words = new Map<string, BrandWord>();
  const add = (kind: WordKind, text: string, atLeast: Strictness = "plain"): void => {
    const length = lettersOf(text).length;
    if (length < 2 || words.has(text)) return;
    const own = kind === "name" ? "plain" : assessWord(text).strictness;
    const strictness = strictnesses[Math.max(strictnesses.indexOf(own), strictnesses.indexOf(atLeast))]!;
    const weight = kind === "name" ? lettersOf(text.slice(0, text.indexOf("."))).length + 1 : length;
    words.set(text, { kind, text, length, weight, strictness });
  };
  for (const spelling of spellingsOf(parts.registrableLabel)) add("label", spelling);
  for (const keyword of protectedName.keywords)
    for (const spelling of spellingsOf(keyword)) add("keyword", spelling);
  // A protected name below a registrable domain is known by its own label too, if that says anything.
  for (const label of parts.subLabels)
    if (label.length > 4 && !isKeyword(label)) add("label", label, "careful");
  const stems = Array.from(words.values(), (word) => stemsOf(word.text)).flat();
  for (const stem of stems) add("stem", stem, "careful");
  for (const label of spellingsOf(parts.registrableLabel)) add("name", `${label}.${parts.suffix}`);
  return [...words.values()];
}

/** Whether a brand word is long and odd enough to be looked for everywhere. */
export function assessWord(text: string): Assessment {
  const letters = lettersOf(text);
  const because = (strictness: Strictness, reason: string): Assessment => ({ strictness, reason });
  if (letters.length <= 3) {
    const odd = letters.length === 3 && !isInWords(letters) && !isKeyword(letters);
    return because(odd ? "careful" : "strict", `"${text}" has only ${letters.length} characters`);
  }
  if (isWord(letters) || isKeyword(letters)) {
    return because(letters.length <= 5 ? "strict" : "careful", `"${text}" is a word of its own`);
  }
  const around = countWordsAround(letters, 3);
  const odd = !isInWords(letters.slice(0, 3)) || !isInWords(letters.slice(1));
  if (letters.length === 4 && odd)
    return because("plain", `"${text}" is short but holds a rare sequence of letters`);
  if (letters.length === 4) {
    return around >= 2
      ? because("strict", `"${text}" is short and part of common words`)
      : because("careful", `"${text}" is short`);
  }
  if (around >= 3) return because("careful", `"${text}" is part of common words`);
  return because("plain", `"${text}" is long and rare enough to be looked for anywhere`);
}

/** Folded spellings of a label: with the letters that look alike, and as it is written without umlauts. */
function spellingsOf(label: string): string[] {
  const shapes = foldLabel(label);
  const transcribed = transcribe(shapes[0]!.shown);
  const spellings = shapes.map((shape) => shape.folded);
  if (transcribed !== shapes[0]!.shown)
    spellings.push(...foldLabel(transcribed).map((shape) => shape.folded));
  return [...new Set(spellings)];
}

const transcriptions: Readonly<Record<string, string>> = {
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ß: "ss",
  ø: "oe",
  å: "aa",
};

function transcribe(text: string): string {
  return text.normalize("NFC").replace(/[äöüßøå]/g, (letter) => transcriptions[letter]!);
}

/** What a trade puts before or after its name. */
const tradeWords = ["bank", "card", "mobile", "group", "wallet", "credit", "insurance", "telecom", "online"];

/** Parts of a label that name the brand without the rest: `smbc` of smbc-card, `mizuho` of mizuhobank. */
function stemsOf(text: string): string[] {
  const stems = text.includes("-")
    ? text.split("-").filter((part) => part.length >= hyphenStemLengthMin)
    : [];
  for (const trade of tradeWords) {
    const rest = text.length - trade.length;
    if (rest < stemLengthMin || text.includes("-")) continue;
    if (text.endsWith(trade)) stems.push(text.slice(0, rest));
    if (text.startsWith(trade)) stems.push(text.slice(trade.length));
  }
  return stems.filter(
    (stem) => !isWord(stem) && splitIntoKeywords(stem) === undefined && !isPopularLabel(stem),
  );
}

function lettersOf(text: string): string {
  return text.replace(/[-.]/g, "");
}
