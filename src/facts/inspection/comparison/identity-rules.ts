import { hashDistance, sameness, type HashBits } from "../measures/picture-hash.ts";
import { isGeneric, type SpacedWords } from "../measures/text-words.ts";
import type { BrandReading } from "./brand-reading.ts";
import type { PageReading } from "./page-reading.ts";
import type { Measured, SignalRule } from "./signal-rule.ts";

/** Differing bits of icons. Icons are small and simple, so that unrelated ones are nearer to each other than photos. */
const iconBits = { sameMax: 3, otherMin: 11 };
const logoBits = { sameMax: 5, otherMin: 13 };
const screenshotBits = { sameMax: 5, otherMin: 17 };
/** A picture that a page consists of, and words up to which a page consists of its pictures. */
const wholePictureBits = { sameMax: 5, otherMin: 11 };
const pictureWordsMax = 12;
/** Correlations of a located logo: below the first, hardly any true logo; above the second, hardly anything else. */
const logoCorrelation = { from: 0.72, to: 0.88 };
const headingsMax = 8;

const zauner = "Zauner, Implementation and Benchmarking of Perceptual Image Hash Functions, 2010";

export const identityRules: SignalRule[] = [
  {
    code: "brand_in_title",
    group: "identity",
    measures:
      "Share of the words of the title that belong to the brand (its names, and titles of its originals), if a name of the brand is among them. Words that sign-in pages of all kinds have do not count. Times 0.7 if the only name is an English word, which others have, too, and 0.35 if it is a common one.",
    measure: (page, brand) => {
      const strength = share(page.title, brand);
      return { strength, params: { title: page.print.title } };
    },
    keeps: { page: { title: "Examplebank – Log in to your account" } },
    drops: { page: { title: "Sign in – Orchid Florists" } },
  },
  {
    code: "brand_as_site_name",
    group: "identity",
    measures: "The same for the name of the site that the page states in its metadata.",
    measure: (page, brand) => ({
      strength: share(page.siteName, brand),
      params: { name: page.print.siteName ?? "" },
    }),
    keeps: { page: { siteName: "Examplebank" } },
    drops: { page: { siteName: "Orchid Florists" } },
  },
  {
    code: "brand_in_heading",
    group: "identity",
    measures: "The same for the heading that names the brand most clearly.",
    measure: (page, brand) => ({
      strength: Math.max(0, ...page.headings.slice(0, headingsMax).map((heading) => share(heading, brand))),
    }),
    keeps: { page: { headings: ["Welcome to Examplebank"] } },
    drops: { page: { headings: ["Fresh flowers every day"] } },
  },
  {
    code: "brand_in_text",
    group: "identity",
    measures: "40 × n / (words + 20), where n is how often the visible text names the brand; at most 1.",
    measure: (page, brand) => frequency(page.text, brand),
    keeps: { page: { text: "Log in to Examplebank. Your Examplebank password" } },
    drops: { page: { text: "Log in to see your orders" } },
  },
  {
    code: "brand_in_descriptions",
    group: "identity",
    measures: "The same for descriptions and alternative texts, which name logos that are pictures.",
    measure: (page, brand) => frequency(page.hidden, brand),
    keeps: { page: { hiddenText: "Examplebank logo" } },
    drops: { page: { hiddenText: "a bunch of tulips" } },
  },
  {
    code: "same_icon",
    group: "identity",
    measures:
      "Icon with the same bytes as an original's (1), or with a perceptual hash at most 3 bits from it (0.95), falling to 0 at 11 bits.",
    source: zauner,
    measure: (page, brand) => samePicture(page, brand, { roles: ["icon"], bits: iconBits }),
    keeps: {
      page: {
        pictures: [
          { role: "icon", url: "https://page.example/f.ico", sha256: "a1", hash: "f0f0f0f0f0f0f0f0" },
        ],
      },
      original: {
        pictures: [{ role: "icon", url: "https://o.example/i.png", sha256: "b2", hash: "f0f0f0f0f0f0f0f1" }],
      },
    },
    drops: {
      page: {
        pictures: [
          { role: "icon", url: "https://page.example/f.ico", sha256: "a1", hash: "0f3c0f3c0f3c0f3c" },
        ],
      },
      original: {
        pictures: [{ role: "icon", url: "https://o.example/i.png", sha256: "b2", hash: "f0f0f0f0f0f0f0f1" }],
      },
    },
  },
  {
    code: "same_logo",
    group: "identity",
    measures:
      "A picture with the same bytes as an original's logo or an added logo (1), or with a perceptual hash at most 5 bits from it (0.95), falling to 0 at 13 bits. Half of it if the picture is one of many rather than the page's own logo.",
    source: zauner,
    measure: (page, brand) => {
      const nearest = samePicture(page, brand, { roles: ["logo"], bits: logoBits });
      if (nearest === undefined) return undefined;
      return {
        ...nearest,
        strength: nearest.role === "logo" ? nearest.strength : nearest.strength * among(page),
      };
    },
    keeps: {
      page: { pictures: [{ role: "logo", url: null, sha256: "c3", hash: "1234567890abcdef" }] },
      original: { pictures: [{ role: "logo", url: null, sha256: "c3", hash: "1234567890abcdef" }] },
    },
    drops: {
      page: { pictures: [{ role: "logo", url: null, sha256: "c3", hash: "edcba9876f543210" }] },
      original: { pictures: [{ role: "logo", url: null, sha256: "d4", hash: "1234567890abcdef" }] },
    },
  },
  {
    code: "same_screenshot",
    group: "identity",
    measures:
      "Perceptual hash of the screenshot: 1 for up to 5 bits from an original's, falling to 0 at 17 bits. For a page of at most 12 words, also the hash of a picture in it, falling to 0 at 11 bits: such a page looks like the picture.",
    source: zauner,
    measure: ({ screenshot: own, pictures, text }, brand) => {
      const shown =
        text.words.length <= pictureWordsMax ? pictures.filter(({ role }) => role !== "icon") : [];
      return best(
        brand.originals.flatMap(({ screenshot, address }) => {
          if (screenshot === undefined) return [];
          const compare = (hash: HashBits | undefined, bits: typeof screenshotBits) =>
            hash === undefined ? 0 : sameness(hashDistance(hash, screenshot), bits);
          const strengths = shown.map((picture) => compare(picture.bits, wholePictureBits));
          return [{ strength: Math.max(compare(own, screenshotBits), ...strengths), original: address }];
        }),
      );
    },
    keeps: { screenshots: { page: "1234567890abcdef", original: "1234567890abcdee" } },
    drops: { screenshots: { page: "1234567890abcdef", original: "edcba9876f543210" } },
  },
  {
    code: "picture_of_original",
    group: "identity",
    measures:
      "A picture of the page is the screenshot of an original: perceptual hash as for the screenshot. Kits show a picture of the page instead of the page.",
    source: zauner,
    measure: (page, brand) => {
      const pictures = page.pictures.filter(({ role }) => role !== "icon");
      return best(
        brand.originals.flatMap(({ screenshot, address }) =>
          pictures.flatMap(({ bits }) =>
            screenshot === undefined || bits === undefined
              ? []
              : [{ strength: sameness(hashDistance(bits, screenshot), screenshotBits), original: address }],
          ),
        ),
      );
    },
    keeps: {
      page: { pictures: [{ role: "picture", url: null, sha256: "e5", hash: "1234567890abcdee" }] },
      screenshots: { original: "1234567890abcdef" },
    },
    drops: {
      page: { pictures: [{ role: "picture", url: null, sha256: "e5", hash: "edcba9876f543210" }] },
      screenshots: { original: "1234567890abcdef" },
    },
  },
  {
    code: "logo_in_screenshot",
    group: "identity",
    measures:
      "Highest normalized cross-correlation of a logo with a place in the screenshot, over several sizes: 0 up to 0.72, 1 from 0.88 on.",
    source: "Lewis, Fast Normalized Cross-Correlation, 1995",
    measure: ({ seen }, { brand }) => {
      const found = (seen.logos ?? []).filter(
        ({ protectedDomain }) => protectedDomain === brand.protectedDomain,
      );
      const { from, to } = logoCorrelation;
      return best(
        found.map(({ correlation, name }) => ({
          strength: Math.min(1, Math.max(0, (correlation - from) / (to - from))),
          params: { name },
        })),
      );
    },
    keeps: { seen: { logos: [located(0.9)] } },
    drops: { seen: { logos: [located(0.6)] } },
  },
  {
    code: "canonical_at_brand",
    group: "identity",
    measures: "The page names an address of the brand as its own (canonical link), as copied markup does.",
    measure: ({ print }, brand) =>
      print.canonical !== undefined && isOwn(print.canonical, brand)
        ? { strength: 1, params: { address: print.canonical } }
        : undefined,
    keeps: { page: { canonical: "https://www.examplebank.example/login" } },
    drops: { page: { canonical: "https://florist.example/" } },
  },
];

