import { addressParts, isKnown, siteOf } from "../measures/addresses.ts";
import { overlap } from "../measures/sketch.ts";
import { isGeneric, isTopic, spacedWords, wordsOf, type SpacedWords } from "../measures/text-words.ts";
import type { BrandReading } from "./brand-reading.ts";
import { showsLogo } from "./identity-rules.ts";
import type { PageReading } from "./page-reading.ts";
import type { SignalRule } from "./signal-rule.ts";

/** Doubts at which signals against an imitation count half. */
const ownLinksDoubt = 6;
const ownShinglesDoubt = 400;
/** Words of a page from which on it would name the brand, and how often an original does. */
const missingWordsMin = 20;
const missingCountMin = 2;
/** Strength of a title that names the brand and somebody else, and words of such a name up to which it is one. */
const besideBrand = 0.8;
/** The same for other words of a title that names the brand, per share of them. */
const amongWords = 0.5;
const otherNameWordsMax = 6;
const headingsMax = 4;

export const otherRules: SignalRule[] = [
  {
    code: "own_name",
    group: "other",
    measures:
      "A word of the host name that is not the brand's is in the title or the name of the site (1), or in a heading or the text (0.6).",
    measure: (page, brand) => {
      const words = page.ownWords.filter(
        (word) => !brand.ownWords.has(word) && brand.names.count(spacedWords([word])) === 0,
      );
      const inside = ({ compact }: { compact: string }) => words.find((word) => compact.includes(word));
      const titled = inside(page.title) ?? inside(page.siteName);
      const mentioned = page.headings.map(inside).find((word) => word !== undefined) ?? inside(page.text);
      if (titled === undefined && mentioned === undefined) return undefined;
      return { strength: titled === undefined ? 0.6 : 1, params: { name: titled ?? mentioned! } };
    },
    keeps: { page: { title: "Orchidshop – Sign in", addresses: ["https://orchidshop.example/login"] } },
    drops: { page: { title: "Examplebank – Sign in", addresses: ["https://orchidshop.example/login"] } },
  },
  {
    code: "other_site_name",
    group: "other",
    measures: "The page states a name of the site that is not the brand's: 1.",
    measure: ({ siteName, print }, { names }) =>
      siteName.words.length > 0 && names.count(siteName) === 0
        ? { strength: 1, params: { name: print.siteName! } }
        : undefined,
    keeps: { page: { siteName: "Orchid Florists" } },
    drops: { page: { siteName: "Examplebank" } },
  },
  {
    code: "other_title",
    group: "other",
    measures:
      "Share of the words of the title that are neither the brand's nor common on sign-in pages; half of it if a name of the brand is among them, and 0.8 for a part of such a title that names somebody else: without words of the brand, and with words that recur on the page, as in “Partner of Examplebank | Orchid Florists”.",
    measure: (page, brand) => {
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
    keeps: { page: { title: "Orchid Florists – Sign in" } },
    drops: { page: { title: "Sign in" } },
  },
  {
    code: "about_brand",
    group: "other",
    measures:
      "The title names the brand, and with a word that no original has in its title what the page is about: reviews, a forum, fans, jobs, news, a comparison, a partner and the like: 1; 0.7 if a heading does.",
    measure: ({ headings, title }, { names, ownWords }) => {
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
    keeps: { page: { title: "Examplebank reviews by customers" } },
    drops: { page: { title: "Examplebank – Log in" } },
  },
  {
    code: "other_owner",
    group: "other",
    measures:
      "Its copyright notice names somebody, but neither the brand nor anything that is in a notice of an original: 1.",
    measure: ({ copyright, print }, { names, owners }) => {
      const telling = copyright.words.filter((word) => !isGeneric(word));
      return telling.length === 0 || names.count(copyright) > 0 || telling.some((word) => owners.has(word))
        ? undefined
        : { strength: 1, params: { name: print.copyright! } };
    },
    keeps: { page: { text: "Sign in © 2026 Orchid Florists" } },
    drops: { page: { text: "Sign in © 2026 Examplebank" } },
  },
  {
    code: "brand_missing",
    group: "other",
    measures:
      "An original names the brand at least twice, and the page has at least 20 words, names it nowhere and does not show its logo, as other users of the same template do: 1.",
    measure: (page, brand) => {
      const { names, originals } = brand;
      if (page.text.words.length < missingWordsMin || showsLogo(page, brand)) return undefined;
      const own = [page.title, page.siteName, page.text, page.hidden, ...page.headings];
      if (own.some((words) => names.count(words) > 0)) return undefined;
      return originals.some(({ text }) => names.count(text) >= missingCountMin) ? { strength: 1 } : undefined;
    },
    keeps: {
      page: { text: Array.from({ length: 30 }, (_, index) => `flower${index}`).join(" ") },
      original: { text: "Welcome to Examplebank. Examplebank will never call you." },
    },
    drops: {
      page: { text: `${Array.from({ length: 30 }, (_, index) => `flower${index}`).join(" ")} Examplebank` },
      original: { text: "Welcome to Examplebank. Examplebank will never call you." },
    },
  },
  {
    code: "own_links",
    group: "other",
    measures:
      "Share of the links that lead to its own site, to paths that no original has, times n / (n + 6) for n of them.",
    measure: (page, brand) => {
      const own = page.links.filter(
        ({ to }) =>
          siteOf(to.host) === page.site && !brand.originals.some(({ linkPaths }) => linkPaths.has(to.path)),
      ).length;
      return page.links.length === 0
        ? undefined
        : {
            strength: (own / page.links.length) * (own / (own + ownLinksDoubt)),
            params: { own, all: page.links.length },
          };
    },
    keeps: { page: { links: [..."abcdefghijklmnop"].map((path) => `https://page.example/${path}`) } },
    drops: { page: { links: ["https://examplebank.example/help", "https://page.example/a"] } },
  },
  {
    code: "own_text",
    group: "other",
    measures: "n / (n + 400) for n sequences of three words that no original has.",
    measure: (page, brand) => {
      const own = ownShingles(page, brand);
      return { strength: own / (own + ownShinglesDoubt), params: { words: Math.round(own) } };
    },
    keeps: {
      page: { text: Array.from({ length: 600 }, (_, index) => `word${(index * 7919) % 997}`).join(" ") },
    },
    drops: { page: { text: "Log in" } },
  },
  {
    code: "canonical_elsewhere",
    group: "other",
    measures:
      "The page names an address on a site that is neither its own nor named after the brand as its own (canonical link).",
    measure: (page, brand) => {
      const canonical = addressParts(page.print.canonical ?? "");
      return canonical === undefined ||
        siteOf(canonical.host) === page.site ||
        brand.isOwnPage(canonical.host) ||
        // Brands have pages in other countries that are not listed, from which kits are copied, too.
        brand.names.count(spacedWords(wordsOf(siteOf(canonical.host)))) > 0
        ? undefined
        : { strength: 1, params: { host: canonical.host } };
    },
    keeps: { page: { canonical: "https://template.example/login" } },
    drops: { page: { canonical: "https://page.example/login" } },
  },
  {
    code: "archive",
    group: "other",
    measures:
      "It is on a web archive, a translation service or a scanner, which show pages of others on purpose.",
    measure: ({ at }) => (isKnown("archive", at) ? { strength: 1, params: { host: at.host } } : undefined),
    keeps: { page: { addresses: ["https://web.archive.org/web/2024/https://examplebank.example/"] } },
    drops: { page: { addresses: ["https://page.example/"] } },
  },
];

/** Separators of the parts of a title: a bar, or a dash, dot or colon beside a space. */
const titleSeparators = /\s*[|｜»]\s*|\s+[-–—:·•~/]+\s+|[:·•]\s+/u;

function titleParts(title: string): SpacedWords[] {
  return title.split(titleSeparators).map((part) => spacedWords(wordsOf(part)));
}

/** Returns whether a part of the title is the name of somebody else, which a page repeats elsewhere. */
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
