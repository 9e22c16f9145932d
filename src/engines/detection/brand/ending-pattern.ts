/** A cheap test that rejects texts without a whole protected name. */
import { multigraphPairs, visualGroups } from "../letters/similar-characters.ts";

const separator = "[-.]";

/**
 * Returns a pattern that occurs in every text in which a stretch may end with the suffix: its last characters, as many as
 * the suffix has, differ from the suffix only by look-alikes and separators (see `hasTypoInSuffix`). Undefined if the last
 * label of the suffix does not consist of letters.
 */
export function endingPattern(suffix: string): RegExp | undefined {
  const last = suffix.slice(suffix.lastIndexOf(".") + 1);
  if (!/^[a-z]+$/.test(last)) return undefined;
  const classes = Array.from(last, classOf);
  // A separator or a pair of letters for one moves letters of the suffix out of the last characters.
  const ends = classes.slice(1).map((_first, index) => classes.slice(index + 1).join(""));
  const afterSeparator = `${separator}(?:${[...ends, separator, "$"].join("|")})`;
  const pairs = multigraphPairs.flatMap(({ pair, single }) => [
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