function located(correlation: number) {
  return {
    protectedDomain: "examplebank.example",
    name: "logo.png",
    correlation,
    x: 0,
    y: 0,
    width: 80,
    height: 20,
  };
}

/** Returns the share of the words that are the brand's, if its name is among them. */
function share(words: SpacedWords, brand: BrandReading): number {
  const clarity = brand.names.clarity(words);
  if (clarity === 0) return 0;
  const telling = [...new Set(words.words)].filter((word) => !isGeneric(word) || brand.names.words.has(word));
  const own = telling.filter((word) => brand.ownWords.has(word));
  // The letters of a name that markup separates are words that nothing knows.
  return clarity * (telling.length === 0 || own.length === 0 ? 0.5 : own.length / telling.length);
}

function frequency(words: SpacedWords, brand: BrandReading): Measured {
  const count = brand.names.count(words);
  const density = Math.min(1, (40 * count) / (words.words.length + 20));
  return { strength: count === 0 ? 0 : density * brand.names.clarity(words), params: { count } };
}

function isOwn(address: string, brand: BrandReading): boolean {
  return URL.canParse(address) && brand.isOwnPage(new URL(address).hostname);
}

/** Half for a picture among five others, less for one among more. */
function among(page: PageReading): number {
  const pictures = page.pictures.filter(({ role }) => role !== "icon").length;
  return 5 / (5 + Math.max(0, pictures - 1));
}

