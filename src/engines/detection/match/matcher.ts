/** Finds the protected domains that a name resembles. */
import { createAligner } from "../alignment/alignment.ts";
import { brandWordsOf, type BrandWord } from "../brand/brand-words.ts";
import { wordWarnings, type WordWarning } from "../brand/word-warnings.ts";
import { isPopularName } from "../data/popular-names.ts";
import { buildTables, type FilterTables } from "../filter/filter-tables.ts";
import { createFilter, type Candidates } from "../filter/filter.ts";
import type { NameScreen } from "../filter/name-screen.ts";
import { foldLabel } from "../names/fold.ts";
import { readHost, type Host } from "../names/host.ts";
import { normalizeName } from "../names/name.ts";
import { ownsNamesBelow, splitProtected } from "../names/suffix.ts";
import { createAcceptance, type Rule } from "../score/rule.ts";
import { acceptance, closestOf, tellingOf } from "../score/rules.ts";
import { explain } from "../score/explain.ts";
import { scoreName, type ScoredReading, rounded } from "../score/score-name.ts";
import type { NameMatch, ProtectedName } from "../types.ts";

export interface Matcher {
  /** Returns at most one match per protected domain, in their order. Text that is not a host name matches nothing. */
  match(name: string): NameMatch[];
  /**
   * Prefilter: returns an array with 1 for each of the texts from index `from` to before `to` that needs `match`. 0 means that
   * it is a valid ASCII host name that does not match. Takes a tenth of a microsecond per name if there are hundreds. The
   * next call overwrites the array.
   */
  screenNames: NameScreen;
  /** Returns the tables from which `createFilter` builds the same `screenNames` in another thread. They can be posted. */
  screeningTables(): FilterTables;
  /**
   * Returns whether a name (A-labels, lower case) is a protected or allowed domain, or below one. Those never match.
   * @param within considers these protected domains only; empty or absent: all
   */
  isOwn(name: string, within?: readonly string[]): boolean;
  /** Returns warnings about brand words that are not searched for everywhere. */
  warnings(): WordWarning[];
}

interface Target {
  domain: string;
  suffix: string;
  /**
   * Domains that never match, with everything below them. They do not match other protected domains either, because
   * one owner may protect two similar ones.
   */
  own: ReadonlySet<string>;
}

interface Term {
  /** Index of the target. */
  target: number;
  word: BrandWord;
  /** Indices of the terms whose matches always contain this word. */
  dependents: number[];
}

export interface MatcherOptions {
  minSimilarity: number;
  /**
   * `false` scores every name against every word, as the naive reference for the prefilter. That is thousands of
   * times slower on ordinary names, and twice as fast if nearly all of them match.
   */
  filter?: boolean;
  /** Rules that decide which readings count, for the test of each rule. Default: `acceptanceRules`. */
  rules?: readonly Rule[];
}

