/**
 * The words by which a protected domain is known, and how strictly each is read: thousands of honest names contain
 * `chase`, none contain `wellsfargo`.
 */
import {
  countWordsAround,
  isCommonWord,
  isInWords,
  isKeyword,
  isPopularLabel,
  isWord,
  splitIntoKeywords,
} from "../data/lexicon.ts";
import tables from "../data/letters.json" with { type: "json" };
import { isPhishingWord } from "../data/phishing-words.ts";
import { homophonesOf } from "../letters/homophones.ts";
import { foldLabel } from "../names/fold.ts";
import { isGenericLabel } from "../../../platform/lib/host-names.ts";
import { decodeLabel } from "../names/name.ts";
import { splitName, splitProtected } from "../names/suffix.ts";
import type { ProtectedName } from "../types.ts";
import { multigraphs, visualGroups } from "../letters/similar-characters.ts";

/**
 * `label`: a label of the protected domain. `keyword`: a brand keyword from the configuration. `name`: label and
 * suffix together (`chainlink` for chain.link). `stem`: the distinctive part of a label (`epos` of eposcard), which
 * counts for less than the brand.
 */
export type WordKind = "label" | "keyword" | "name" | "stem";

/** From the most to the least tolerant; see the rules in `score/`. */
const strictnesses = ["plain", "careful", "strict", "generic"] as const;
export type Strictness = (typeof strictnesses)[number];

export interface BrandWord {
  kind: WordKind;
  /** Folded, with hyphens and dots. */
  text: string;
  /** Number of letters and digits, without separators. */
  length: number;
  /** The generic word that it starts or ends with, such as `bank` in rabobank, or "". */
  trade: string;
  strictness: Strictness;
  /** Why it is read so strictly, as text for the operator. */
  reason: string;
  /** Whether it is a word of the language, too, that is no popular name or that names of all kinds contain (office). */
  noun: "no" | "noun" | "frequent";
  /** Whether it is a letter that ends many words, and a word: aplus, icloud. */
  startsWithLetter: boolean;
  /** Maximum number of errors where the brand stands between separators, or is the label. */
  errorsAnchored: number;
  /** Maximum number of errors where letters continue before or after the brand. */
  errorsAnywhere: number;
  /** Non-ASCII letters of the protected domain itself. */
  ownLetters: ReadonlySet<string>;
  /** Spellings that sound the same and are no words. */
  homophones: ReadonlySet<string>;
  /** The label that every match of this word contains, so that the filter need not search for this word. */
  requires?: BrandWord;
  /** A pattern in every text that may contain such a word up to the end of its suffix. */
  ending?: RegExp;
}

interface Assessment {
  strictness: Strictness;
  reason: string;
}

const stemLengthMin = 4;
const hyphenStemLengthMin = 3;

export function brandWordsOf(protectedName: ProtectedName): BrandWord[] {
  const parts = splitProtected(protectedName.domain);
  const words = new Map<string, BrandWord>();
  const given = [parts.registrableLabel, ...protectedName.keywords]
    .map(decodeLabel)
    .join("")
    .normalize("NFC");
  const ownLetters = new Set(Array.from(given).filter((letter) => letter > "\x7f"));
  const add = (kind: WordKind, text: string, atLeast: Strictness = "plain"): void => {
    const length = lettersOf(text).length;
    if (length < 2 || words.has(text)) return;
    const own = kind === "label" ? assessLabel(text, protectedName.keywords) : assessWord(text);
    const { strictness, reason } =
      strictnesses.indexOf(own.strictness) >= strictnesses.indexOf(atLeast)
        ? own
        : { strictness: atLeast, reason: `"${text}" is a label below the registered domain` };
    const sounds =
      kind === "stem" || strictness === "strict" || strictness === "generic" ? [] : homophonesOf(text);
    const homophones = new Set(sounds.filter((sound) => !isWord(sound)));
    words.set(text, {
      kind,
      text,
      length,
      trade: tradeIn(text),
      noun: nounIn(text),
      startsWithLetter: startsWithLetter(text),
      strictness,
      reason,
      homophones,
      ownLetters,
      ...tolerance(kind === "stem" ? 0 : length),
    });
  };
  // The last label of a suffix such as gov.uk says nothing: it is known by its name and its keywords.
  const isSuffix = splitName(protectedName.domain).registrableLabel === "" && !parts.hosted;
  if (!isSuffix) for (const spelling of spellingsOf(parts.registrableLabel)) add("label", spelling);
  for (const keyword of protectedName.keywords)
    for (const spelling of spellingsOf(keyword)) add("keyword", spelling);
  // A protected domain below a registrable one is also known by its own label, if that is distinctive.
  for (const label of parts.subLabels)
    if (label.length > 4 && !isKeyword(label)) add("label", label, "careful");
  const stems = Array.from(words.values(), (word) => stemsOf(word.text)).flat();
  for (const stem of stems) add("stem", stem);
  if (isSuffix) return [...words.values(), suffixWord(protectedName.domain)];
  const labels = spellingsOf(parts.registrableLabel).flatMap((label) => words.get(label) ?? []);
  return [...words.values(), ...labels.map((label) => nameWord(label, parts.suffix))];
}

