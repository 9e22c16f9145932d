/** Stretches of a token in which a word may explain the letters that read as the brand. */
import { isKeyword, isMadeOfWords, isTwoWords } from "../data/lexicon.ts";

/** Maximum number of letters on each side that belong to a word which explains the stretch. */
const wordMargin = 5;

export interface Stretch {
  text: string;
  /** Letters before and after the brand's place. */
  before: string;
  after: string;
}

/** Returns the brand's place in its token, shortened by one letter or extended by up to `wordMargin` on each side. */
export function stretchesAround(token: string, start: number, end: number): Stretch[] {
  const stretches: Stretch[] = [];
  for (let from = Math.max(0, start - wordMargin); from <= start + 1; from++) {
    for (let to = end - 1; to <= Math.min(token.length, end + wordMargin); to++) {
      const [before, after] = [token.slice(from, start), token.slice(end, to)];
      stretches.push({ text: token.slice(from, to), before, after });
    }
  }
  return stretches;
}

/** Minimum length of a word next to the brand. */
const neighborLengthMin = 3;

/** Whether words cover a stretch that extend over the edges of the brand, other than whole words next to it. */
export function areCutOutOfWords(stretches: readonly Stretch[]): boolean {
  return stretches.some(({ text, before, after }) => {
    const sides = [before, after].filter((side) => side !== "");
    const areWholeWords = sides.every(
      (side) => side.length >= neighborLengthMin && (isKeyword(side) || isMadeOfWords(side)),
    );
    return !areWholeWords && (isMadeOfWords(text) || isTwoWords(text));
  });
}