function samePicture(
  page: PageReading,
  brand: BrandReading,
  { roles, bits }: { roles: string[]; bits: { sameMax: number; otherMin: number } },
): (Measured & { role: string }) | undefined {
  const isIcon = roles.includes("icon");
  const own = page.pictures.filter(({ role }) => (role === "icon") === isIcon);
  if (own.length === 0) return undefined;
  const compare = (
    picture: (typeof own)[number],
    sha256: string | undefined,
    hash: HashBits | undefined,
  ): number => {
    if (sha256 !== undefined && sha256 === picture.sha256) return 1;
    if (picture.bits === undefined || hash === undefined) return 0;
    return 0.95 * sameness(hashDistance(picture.bits, hash), bits);
  };
  const results = brand.originals.flatMap(({ pictures, address }) =>
    pictures
      .filter(({ role }) => roles.includes(role))
      .flatMap(({ sha256, bits: hash }) =>
        own.map((picture) => ({
          strength: compare(picture, sha256, hash),
          original: address,
          role: picture.role,
        })),
      ),
  );
  const added = isIcon
    ? []
    : brand.logos.flatMap((logo) =>
        own.map((picture) => ({ strength: compare(picture, undefined, logo.bits), role: picture.role })),
      );
  return best([...results, ...added]);
}

/** Returns whether a picture of the page is rather the brand's logo than not. */
export function showsLogo(page: PageReading, brand: BrandReading): boolean {
  return (samePicture(page, brand, { roles: ["logo"], bits: logoBits })?.strength ?? 0) >= 0.5;
}

/** Returns the strongest result. */
export function best<Result extends Measured>(results: readonly Result[]): Result | undefined {
  return results.reduce<Result | undefined>(
    (found, result) => (found === undefined || result.strength > found.strength ? result : found),
    undefined,
  );
}