/** Returns a word of the kind `name`, which is not a word of the language. */
function nameOf(text: string, strictness: Strictness, reason: string, ownLetters: ReadonlySet<string>) {
  const length = lettersOf(text).length;
  const plain = { trade: "", noun: "no", startsWithLetter: false, homophones: new Set<string>() } as const;
  return { kind: "name", text, length, ...plain, strictness, reason, ownLetters } as const;
}

/** Returns a protected public suffix as one word, which has to be intact: most of it is in thousands of names. */
function suffixWord(domain: string): BrandWord {
  return { ...nameOf(domain, "careful", "it is a public suffix", new Set()), ...tolerance(0) };
}

/** Returns label and suffix as one word. Its matches contain the label, unless that is too common to be searched for. */
function nameWord(label: BrandWord, suffix: string): BrandWord {
  const reason = "label and suffix together rarely mean anything else";
  const word = nameOf(`${label.text}.${suffix}`, "plain", reason, label.ownLetters);
  const isSearchedFor = label.strictness === "plain" || label.strictness === "careful";
  if (isSearchedFor && label.length >= requiredLengthMin) {
    const errors = label.errorsAnywhere;
    const tolerated = { errorsAnchored: errors, errorsAnywhere: errors };
    return { ...word, ...tolerated, requires: label, ending: endingPattern(suffix) };
  }
  // With a typo, what is left of online.de is the word that names of every trade contain.
  if (label.strictness === "generic") return { ...word, ...tolerance(0) };
  // A country code or a general suffix is as distinctive as one letter, one such as .link as all of its letters.
  const telling = suffix.split(".").every((part) => part.length <= 3) ? 1 : lettersOf(suffix).length;
  return { ...word, ...tolerance(label.length + telling) };
}

const requiredLengthMin = 5;

/** Returns whether the word counts only where a run of letters starts or ends with it: every other name contains `ing`. */
export function countsAtEdgeOnly({ strictness, length }: BrandWord): boolean {
  return strictness === "strict" && length <= 3;
}

/** Returns the maximum number of errors in a word with this many letters. */
function tolerance(letters: number): { errorsAnchored: number; errorsAnywhere: number } {
  return {
    errorsAnchored: letters <= 3 ? 0 : letters <= 7 ? 1 : 2,
    errorsAnywhere: letters <= 6 ? 0 : letters <= 10 ? 1 : 2,
  };
}

/** Returns how strictly a label is read. A keyword counts as the owner of the domain says. */
function assessLabel(text: string, keywords: readonly string[]): Assessment {
  if (!isGenericLabel(text) || keywords.includes(text)) return assessWord(text);
  return { strictness: "generic", reason: `names of every trade contain "${text}"` };
}

/** Returns how strictly a word is read: a long and rare one is searched for everywhere. */
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
      return because("strict", `"${text}" is a common word`);
    }
    return because("careful", `"${text}" is ${short ? "a rare word" : "a word"}`);
  }
  const around = countWordsAround(letters, 3);
  if (letters.length === 4) {
    const odd = !isInWords(letters.slice(0, 3)) || !isInWords(letters.slice(1));
    if (odd) return because("plain", `"${text}" is short but contains a rare sequence of letters`);
    return because("careful", `"${text}" is short${around >= 2 ? " and part of common words" : ""}`);
  }
  if (around >= 3) return because("careful", `"${text}" is part of common words`);
  return because("plain", `"${text}" is long and rare enough to be searched for anywhere`);
}

