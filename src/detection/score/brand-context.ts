/** Where in a host name a brand stands, and what stands beside it. */
import { holdsLookAlikes, isWord, keywordIn, readAsKeywords, splitIntoKeywords } from "../data/lexicon.ts";
import { labelIndexAt, type Host } from "../names/host.ts";

export type Edge = "separator" | "digit" | "keyword" | "letter";

/** What the rest of the label says: nothing, only words that go with a brand, some of them, or none. */
export type Rest = "none" | "keywords" | "some_keywords" | "other";

export interface Context {
  labelIndex: number;
  registrable: boolean;
  /** The brand's stretch goes over a dot. */
  acrossLabels: boolean;
  /** The brand is all there is in its label (or labels). */
  wholeLabel: boolean;
  /** What stands beside the brand; `keyword` where the letters up to the next separator are keywords. */
  left: Edge;
  right: Edge;
  rest: Rest;
  /** Whether `rest` is `keywords`; said sooner than what it is else. */
  onlyKeywords: boolean;
  keywords: string[];
  /** Text of the label left and right of the brand, separators at the brand removed. */
  before: string;
  after: string;
  /** A run of letters starts or ends with the brand; it does both where the brand is between separators or digits. */
  atEdge: boolean;
  between: boolean;
  /** Share of the label's letters that are the brand's. */
  share: number;
  /** The run between separators that holds the brand. */
  token: string;
  tokenStart: number;
  /** That run is a common word, and more than the brand. */
  insideWord: boolean;
}

export function contextOf(host: Host, start: number, end: number): Context {
  return new Surroundings(host, start, end);
}

/** What takes long is read when it is asked for: most readings of a name are refused before. */
class Surroundings implements Context {
  readonly labelIndex: number;
  readonly registrable: boolean;
  readonly acrossLabels: boolean;
  readonly wholeLabel: boolean;
  readonly atEdge: boolean;
  readonly between: boolean;
  readonly share: number;
  readonly token: string;
  readonly tokenStart: number;
  readonly #brand: string;
  readonly #left: string;
  readonly #right: string;
  #leftEdge: Edge | undefined;
  #rightEdge: Edge | undefined;
  #rest: { rest: Rest; keywords: string[] } | undefined;
  #insideWord: boolean | undefined;

  constructor(host: Host, start: number, end: number) {
    const first = labelIndexAt(host, start);
    const last = labelIndexAt(host, end - 1);
    const labelStart = host.labels[first]!.start;
    const labelEnd = host.labels[last]!.start + host.labels[last]!.folded.length;
    const nextHyphen = host.text.indexOf("-", end);
    const tokenEnd = nextHyphen >= 0 && nextHyphen < labelEnd ? nextHyphen : labelEnd;
    this.labelIndex = last;
    this.registrable = last === host.labels.length - 1;
    this.acrossLabels = first !== last;
    this.wholeLabel = start === labelStart && end === labelEnd;
    const starts = !isLetter(host.text[start - 1]);
    const ends = !isLetter(host.text[end]);
    this.atEdge = starts || ends;
    this.between = starts && ends;
    this.share = (end - start) / (labelEnd - labelStart);
    this.tokenStart = Math.max(host.text.lastIndexOf("-", start - 1), labelStart - 1) + 1;
    this.token = host.text.slice(this.tokenStart, tokenEnd);
    this.#brand = host.text.slice(start, end);
    this.#left = host.text.slice(labelStart, start);
    this.#right = host.text.slice(end, labelEnd);
  }

  get before(): string {
    return this.#left.replace(/-+$/, "");
  }

  get after(): string {
    return this.#right.replace(/^-+/, "");
  }

  get left(): Edge {
    return (this.#leftEdge ??= edgeOf(this.#left.at(-1), () => /[^-\d]*$/.exec(this.#left)![0]));
  }

  get right(): Edge {
    return (this.#rightEdge ??= edgeOf(this.#right[0], () => /^[^-\d]*/.exec(this.#right)![0]));
  }

  get rest(): Rest {
    return this.#words().rest;
  }

  get onlyKeywords(): boolean {
    const isKnown = this.left !== "letter" && this.right !== "letter";
    const sides = this.#left + this.#right;
    // Letters beside the brand that are no keywords can only be some where they are read in another way.
    if (!isKnown && !/\d/.test(sides) && !holdsLookAlikes(sides)) return false;
    return this.rest === "keywords";
  }

  get keywords(): string[] {
    return this.#words().keywords;
  }

  #words(): { rest: Rest; keywords: string[] } {
    return (this.#rest ??= restOf([this.#left, this.#right]));
  }

  get insideWord(): boolean {
    return (this.#insideWord ??= isLongerWord(this.token, this.#brand));
  }
}

/** A plural of the brand is no other word. */
function isLongerWord(token: string, brand: string): boolean {
  return token.length > brand.length && token !== `${brand}s` && isWord(token);
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && !/[-.\d]/.test(character);
}

/** @param piece the letters up to the next separator or digit. */
function edgeOf(neighbour: string | undefined, piece: () => string): Edge {
  if (isLetter(neighbour)) return splitIntoKeywords(piece()) === undefined ? "letter" : "keyword";
  return neighbour === undefined || neighbour === "-" ? "separator" : "digit";
}

function restOf(sides: string[]): { rest: Rest; keywords: string[] } {
  if (sides.every((side) => side === "")) return { rest: "none", keywords: [] };
  const split = sides.flatMap((side) => side.split("-")).flatMap(partsOf);
  const keywords = split.flatMap(({ words }) => words ?? []);
  if (split.every(({ words }) => words !== undefined)) return { rest: "keywords", keywords };
  if (keywords.some((word) => word.length > 2)) return { rest: "some_keywords", keywords };
  const hidden = split.flatMap(({ part }) => keywordIn(part) ?? []);
  return { rest: hidden.length > 0 ? "some_keywords" : "other", keywords: [...keywords, ...hidden] };
}

/** Keywords that a piece of a label is made of, digits among them left out unless they stand for letters. */
function partsOf(piece: string): { part: string; words: string[] | undefined }[] {
  const words = readAsKeywords(piece);
  if (words !== undefined || !/\d/.test(piece)) return [{ part: piece, words }];
  const parts = piece.split(/\d+/).filter((part) => part !== "");
  return parts.map((part) => ({ part, words: splitIntoKeywords(part) }));
}
