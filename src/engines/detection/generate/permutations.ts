/**
 * Generates look-alike domains that an attacker could register, or create below a domain. The matcher scores each of
 * them, so that a generated name has the same type and similarity as when it is seen.
 */
import { spellingsOf } from "../brand/brand-words.ts";
import { labelProblem } from "../../../platform/lib/host-names.ts";
import { frequentKeywords } from "../data/lexicon.ts";
import tables from "../data/permutations.json" with { type: "json" };
import { createMatcher } from "../match/matcher.ts";
import { decodeLabel } from "../names/name.ts";
import { splitProtected, domainFromLabels, isRegistrableLabel } from "../names/suffix.ts";
import type { LookAlikeType, ProtectedName } from "../types.ts";
import { take, variantsOf } from "./variants.ts";

export interface Permutation {
  /** A-label form. */
  name: string;
  type: LookAlikeType;
  similarity: number;
}

/**
 * `suffixes`: the most common public suffixes, and those that phishing prefers. `hostPrefixes`: host names that precede a
 * brand with the dot left out or replaced by a hyphen.
 */
const { suffixes, hostPrefixes } = tables;

export interface PermutationOptions {
  minSimilarity: number;
  /** Maximum number of names. It also bounds the work: a few dozen take a fraction of a second for any domain. */
  limit?: number | undefined;
}

/**
 * Yields look-alikes that registries accept, the most likely first. The types take turns, each with its most similar
 * remaining name, so that the first hundred are not all homographs.
 */
export function* permutations(
  protectedName: ProtectedName,
  options: PermutationOptions,
): Generator<Permutation> {
  const steps = permutationSteps(protectedName, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return yield* value;
  }
}

/** Generates the same names as one list, and yields between names, so that callers can let other work run. */
export function* permutationSteps(
  protectedName: ProtectedName,
  { minSimilarity, limit = Infinity }: PermutationOptions,
): Generator<void, Permutation[]> {
  const matcher = createMatcher([protectedName], { minSimilarity, filter: false });
  const seen = new Set<string>();
  const found: Permutation[] = [];
  for (const family of familiesOf(protectedName)) {
    // One family alone may have to fill the list, and some of its names do not match.
    for (const name of take(namesOf(family), limit + spareNames)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const [match] = matcher.match(name);
      if (match !== undefined) found.push({ name, type: match.type, similarity: match.similarity });
      yield;
    }
  }
  return interleaveTypes(found).slice(0, limit);
}

/** Number of names that each family generates beyond the limit. */
const spareNames = 20;

/** Orders look-alikes so that their types take turns, each with its most similar remaining name. */
export function interleaveTypes(found: readonly Permutation[]): Permutation[] {
  const ranks = new Map<LookAlikeType, number>();
  return found
    .toSorted((a, b) => b.similarity - a.similarity)
    .map((permutation) => {
      const rank = ranks.get(permutation.type) ?? 0;
      ranks.set(permutation.type, rank + 1);
      return { permutation, rank };
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ permutation }) => permutation);
}

/** Maximum number of keywords from which names are generated. Each takes as long as a domain. */
const generatedKeywordsMax = 5;

/**
 * Returns families of candidate names, in each the most likely first. If the label of a
 * domain is not recognizable, its keywords are, so names are generated from these, too, under the same suffix.
 */
function familiesOf({ domain, keywords }: ProtectedName): Family[] {
  const { suffix } = splitProtected(domain);
  const others = labelProblem(domain) === undefined ? [] : keywords.slice(0, generatedKeywordsMax);
  return [domain, ...others.map((keyword) => `${keyword}.${suffix}`)].flatMap((name) => families(name));
}

function families(domain: string): Family[] {
  const { registrableLabel, suffix } = splitProtected(domain);
  const variantLists = variantsOf(decodeLabel(registrableLabel));
  return [...variantLists.map((labels) => ({ labels, under: [suffix] })), ...otherFamilies(domain)];
}

/** Labels, or several joined by dots, and the suffixes to combine them with. */
export interface Family {
  labels: Iterable<string>;
  under: readonly string[];
}

/** Returns the families that keep the label as it is, in each the most likely name first. */
export function otherFamilies(domain: string): Family[] {
  const { registrableLabel, suffix } = splitProtected(domain);
  const label = decodeLabel(registrableLabel);
  const joined = label + suffix.replaceAll(".", "");
  const dashed = `${label}-${suffix.replaceAll(".", "-")}`;
  const [firstOfSuffix = "", ...restOfSuffix] = suffix.split(".");
  const cuts = Array.from({ length: Math.max(0, label.length - 1) }, (_, index) => index + 1);
  return [
    // The label without umlauts, which everybody can type.
    { labels: spellingsOf(registrableLabel), under: [suffix] },
    { labels: [label], under: suffixes },
    { labels: doppelgangers(label), under: [suffix] },
    // The dot in a suffix of two labels left out: exampleco.uk.
    ...(restOfSuffix.length > 0
      ? [{ labels: [label + firstOfSuffix], under: [restOfSuffix.join(".")] }]
      : []),
    { labels: [joined, dashed], under: [suffix, "com", "net", "org", "info", "top"] },
    { labels: combinations(label), under: [suffix, "com"] },
    // The whole name first: phones cut off the rest.
    { labels: frequentKeywords.map((word) => `${label}.${suffix}-${word}`), under: ["com", "net", "top"] },
    {
      labels: frequentKeywords.flatMap((word) => [`${word}-${label}`, `${label}-${word}`]),
      under: ["pages.dev", "web.app"],
    },
    { labels: cuts.map((at) => `${label.slice(0, at)}.${label.slice(at)}`), under: [suffix] },
  ];
}

/** Yields the names of a family that can be registered, or created below a domain. */
export function* namesOf({ labels, under }: Family): Generator<string> {
  for (const label of labels) {
    // Registries do not check labels below a registered name, but host names follow the same rule.
    if (!label.split(".").every(isRegistrableLabel)) continue;
    for (const suffix of under) {
      const name = domainFromLabels(`${label}.${suffix}`);
      if (name !== undefined) yield name;
    }
  }
}

function* doppelgangers(label: string): Generator<string> {
  for (const prefix of hostPrefixes) yield* [`${prefix}${label}`, `${prefix}-${label}`];
}

function* combinations(label: string): Generator<string> {
  for (const keyword of frequentKeywords) {
    yield* [`${label}-${keyword}`, `${keyword}-${label}`, `${label}${keyword}`, `${keyword}${label}`];
  }
}
