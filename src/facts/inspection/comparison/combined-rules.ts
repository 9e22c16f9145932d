import type { Signal } from "../model/verdict.ts";

/** Combines signals into a level from 0 to 1: 1 − ∏ (1 − share × strength), so that one strong signal suffices. */
export interface Level {
  name: "identity" | "copy" | "request" | "other";
  shares: Readonly<Record<string, number>>;
}

export const levels: readonly Level[] = [
  {
    name: "identity",
    shares: {
      brand_in_title: 0.85,
      brand_as_site_name: 0.85,
      brand_in_heading: 0.6,
      brand_in_text: 0.5,
      brand_in_descriptions: 0.4,
      same_icon: 0.85,
      same_logo: 0.8,
      same_screenshot: 0.9,
      logo_in_screenshot: 0.8,
      picture_of_original: 0.8,
      canonical_at_brand: 0.6,
      files_from_brand: 0.7,
      links_to_brand: 0.5,
      email_of_brand: 0.75,
      saved_from_brand: 0.5,
    },
  },
  {
    name: "copy",
    shares: {
      same_text: 0.9,
      same_title: 0.4,
      same_structure: 0.4,
      same_classes: 0.6,
      same_files: 0.8,
      same_scripts: 0.6,
      same_pictures: 0.7,
      same_links: 0.6,
      same_form: 0.5,
      same_icon: 0.4,
      same_logo: 0.4,
      same_screenshot: 0.9,
      picture_of_original: 0.9,
      saved_from_brand: 0.7,
      files_from_brand: 0.5,
    },
  },
  {
    name: "request",
    shares: {
      asks_password: 0.9,
      asks_card: 0.95,
      asks_code: 0.85,
      asks_identity: 0.8,
      asks_seed_phrase: 0.95,
      asks_account: 0.4,
      sends_to_collector: 0.6,
      sends_to_mailer: 0.6,
      kit_files: 0.6,
    },
  },
  {
    name: "other",
    shares: {
      own_name: 0.6,
      other_site_name: 0.7,
      other_title: 0.4,
      other_owner: 0.4,
      about_brand: 0.4,
      brand_missing: 0.5,
      own_links: 0.4,
      own_text: 0.5,
      canonical_elsewhere: 0.5,
      archive: 1,
    },
  },
];

export type Levels = Record<Level["name"], number>;

/** A product of levels: what the signals mean only together. */
export interface CombinedRule {
  code: string;
  measures: string;
  strength(levels: Levels): number;
}

export const combinedRules: readonly CombinedRule[] = [
  {
    code: "presents_as_brand",
    measures: "identity × (1 − other): the page presents itself as the brand and as nobody else.",
    strength: ({ identity, other }) => identity * (1 - other),
  },
  {
    code: "brand_and_request",
    measures: "identity × request × (1 − 0.7 × other): it asks for data in the name of the brand.",
    strength: ({ identity, request, other }) => identity * request * (1 - 0.7 * other),
  },
  {
    code: "brand_and_copy",
    measures: "identity × copy: it presents itself as the brand and was made from an original.",
    strength: ({ identity, copy }) => identity * copy,
  },
  {
    code: "copy_and_request",
    measures: "copy × request × (1 − 0.7 × other): it asks for data with content of an original.",
    strength: ({ copy, request, other }) => copy * request * (1 - 0.7 * other),
  },
];

/**
 * Signals from what a page says about itself. Visitors hardly see it, so a kit can say anything there at no cost. It
 * separates sites that mention a brand from copies, but not one copy from another.
 */
export const claims: ReadonlySet<string> = new Set([
  "own_name",
  "other_site_name",
  "other_title",
  "other_owner",
  "about_brand",
  "own_links",
  "own_text",
  "canonical_elsewhere",
]);

/**
 * Signals of a page that was itself copied. Logos are not among them, because shops show them, and forms to sign in
 * resemble each other.
 */
export const copiedShares = {
  same_text: 0.9,
  same_structure: 0.4,
  same_classes: 0.6,
  same_scripts: 0.6,
  same_screenshot: 0.9,
  picture_of_original: 0.9,
  saved_from_brand: 0.7,
};

/** More than 1, because sites of other companies have a fifth of a text in common. */
const copiedPower = 1.4;

/** Returns the signals with claims reduced to 1 − identity × copied^1.4: a copy in the name of the brand stays one. */
export function withoutIdleClaims<S extends Pick<Signal, "code" | "strength">>(signals: readonly S[]): S[] {
  const strengths = new Map(signals.map(({ code, strength }) => [code, strength]));
  const rest = 1 - levelsOf(signals).identity * level(copiedShares, strengths) ** copiedPower;
  return signals.map((signal) =>
    claims.has(signal.code) ? { ...signal, strength: signal.strength * rest } : signal,
  );
}

export function levelsOf(signals: readonly Pick<Signal, "code" | "strength">[]): Levels {
  const strengths = new Map(signals.map(({ code, strength }) => [code, strength]));
  const entries = levels.map(({ name, shares }) => [name, level(shares, strengths)] as const);
  return Object.fromEntries(entries) as Levels;
}

function level(shares: Level["shares"], strengths: ReadonlyMap<string, number>): number {
  let rest = 1;
  for (const [code, share] of Object.entries(shares)) rest *= 1 - share * (strengths.get(code) ?? 0);
  return 1 - rest;
}