export function createMatcher(protectedNames: readonly ProtectedName[], options: MatcherOptions): Matcher {
  const aligner = createAligner();
  const accept = options.rules === undefined ? acceptance : createAcceptance(options.rules);
  const targets = protectedNames.map(targetOf);
  const wordsOfTargets = protectedNames.map(brandWordsOf);
  const terms = wordsOfTargets.flatMap((words, target) =>
    words.map((word): Term => ({ target, word, dependents: [] })),
  );
  const termsByWord = new Map(terms.map((term) => [term.word, term]));
  for (const [index, { word }] of terms.entries()) {
    if (word.requires !== undefined) termsByWord.get(word.requires)?.dependents.push(index);
  }
  const domains = new Set(targets.map(({ domain }) => domain));
  const own = new Set(targets.flatMap((target) => [...target.own]));
  const isOwnOf = (name: string, within: readonly string[]) =>
    targets.some(
      (target) => within.includes(target.domain) && (target.domain === name || isOrIsBelow(name, target.own)),
    );
  const isOwn = (name: string, within: readonly string[] = []) =>
    within.length > 0 ? isOwnOf(name, within) : domains.has(name) || isOrIsBelow(name, own);
  const tables = buildTables(terms.map((term) => term.word));
  const filter = options.filter === false ? undefined : createFilter(tables);
  const all = terms.map((_, index) => index);

  /** The text that the filter has searched last, and its candidates: nearly every name is searched twice. */
  let searched: string | undefined;
  let candidates: Candidates | undefined;

  function candidatesOf(text: string): Candidates {
    if (candidates === undefined || text !== searched) candidates = filter!.candidates(text);
    searched = text;
    return candidates;
  }

  function mayMatch(name: string): boolean {
    if (filter === undefined) return true;
    for (const text of searchedTexts(name)) if (candidatesOf(text).count > 0) return true;
    return false;
  }

  /** Returns the indices of the terms to score, in ascending order, which decides between readings of equal rank. */
  function candidatesIn(host: Host): readonly number[] {
    if (filter === undefined) return all;
    const { words, count } = candidatesOf(host.text);
    const found: number[] = [];
    for (let i = 0; i < count; i++) {
      found.push(words[i]!);
      for (const dependent of terms[words[i]!]!.dependents) found.push(dependent);
    }
    return found.length > 1 ? found.sort((a, b) => a - b) : found;
  }

  return {
    screenNames(names, from, to) {
      searched = undefined;
      return filter === undefined ? new Uint8Array(to).fill(1) : filter.screenNames(names, from, to);
    },
    screeningTables: () => tables,
    isOwn,
    warnings: () => protectedNames.flatMap((name, target) => wordWarnings(name, wordsOfTargets[target]!)),
    match(text) {
      const normalized = normalizeName(text);
      if ("error" in normalized) return [];
      const { name } = normalized;
      if (isPopularName(name) || isOwn(name)) return [];
      // Splitting off the suffix takes time, so the filter first sees the name with it, and may find more words.
      if (!mayMatch(name)) return [];
      const scored: { target: number; readings: ScoredReading[] }[] = [];
      for (const host of readHost(name)) {
        for (const index of candidatesIn(host)) {
          const { target, word } = terms[index]!;
          const { suffix } = targets[target]!;
          const { minSimilarity } = options;
          const found = scoreName({ aligner, accept, host, word, suffix, minSimilarity });
          if (found.length === 0) continue;
          const known = scored.find((other) => other.target === target);
          if (known === undefined) scored.push({ target, readings: found });
          else known.readings.push(...found);
        }
      }
      if (scored.length > 1) scored.sort((a, b) => a.target - b.target);
      return scored.map(({ target, readings }) => strongest(targets[target]!.domain, readings));
    },
  };
}

/** Returns the name without its last label, in each of its readings, as far as the filter can tell them apart. */
function searchedTexts(name: string): string[] {
  // Without A-labels, a name folds to itself.
  return name.includes("xn--") ? decodedTexts(name) : [name.slice(0, name.lastIndexOf("."))];
}

function decodedTexts(name: string): string[] {
  const labels = name.split(".").slice(0, -1).map(foldLabel);
  const first = labels.map((readings) => readings[0]!.folded).join(".");
  if (labels.every((readings) => readings.length === 1)) return [first];
  return [first, labels.map((readings) => readings.at(-1)!.folded).join(".")];
}

function targetOf(protectedName: ProtectedName): Target {
  const { suffix, registrableDomain } = splitProtected(protectedName.domain);
  const { domain, allow } = protectedName;
  const own = [...(ownsNamesBelow(domain) ? [domain, registrableDomain] : []), ...allow];
  return { domain, suffix, own: new Set(own.filter((name) => name !== "")) };
}

/** Returns whether `names` contain the name itself or a parent domain of it. */
function isOrIsBelow(name: string, names: ReadonlySet<string>): boolean {
  for (let at = 0; at !== -1; at = name.indexOf(".", at + 1)) {
    if (names.has(at === 0 ? name : name.slice(at + 1))) return true;
  }
  return false;
}

/** Combines readings: the most specific type with its reasons and rule, and the highest similarity of all. */
function strongest(protectedDomain: string, readings: ScoredReading[]): NameMatch {
  const { type, rule, reading } = tellingOf(readings)!;
  const similarity = rounded(closestOf(readings)!.similarity);
  return { protectedDomain, type, similarity, rule, reasons: explain(reading) };
}
