/** Where in a host name a brand stands, and what stands beside it. */
import { isWord, keywordIn, readAsKeywords, splitIntoKeywords } from "./lexicon.ts";
import { labelIndexAt, type Host } from "./host.ts";

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
  keywords: string[];
  /** Text of the label left and right of the brand, separators at the brand removed. */
  before: string;
  after: string;
  /** Share of the label's letters that are the brand's. */
  share: number;
  /** The run between separators that holds the brand. */
  token: string;
  tokenStart: number;
  /** That run is a common word, and more than the brand. */
  insideWord: boolean;
}

export function contextOf(host: Host, start: number, end: number): Context {
  const first = labelIndexAt(host, start);
  const last = labelIndexAt(host, end - 1);
  const labelStart = host.labels[first]!.start;
  const labelEnd = host.labels[last]!.start + host.labels[last]!.folded.length;
  const before = host.text.slice(labelStart, start);
  const after = host.text.slice(end, labelEnd);
  const { rest, keywords } = restOf([before, after]);
  const tokenStart = Math.max(host.text.lastIndexOf("-", start - 1), labelStart - 1) + 1;
  const nextHyphen = host.text.indexOf("-", end);
  const tokenEnd = nextHyphen >= 0 && nextHyphen < labelEnd ? nextHyphen : labelEnd;
  return {
    labelIndex: last,
    registrable: last === host.labels.length - 1,
    acrossLabels: first !== last,
    wholeLabel: before === "" && after === "",
    left: edgeOf(/[^-\d]*$/.exec(before)![0], before.at(-1)),
    right: edgeOf(/^[^-\d]*/.exec(after)![0], after[0]),
    rest,
    keywords,
    before: before.replace(/-+$/, ""),
    after: after.replace(/^-+/, ""),
    share: (end - start) / (labelEnd - labelStart),
    token: host.text.slice(tokenStart, tokenEnd),
    tokenStart,
    insideWord: isLongerWord(host.text.slice(tokenStart, tokenEnd), host.text.slice(start, end)),
  };
}

/** A plural of the brand is no other word. */
function isLongerWord(token: string, brand: string): boolean {
  return token.length > brand.length && token !== `${brand}s` && isWord(token);
}

function edgeOf(piece: string, neighbour: string | undefined): Edge {
  if (neighbour === undefined || neighbour === "-") return "separator";
  if (neighbour >= "0" && neighbour <= "9") return "digit";
  return splitIntoKeywords(piece) === undefined ? "letter" : "keyword";
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
