import { addressParts, isKnown, siteOf } from "../measures/addresses.ts";
import { overlap } from "../measures/sketch.ts";
import { isGeneric, isTopic, spacedWords, wordsOf, type SpacedWords } from "../measures/text-words.ts";
import type { BrandReading } from "./brand-reading.ts";
import { showsLogo } from "./identity-rules.ts";
import type { PageReading } from "./page-reading.ts";
import { partOf, type Measures } from "./signal-rule.ts";

/** Doubts at which signals against an imitation count half. */
const ownLinksDoubt = 6;
const ownShinglesDoubt = 400;
/** Words of a page from which on it would name the brand, and how often an original does. */
const missingWordsMin = 20;
const missingCountMin = 2;
/** Strength of a title that names the brand and another owner, and maximum number of words of such a name. */
const besideBrand = 0.8;
/** The same for other words of a title that names the brand, per share of them. */
const amongWords = 0.5;
const otherNameWordsMax = 6;
const headingsMax = 4;

export const otherMeasures = {
  own_name: (page, brand) => {
    const words = page.ownWords.filter(
      (word) => !brand.ownWords.has(word) && brand.names.count(spacedWords([word])) === 0,
    );
    const inside = ({ compact }: { compact: string }) => words.find((word) => compact.includes(word));
    const titled = inside(page.title) ?? inside(page.siteName);
    const mentioned = page.headings.map(inside).find((word) => word !== undefined) ?? inside(page.text);
    if (titled === undefined && mentioned === undefined) return undefined;
    return { strength: titled === undefined ? 0.6 : 1, params: { name: titled ?? mentioned! } };
  },
  other_site_name: ({ siteName, print }, { names }) =>
    siteName.words.length > 0 && names.count(siteName) === 0
      ? { strength: 1, params: { name: print.siteName! } }
      : undefined,
  other_title: (page, brand) => {
    const { title, print } = page;
    const words = title.words.filter((word) => !isGeneric(word));
    const other = words.filter((word) => !brand.ownWords.has(word)).length;
    if (other === 0) return undefined;
    const isBeside =
      brand.names.count(title) > 0 && titleParts(print.title).some((part) => namesOther(part, page, brand));
    const factor = brand.names.count(title) > 0 ? amongWords : 1;
    return {
      strength: isBeside ? besideBrand : factor * (other / words.length),
      params: { title: print.title },
    };
  },
  about_brand: ({ headings, title }, { names, ownWords }) => {
    const topic = ({ words }: SpacedWords) => words.find((word) => isTopic(word) && !ownWords.has(word));
    const titled = names.count(title) > 0 ? topic(title) : undefined;
    const headed = headings
      .slice(0, headingsMax)
      .flatMap((heading) => (names.count(heading) > 0 ? (topic(heading) ?? []) : []))[0];
    const word = titled ?? headed;
    return word === undefined
      ? undefined
      : { strength: titled === undefined ? 0.7 : 1, params: { name: word } };
  },
  other_owner: ({ copyright, print }, { names, owners }) => {
    const telling = copyright.words.filter((word) => !isGeneric(word));
    return telling.length === 0 || names.count(copyright) > 0 || telling.some((word) => owners.has(word))
      ? undefined
      : { strength: 1, params: { name: print.copyright! } };
  },
  brand_missing: (page, brand) => {
    const { names, originals } = brand;
    if (page.text.words.length < missingWordsMin || showsLogo(page, brand)) return undefined;
    const own = [page.title, page.siteName, page.text, page.hidden, ...page.headings];
    if (own.some((words) => names.count(words) > 0)) return undefined;
    return originals.some(({ text }) => names.count(text) >= missingCountMin) ? { strength: 1 } : undefined;
  },
  own_links: (page, brand) => {
    const own = page.links.filter(
      ({ to }) =>
        siteOf(to.host) === page.site && !brand.originals.some(({ linkPaths }) => linkPaths.has(to.path)),
    ).length;
    const all = page.links.length;
    return { strength: partOf(own, all, ownLinksDoubt), params: { own, all } };
  },
  own_text: (page, brand) => {
    const own = ownShingles(page, brand);
    return { strength: own / (own + ownShinglesDoubt), params: { words: Math.round(own) } };
  },
  canonical_elsewhere: (page, brand) => {
    const canonical = addressParts(page.print.canonical ?? "");
    return canonical === undefined ||
      siteOf(canonical.host) === page.site ||
      brand.isOwnPage(canonical.host) ||
      // Brands have pages in other countries that are not listed, from which kits are copied, too.
      brand.names.count(spacedWords(wordsOf(siteOf(canonical.host)))) > 0
      ? undefined
      : { strength: 1, params: { host: canonical.host } };
  },
  archive: ({ at }) => (isKnown("archive", at) ? { strength: 1, params: { host: at.host } } : undefined),
} satisfies Measures;

/** Separators of the parts of a title: a bar, or a dash, dot or colon beside a space. */
const titleSeparators = /\s*[|｜»]\s*|\s+[-–—:·•~/]+\s+|[:·•]\s+/u;

function titleParts(title: string): SpacedWords[] {
  return title.split(titleSeparators).map((part) => spacedWords(wordsOf(part)));
}

/** Returns whether a part of the title is the name of another owner, which the page repeats elsewhere. */
function namesOther(part: SpacedWords, page: PageReading, brand: BrandReading): boolean {
  const words = part.words.filter((word) => !isGeneric(word));
  if (words.length === 0 || words.length > otherNameWordsMax) return false;
  if (brand.names.count(part) > 0 || words.some((word) => brand.ownWords.has(word))) return false;
  const places = [page.text, page.hidden, page.siteName];
  return words.every((word) => places.some(({ spaced }) => spaced.includes(` ${word} `)));
}

/** Smallest number of shingles that no original explains. */
function ownShingles(page: PageReading, brand: BrandReading): number {
  const own = page.print.text;
  if (own === undefined) return 0;
  const shared = brand.originals.map(({ print: { text } }) =>
    text === undefined ? 0 : overlap(own, text).shared,
  );
  return Math.max(0, own.size - Math.max(0, ...shared));
}