function nounIn(text: string): BrandWord["noun"] {
  if (!isWord(text)) return "no";
  if (isKeyword(text) && !isPhishingWord(text)) return "frequent";
  // A popular name such as amazon is a word as well, but booking is one in names of all kinds.
  return isPopularLabel(text) && !text.endsWith("ing") ? "no" : "noun";
}

const wordEndings = /^[aeiosx]/;

function startsWithLetter(text: string): boolean {
  const rest = text.slice(1);
  return wordEndings.test(text) && !isWord(text) && rest.length > 3 && (isWord(rest) || isKeyword(rest));
}

/** Suffixes of three letters that are no words, unlike "app" in cash.app. */
const genericSuffixes: readonly string[] = ["com", "net", "org", "biz", "edu", "gov", "int", "mil"];

/** Returns whether the last label of a suffix belongs to the name of a brand, as in chain.link. */
export function isTellingSuffix(last: string): boolean {
  return last.length > 2 && !genericSuffixes.includes(last);
}

/** Returns the folded spellings of a label: by the look of its letters, and transcribed without umlauts. */
export function spellingsOf(label: string): string[] {
  const shapes = foldLabel(label);
  const transcribed = transcribe(shapes[0]!.shown);
  const spellings = shapes.map((shape) => shape.folded);
  if (transcribed !== shapes[0]!.shown)
    spellings.push(...foldLabel(transcribed).map((shape) => shape.folded));
  return [...new Set(spellings)];
}

const { transcriptions } = tables;

function transcribe(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[äöüßøå]/g, (letter) => transcriptions[letter as keyof typeof transcriptions]);
}

/** Generic words that companies of a trade put before or after their names. */
const tradeWords = ["bank", "card", "mobile", "group", "wallet", "credit", "insurance", "telecom", "online"];

/** Start of brand names such as myetherwallet, which people leave out. */
const possessive = "my";

function tradeIn(text: string): string {
  const stands = (trade: string): boolean => text.endsWith(trade) || text.startsWith(trade);
  return text.includes("-") ? "" : (tradeWords.find((trade) => text !== trade && stands(trade)) ?? "");
}

/** Returns the parts of a label that name the brand on their own: `smbc` of smbc-card, `mizuho` of mizuhobank. */
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
  if (text.startsWith(possessive) && text.length - possessive.length >= stemLengthMin)
    stems.push(text.slice(possessive.length));
  return stems.filter(
    (stem) => !isWord(stem) && splitIntoKeywords(stem) === undefined && !isPopularLabel(stem),
  );
}

function lettersOf(text: string): string {
  return text.replace(/[-.]/g, "");
}

/** A cheap test that rejects texts without a whole protected name. */

const separator = "[-.]";

/**
 * Returns a pattern that occurs in every text in which a stretch may end with the suffix: its last characters, as many as
 * the suffix has, differ from the suffix only by look-alikes and separators (see `hasTypoInSuffix`). Undefined if the last
 * label of the suffix does not consist of letters.
 */
function endingPattern(suffix: string): RegExp | undefined {
  const last = suffix.slice(suffix.lastIndexOf(".") + 1);
  if (!/^[a-z]+$/.test(last)) return undefined;
  const classes = Array.from(last, classOf);
  // A separator or a pair of letters for one moves letters of the suffix out of the last characters.
  const ends = classes.slice(1).map((_first, index) => classes.slice(index + 1).join(""));
  const afterSeparator = `${separator}(?:${[...ends, separator, "$"].join("|")})`;
  const pairs = multigraphs.flatMap(({ pair, single }) => [
    ...(last.includes(single) ? [pair] : []),
    ...(last.includes(pair) ? [single] : []),
  ]);
  return new RegExp([classes.join(""), afterSeparator, ...pairs].join("|"));
}

/** Returns an expression for the letter and the characters that look like it. */
function classOf(letter: string): string {
  const alike = visualGroups.find((group) => group.includes(letter));
  return alike === undefined ? letter : `[${alike}]`;
}
