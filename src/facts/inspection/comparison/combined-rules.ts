import type { Signal } from "../model/verdict.ts";
import shares from "./data/levels.json" with { type: "json" };

/**
 * Shares of the signals in each level from 0 to 1: 1 − ∏ (1 − share × strength), so that one strong signal suffices.
 */
export const levels: Readonly<Record<LevelName, Readonly<Record<string, number>>>> = shares;

type LevelName = keyof typeof shares;
export type Levels = Record<LevelName, number>;

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
  const entries = Object.entries(levels).map(([name, ofLevel]) => [name, level(ofLevel, strengths)] as const);
  return Object.fromEntries(entries) as Levels;
}

function level(ofLevel: Readonly<Record<string, number>>, strengths: ReadonlyMap<string, number>): number {
  let rest = 1;
  for (const [code, share] of Object.entries(ofLevel)) rest *= 1 - share * (strengths.get(code) ?? 0);
  return 1 - rest;
}
