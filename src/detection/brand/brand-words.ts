/**
 * The words by which a protected name is known, and how strictly each is to be read: `chase` is found in
 * thousands of honest names, `wellsfargo` in none.
 */
import { foldLabel } from "../names/fold.ts";
import { homophonesOf } from "../letters/homophones.ts";
import {
  countWordsAround,
  isCommonWord,
  isInWords,
  isKeyword,
  isPopularLabel,
  isWord,
  splitIntoKeywords,
} from "../data/lexicon.ts";
import { decodeLabel } from "../names/name.ts";
import { splitName } from "../names/suffix.ts";
import type { ProtectedName } from "../types.ts";

/**
 * `label`: a label of the protected name. `keyword`: given in the configuration. `name`: label and suffix,
 * as they are run together (`chainlink` for chain.link). `stem`: the telling part of a label (`epos` of
 * eposcard), itself less than the brand.
 */
export type WordKind = "label" | "keyword" | "name" | "stem";

const strictnesses = ["plain", "careful", "strict"] as const;
export type Strictness = (typeof strictnesses)[number];

export interface BrandWord {
  kind: WordKind;
  /** Folded; hyphens and dots are kept. */
  text: string;
  /** Letters and digits, separators not counted. */
  length: number;
  /** The word of a trade that it ends or begins with, which many names have: `bank` of rabobank. Or "". */
  trade: string;
  strictness: Strictness;
  /** Why it is so strict, in words for whoever writes the configuration. */
  reason: string;
  /** Errors allowed where the brand stands between separators, or is the label. */
  errorsAnchored: number;
  /** Errors allowed where letters go on before or after the brand. */
  errorsAnywhere: number;
  /** Letters beyond ASCII that the protected name is written with. */
  ownLetters: ReadonlySet<string>;
  /** Spellings that sound the same. */
  homophones: ReadonlySet<string>;
  /** The label whose finding is needed for this word to be found: nothing has to look for it by itself. */
  rides?: BrandWord;
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
  const given = [parts.registrableLabel, ...protectedName.keywords]
    .map(decodeLabel)
    .join("")
    .normalize("NFC");
  const ownLetters = new Set(Array.from(given).filter((letter) => letter > "\x7f"));
  const add = (kind: WordKind, text: string, atLeast: Strictness = "plain"): void => {
    const length = lettersOf(text).length;
    if (length < 2 || words.has(text)) return;
    const own = assessWord(text);
    const { strictness, reason } =
      strictnesses.indexOf(own.strictness) >= strictnesses.indexOf(atLeast)
        ? own
        : { strictness: atLeast, reason: `"${text}" is a label below the domain that was registered` };
    const sounds = kind === "stem" || strictness === "strict" ? [] : homophonesOf(text);
    const homophones = new Set(sounds.filter((sound) => !isWord(sound)));
    words.set(text, {
      kind,
      text,
      length,
      trade: tradeIn(text),
      strictness,
      reason,
      homophones,
      ownLetters,
      ...tolerance(kind === "stem" ? 0 : length),
    });
  };
  for (const spelling of spellingsOf(parts.registrableLabel)) add("label", spelling);
  for (const keyword of protectedName.keywords)
    for (const spelling of spellingsOf(keyword)) add("keyword", spelling);
  // A protected name below a registrable domain is known by its own label too, if that says anything.
  for (const label of parts.subLabels)
    if (label.length > 4 && !isKeyword(label)) add("label", label, "careful");
  const stems = Array.from(words.values(), (word) => stemsOf(word.text)).flat();
  for (const stem of stems) add("stem", stem);
  const labels = spellingsOf(parts.registrableLabel).flatMap((label) => words.get(label) ?? []);
  return [...words.values(), ...labels.map((label) => nameWord(label, parts.suffix))];
}

/** Label and suffix run together. What is found of it holds the label, unless that is too common to be looked for. */
function nameWord(label: BrandWord, suffix: string): BrandWord {
  const text = `${label.text}.${suffix}`;
  const word = {
    kind: "name",
    text,
    length: lettersOf(text).length,
    trade: "",
    strictness: "plain",
    reason: "label and suffix together are seldom anything else",
    homophones: new Set<string>(),
    ownLetters: label.ownLetters,
  } as const;
  if (label.strictness !== "strict" && label.length >= ridingLengthMin) {
    const errors = label.errorsAnywhere;
    return { ...word, errorsAnchored: errors, errorsAnywhere: errors, rides: label };
  }
  // A suffix of a country or of everybody says as much as one letter, one like .link as much as it is long.
  const telling = suffix.split(".").every((part) => part.length <= 3) ? 1 : lettersOf(suffix).length;
  return { ...word, ...tolerance(label.length + telling) };
}

const ridingLengthMin = 5;

/** Whether the word is found only where a run of letters starts or ends with it: `ing` is in every other name. */
export function standsAtEdge({ strictness, length }: BrandWord): boolean {
  return strictness === "strict" && length <= 3;
}

/** Errors allowed in a word of so many letters. */
function tolerance(letters: number): { errorsAnchored: number; errorsAnywhere: number } {
  return {
    errorsAnchored: letters <= 3 ? 0 : letters <= 7 ? 1 : 2,
    errorsAnywhere: letters <= 6 ? 0 : letters <= 10 ? 1 : 2,
  };
}

/** Whether a brand word is long and odd enough to be looked for everywhere. */
function assessWord(text: string): Assessment {
  const letters = lettersOf(text);
  const because = (strictness: Strictness, reason: string): Assessment => ({ strictness, reason });
  if (letters.length <= 3) {
    const odd = letters.length === 3 && !isInWords(letters) && !isKeyword(letters);
    return because(odd ? "careful" : "strict", `"${text}" has only ${letters.length} characters`);
  }
  if (isWord(letters) || isKeyword(letters)) {
    const short = letters.length <= 5;
    if (short && (isKeyword(letters) || isCommonWord(letters))) {
      return because("strict", `"${text}" is a word of its own`);
    }
    return because("careful", `"${text}" is a word of its own${short ? ", if a rare one" : ""}`);
  }
  const around = countWordsAround(letters, 3);
  const odd = !isInWords(letters.slice(0, 3)) || !isInWords(letters.slice(1));
  if (letters.length === 4 && odd)
    return because("plain", `"${text}" is short but holds a rare sequence of letters`);
  if (letters.length === 4) {
    return because(
      "careful",
      around >= 2 ? `"${text}" is short and part of common words` : `"${text}" is short`,
    );
  }
  if (around >= 3) return because("careful", `"${text}" is part of common words`);
  return because("plain", `"${text}" is long and rare enough to be looked for anywhere`);
}

/** Folded spellings of a label: with the letters that look alike, and as it is written without umlauts. */
export function spellingsOf(label: string): string[] {
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

function tradeIn(text: string): string {
  const stands = (trade: string): boolean => text.endsWith(trade) || text.startsWith(trade);
  return text.includes("-") ? "" : (tradeWords.find((trade) => text !== trade && stands(trade)) ?? "");
}

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
