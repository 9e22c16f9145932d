import { hashDistance, sameness, type HashBits } from "../measures/picture-hash.ts";
import { isGeneric, type SpacedWords } from "../measures/text-words.ts";
import type { BrandReading } from "./brand-reading.ts";
import type { PageReading } from "./page-reading.ts";
import type { Measured, Measures } from "./signal-rule.ts";

/** Differing bits of icons. Icons are small and simple, so that unrelated ones are nearer to each other than photos. */
const iconBits = { sameMax: 3, otherMin: 11 };
const logoBits = { sameMax: 5, otherMin: 13 };
const screenshotBits = { sameMax: 5, otherMin: 17 };
/** Limits for a picture that shows the whole page, and maximum number of words of such a page. */
const wholePictureBits = { sameMax: 5, otherMin: 11 };
const pictureWordsMax = 12;
/** Correlations of a located logo: below the first, hardly any true logo; above the second, hardly anything else. */
const logoCorrelation = { from: 0.72, to: 0.88 };
const headingsMax = 8;

export const identityMeasures = {
  brand_in_title: (page, brand) => {
    const strength = share(page.title, brand);
    return { strength, params: { title: page.print.title } };
  },
  brand_as_site_name: (page, brand) => ({
    strength: share(page.siteName, brand),
    params: { name: page.print.siteName ?? "" },
  }),
  brand_in_heading: (page, brand) => ({
    strength: Math.max(0, ...page.headings.slice(0, headingsMax).map((heading) => share(heading, brand))),
  }),
  brand_in_text: (page, brand) => frequency(page.text, brand),
  brand_in_descriptions: (page, brand) => frequency(page.hidden, brand),
  same_icon: (page, brand) => samePicture(page, brand, { roles: ["icon"], bits: iconBits }),
  same_logo: (page, brand) => {
    const nearest = samePicture(page, brand, { roles: ["logo"], bits: logoBits });
    if (nearest === undefined) return undefined;
    return {
      ...nearest,
      strength: nearest.role === "logo" ? nearest.strength : nearest.strength * among(page),
    };
  },
  same_screenshot: ({ screenshot: own, pictures, text }, brand) => {
    const shown = text.words.length <= pictureWordsMax ? pictures.filter(({ role }) => role !== "icon") : [];
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
  picture_of_original: (page, brand) => {
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
  logo_in_screenshot: ({ seen }, { brand }) => {
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
  canonical_at_brand: ({ print }, brand) =>
    print.canonical !== undefined && isOwn(print.canonical, brand)
      ? { strength: 1, params: { address: print.canonical } }
      : undefined,
} satisfies Measures;

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
