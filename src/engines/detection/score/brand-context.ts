/** The place of a brand in a host name, and what stands beside it. */
import { consistsOfKeywords, isWord, keywordIn, readAsKeywords, splitIntoKeywords } from "../data/lexicon.ts";
import { isPhishingWord, isSignInWord } from "../data/phishing-words.ts";
import { labelIndexAt, type Host } from "../names/host.ts";
import { consistsOfWords } from "../segmentation/brand-or-words.ts";
import { segment } from "../segmentation/segment.ts";

export type Edge = "separator" | "digit" | "keyword" | "letter";

export function isSeparated(edge: Edge): boolean {
  return edge === "separator" || edge === "digit";
}

/** The rest of the label: empty, nothing but keywords, some keywords, or no keyword. */
export type Rest = "none" | "keywords" | "some_keywords" | "other";

const hyphen = 0x2d;
const dot = 0x2e;

/** Digits and letters that can stand for others; see `readAsKeywords`. */
const otherSpelling = /\d|vv|rn/;

/** Minimum length of a keyword that counts as evidence; shorter ones are mostly country codes. */
const tellingKeywordMin = 3;

/**
 * Computes what takes long when it is first read, because most readings of a name are dropped before. The rest are plain
 * fields: every rule that reads a computed one is compiled with the code of the computation.
 */
export class BrandContext {
  /** Index of the label that holds the end of the brand. */
  readonly labelIndex: number;
  readonly registrable: boolean;
  /** The brand extends over a dot. */
  readonly acrossLabels: boolean;
  /** The brand is everything in its label or labels. */
  readonly wholeLabel: boolean;
  /** A run of letters starts or ends with the brand. */
  readonly atEdge: boolean;
  /** A run of letters starts and ends with the brand: it stands between separators or digits. */
  readonly between: boolean;
  /** Kind of character left of the brand; `keyword` if the letters up to the next separator are keywords. */
  readonly left: Edge;
  /** Kind of character right of the brand, as for `left`. */
  readonly right: Edge;
  /** The run between separators that contains the brand. */
  readonly token: string;
  /** Index of the token's first character in the host's text. */
  readonly tokenStart: number;
  readonly #brand: string;
  readonly #labelLength: number;
  readonly #left: string;
  readonly #right: string;
  #sides: SideWords | undefined;
  #onlyKeywords: boolean | undefined;
  #rest: { rest: Rest; keywords: readonly string[] } | undefined;
  #insideWord: boolean | undefined;

