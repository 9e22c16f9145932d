/** Which protected names a name imitates. */
import { createAligner } from "../score/alignment.ts";
import { brandWordsOf, type BrandWord } from "../brand/brand-words.ts";
import { foldLabel } from "../names/fold.ts";
import { createFilter } from "../filter/filter.ts";
import { buildTables, type FilterTables } from "../filter/filter-tables.ts";
import { readHost, type Host } from "../names/host.ts";
import { judge, type Finding } from "../score/score-name.ts";
import { isPopularName } from "../data/lexicon.ts";
import { normalizeName } from "../names/name.ts";
import { rounded } from "../score/similarity.ts";
import { createAcceptance, type Rule } from "../score/rule.ts";
import { acceptance } from "../score/rules.ts";
import { splitName } from "../names/suffix.ts";
import type { NameMatch, ProtectedName } from "../types.ts";
import { specificity } from "../../vocabulary/threats.ts";
import { remarksOn, type WordRemark } from "../brand/word-warnings.ts";

export interface Matcher {
  /** `name` in any form of host name; what is no host name matches nothing. */
  match(name: string): NameMatch[];
  /**
   * Whether the text of `bytes` from `start` to before `end` needs a look. False is certain: it is a valid host
   * name in ASCII, and `match` finds nothing in it. Takes a fraction of a microsecond.
   */
  screen(bytes: Uint8Array, start: number, end: number): boolean;
  /** What `createFilter` makes the same `screen` of in another thread; it can be sent there. */
  screeningTables(): FilterTables;
  /** Whether a name (A-labels, lower case) is one of the owner's, which are never look-alikes, or below one. */
  isOwn(name: string): boolean;
  /** What was decided about brand words that are not looked for everywhere. */
  remarks(): WordRemark[];
}

interface Target {
  domain: string;
  suffix: string;
  /**
   * Names that are never look-alikes, with everything below them: not of this one and not of another protected
   * name, for one owner may well have two that are alike.
   */
  own: readonly string[];
}

interface Suspect {
  target: number;
  word: BrandWord;
  /** Words that can be found only where this one is. */
  riders: number[];
}

export interface MatcherOptions {
  minSimilarity: number;
  /**
   * Without the filter every word is judged against every name, which is easy to trust: thousands of times slower
   * on any names, twice as quick where nearly all of them match.
   */
  filter?: boolean;
  /** Rules that decide which readings count, for the test of each rule. Default: `acceptanceRules`. */
  rules?: readonly Rule[];
}

export function createMatcher(protectedNames: readonly ProtectedName[], options: MatcherOptions): Matcher {
  const judging = {
    aligner: createAligner(),
    accept: options.rules === undefined ? acceptance : createAcceptance(options.rules),
  };
  const targets = protectedNames.map(targetOf);
  const wordsOfTargets = protectedNames.map(brandWordsOf);
  const suspects = wordsOfTargets.flatMap((words, target) =>
    words.map((word): Suspect => ({ target, word, riders: [] })),
  );
  for (const [index, { word }] of suspects.entries()) {
    suspects.find((suspect) => suspect.word === word.rides)?.riders.push(index);
  }
  const own = new Set(targets.flatMap((target) => target.own));
  const tables = buildTables(suspects.map((suspect) => suspect.word));
  const filter = options.filter === false ? undefined : createFilter(tables);
  const all = suspects.map((_, index) => index);

  function mightHold(name: string): boolean {
    if (filter === undefined) return true;
    const labels = name.split(".").slice(0, -1).map(foldLabel);
    if (filter.suspects(labels.map((readings) => readings[0]!.folded).join(".")).count > 0) return true;
    if (labels.every((readings) => readings.length === 1)) return false;
    return filter.suspects(labels.map((readings) => readings.at(-1)!.folded).join(".")).count > 0;
  }

  /** Indices of the words to judge, in their order: it decides between findings of equal rank. */
  function suspectsIn(host: Host): readonly number[] {
    if (filter === undefined) return all;
    const { words, count } = filter.suspects(host.text);
    const found = Array.from(words.subarray(0, count));
    const riders = found.flatMap((index) => suspects[index]!.riders);
    return found.concat(riders).sort((a, b) => a - b);
  }

  return {
    screen(bytes, start, end) {
      return filter === undefined || filter.screen(bytes, start, end);
    },
    screeningTables: () => tables,
    isOwn: (name) => isOrIsBelow(name, own),
    remarks: () => protectedNames.flatMap((name, target) => remarksOn(name, wordsOfTargets[target]!)),
    match(text) {
      const normalized = normalizeName(text);
      if ("error" in normalized) return [];
      const { name } = normalized;
      if (isPopularName(name) || isOrIsBelow(name, own)) return [];
      // Without the suffix cut off, which takes time, it may hold more words but no fewer.
      if (!mightHold(name)) return [];
      const findings = new Map<number, Finding[]>();
      for (const host of readHost(name)) {
        for (const index of suspectsIn(host)) {
          const { target, word } = suspects[index]!;
          const { suffix } = targets[target]!;
          const found = judge(judging, host, { suffix, word }, options.minSimilarity);
          if (found.length > 0) findings.set(target, [...(findings.get(target) ?? []), ...found]);
        }
      }
      return [...findings.keys()]
        .sort((a, b) => a - b)
        .map((target) => strongest(targets[target]!.domain, findings.get(target)!));
    },
  };
}

function targetOf(protectedName: ProtectedName): Target {
  const { suffix, registrableDomain } = splitName(protectedName.domain);
  const own = [protectedName.domain, registrableDomain, ...protectedName.allow].filter((name) => name !== "");
  return { domain: protectedName.domain, suffix, own };
}

/** Whether `names` hold the name itself or one above it. */
function isOrIsBelow(name: string, names: ReadonlySet<string>): boolean {
  for (let at = 0; at !== -1; at = name.indexOf(".", at + 1)) {
    if (names.has(at === 0 ? name : name.slice(at + 1))) return true;
  }
  return false;
}

/** The most specific type that was found, with its reasons, and the highest similarity of all findings. */
function strongest(protectedDomain: string, findings: Finding[]): NameMatch {
  const rank = (finding: Finding): number => (specificity as readonly string[]).indexOf(finding.type);
  // Where two words are read in one stretch, the closer one is meant.
  const closest = findings.filter(({ start, end, similarity }) => {
    return !findings.some(
      (other) => other.start === start && other.end === end && other.similarity > similarity,
    );
  });
  const [first] = closest.toSorted((a, b) => rank(a) - rank(b) || b.similarity - a.similarity);
  const similarity = rounded(Math.max(...findings.map((finding) => finding.similarity)));
  return { protectedDomain, type: first!.type, similarity, rule: first!.rule, reasons: first!.reasons };
}
