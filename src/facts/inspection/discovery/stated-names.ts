import { splitIntoKeywords } from "../../../engines/detection/data/lexicon.ts";
import { isGeneric, wordsOf } from "../measures/text-words.ts";
import type { PageNames } from "../model/original.ts";

/** The present version of an original page, as far as it states the name of its site. */
export interface StatingPage {
  title: string;
  names: Pick<PageNames, "siteName" | "manifest">;
}

const nameWordsMax = 4;
const nameWordLengthMin = 4;
const statedMax = 5;
const pagesMin = 2;

/**
 * Returns the names of a site that at least two of its original pages state: by their site name or application manifest,
 * where one of them may have it in its title only. An attacker who can change one page must not be able to add a name:
 * pages that contain it would be compared as if they named the brand.
 * @param dismissed names that a person does not want as keywords: joined words
 */
export function statedNames(pages: readonly StatingPage[], dismissed: ReadonlySet<string>): string[] {
  const stated = pages.map(({ names: { manifest, siteName = "" } }) => keyed([siteName, ...manifest]));
  const titled = pages.map(({ title }) => new Set(keyed(title.split(titleSeparator)).keys()));
  const all = new Map(stated.flatMap((names) => [...names]));
  const pagesWith = (key: string) => pages.filter((_, at) => stated[at]!.has(key) || titled[at]!.has(key));
  return [...all]
    .filter(([key, name]) => isName(name) && !dismissed.has(key) && pagesWith(key).length >= pagesMin)
    .slice(0, statedMax)
    .map(([, name]) => name);
}

/** Separators between the name of a site and the rest of a title, such as “Sign in | Example Bank”. */
export const titleSeparator = /\s[|–—·:•-]\s|\s*[|–—·•]\s*|:\s/u;

/** Returns names by their joined words, which are the same in any spelling. */
function keyed(names: readonly string[]): Map<string, string> {
  return new Map(names.flatMap((name) => (name === "" ? [] : [[wordsOf(name).join(""), name] as const])));
}

/** A site that calls itself “Home” or “Online banking” has no name that identifies it. */
function isName(name: string): boolean {
  const words = wordsOf(name);
  const isTelling = words.some((word) => word.length >= nameWordLengthMin && !isGeneric(word));
  return isTelling && words.length <= nameWordsMax && splitIntoKeywords(words.join("")) === undefined;
}