  constructor(host: Host, start: number, end: number) {
    const { text } = host;
    const first = labelIndexAt(host, start);
    const last = labelIndexAt(host, end - 1);
    const labelStart = host.labels[first]!.start;
    const labelEnd = host.labels[last]!.start + host.labels[last]!.folded.length;
    this.labelIndex = last;
    this.registrable = last === host.labels.length - 1;
    this.acrossLabels = first !== last;
    this.wholeLabel = start === labelStart && end === labelEnd;
    const starts = start === 0 || !isLetter(text.charCodeAt(start - 1));
    const ends = end === text.length || !isLetter(text.charCodeAt(end));
    this.atEdge = starts || ends;
    this.between = starts && ends;
    this.#labelLength = labelEnd - labelStart;
    this.#brand = text.slice(start, end);
    this.#left = text.slice(labelStart, start);
    this.#right = text.slice(end, labelEnd);
    this.left = edgeOf(this.#left, this.#left.length - 1, -1);
    this.right = edgeOf(this.#right, 0, 1);
    this.tokenStart = labelStart + this.#left.lastIndexOf("-") + 1;
    const nextHyphen = this.#right.indexOf("-");
    this.token = text.slice(this.tokenStart, nextHyphen < 0 ? labelEnd : end + nextHyphen);
  }

  /** Share of the label's characters that are the brand's. */
  get share(): number {
    return this.#brand.length / this.#labelLength;
  }

  /** Text of the label left of the brand, without separators next to the brand. */
  get before(): string {
    return this.#left.replace(/-+$/, "");
  }

  /** Text of the label right of the brand, without separators next to the brand. */
  get after(): string {
    return this.#right.replace(/^-+/, "");
  }

  get rest(): Rest {
    return this.#words().rest;
  }

  /** Whether `rest` is `keywords`, which is cheaper to tell than the other cases. */
  get onlyKeywords(): boolean {
    return (this.#onlyKeywords ??= this.#hasOnlyKeywords());
  }

  get keywords(): readonly string[] {
    return this.#words().keywords;
  }

  #hasOnlyKeywords(): boolean {
    // Letters beside the brand that are not keywords as written can become keywords by their look, or without digits.
    if (this.left === "letter" && !otherSpelling.test(this.#left)) return false;
    if (this.right === "letter" && !otherSpelling.test(this.#right)) return false;
    return restOf(this.#sideWords()) === "keywords";
  }

  #words(): { rest: Rest; keywords: readonly string[] } {
    return (this.#rest ??= withHiddenKeywords(this.#sideWords()));
  }

  #sideWords(): SideWords {
    return (this.#sides ??= readSides(this.#left, this.#right));
  }

  /** Whether the label contains nothing else but keywords, one of them longer than a country code. */
  get besideKeywords(): boolean {
    return this.onlyKeywords && this.keywords.some((keyword) => keyword.length >= tellingKeywordMin);
  }

  /** Whether a word that makes visitors act, such as login, stands in the label. */
  get besidePhishingWord(): boolean {
    return includesPhishingWord(this.keywords);
  }

  /** Whether a word of sign-in pages stands in the label. */
  get besideSignInWord(): boolean {
    for (const keyword of this.keywords) if (isSignInWord(keyword)) return true;
    return false;
  }

  /** Whether a part between hyphens beside the brand's consists of keywords, one of them a phishing word. */
  get besidePhishingPart(): boolean {
    const sides = this.#left.split("-").slice(0, -1).concat(this.#right.split("-").slice(1));
    return sides.some((side) => includesPhishingWord(readAsKeywords(side) ?? []));
  }

  /** Whether the rest of the label consists of words. */
  get besideWords(): boolean {
    return consistsOfWords(`${this.#left}-${this.#right}`);
  }

  /** Number of letters directly before the brand that belong to no known word. */
  get unknownLettersBefore(): number {
    return segment(/[^-\d]*$/.exec(this.#left)![0]).unknown;
  }

  /** Whether the token is an English word that is longer than the brand. */
  get insideWord(): boolean {
    return (this.#insideWord ??= isLongerWord(this.token, this.#brand));
  }
}

/** A loop instead of `some`, which is compiled with all functions that it is ever called with. */
function includesPhishingWord(keywords: readonly string[]): boolean {
  for (const keyword of keywords)
    if (keyword.length >= tellingKeywordMin && isPhishingWord(keyword)) return true;
  return false;
}

/** A plural of the brand does not count as another word. */
function isLongerWord(token: string, brand: string): boolean {
  return token.length > brand.length && token !== `${brand}s` && isWord(token);
}

function isLetter(code: number): boolean {
  return code !== hyphen && code !== dot && !isDigit(code);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** @param at index of the character beside the brand in `side`, from which `step` leads away from the brand */
function edgeOf(side: string, at: number, step: 1 | -1): Edge {
  if (side === "" || side.charCodeAt(at) === hyphen) return "separator";
  if (isDigit(side.charCodeAt(at))) return "digit";
  let last = at;
  while (last >= 0 && last < side.length && isLetter(side.charCodeAt(last))) last += step;
  const run = step > 0 ? side.slice(0, last) : side.slice(last + 1);
  return consistsOfKeywords(run) ? "keyword" : "letter";
}

/** The text beside the brand, read as keywords. */
interface SideWords {
  /** Runs between hyphens, divided at digits unless the digits stand for letters. */
  parts: string[];
  /** The words of the parts that consist of keywords. */
  keywords: string[];
  isEmpty: boolean;
  areKeywords: boolean;
}

function readSides(left: string, right: string): SideWords {
  const sides: SideWords = { parts: [], keywords: [], isEmpty: true, areKeywords: true };
  readSide(left, sides);
  readSide(right, sides);
  return sides;
}

function readSide(side: string, sides: SideWords): void {
  if (side === "") return;
  for (const piece of side.split("-")) {
    if (piece === "") continue;
    sides.isEmpty = false;
    const words = readAsKeywords(piece);
    if (words !== undefined || !/\d/.test(piece)) addPart(sides, piece, words);
    else
      for (const part of piece.split(/\d+/)) if (part !== "") addPart(sides, part, splitIntoKeywords(part));
  }
}

function addPart(sides: SideWords, part: string, words: readonly string[] | undefined): void {
  sides.parts.push(part);
  if (words === undefined) sides.areKeywords = false;
  else sides.keywords.push(...words);
}

/** Returns undefined if the rest contains no keyword of three letters, except perhaps inside other letters. */
function restOf({ keywords, isEmpty, areKeywords }: SideWords): Rest | undefined {
  if (isEmpty) return "none";
  if (areKeywords) return "keywords";
  return keywords.some((word) => word.length > 2) ? "some_keywords" : undefined;
}

function withHiddenKeywords(sides: SideWords): { rest: Rest; keywords: readonly string[] } {
  const rest = restOf(sides);
  if (rest !== undefined) return { rest, keywords: sides.keywords };
  const hidden = sides.parts.flatMap((part) => keywordIn(part) ?? []);
  return { rest: hidden.length > 0 ? "some_keywords" : "other", keywords: [...sides.keywords, ...hidden] };
}
