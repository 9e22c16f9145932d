/** The comparison of names shows the reading that detection scores. */
import { expect, test } from "bun:test";
import { domainToASCII } from "node:url";
import { spellingsOf } from "../../../src/engines/detection/brand/brand-words.ts";
import { isKeyword, isWord, splitIntoKeywords } from "../../../src/engines/detection/data/lexicon.ts";
import { permutations } from "../../../src/engines/detection/generate/permutations.ts";
import {
  createNameComparison,
  type NameComparison,
  type NamePart,
  createClosestReading,
} from "../../../src/engines/detection/match/compare-names.ts";
import { glyphsOf } from "../../../src/engines/detection/match/protected-word.ts";
import { createMatcher } from "../../../src/engines/detection/match/matcher.ts";
import { placeWord } from "../../../src/engines/detection/match/protected-word.ts";
import { foldLabel } from "../../../src/engines/detection/names/fold.ts";
import { normalizeName, unicodeName } from "../../../src/engines/detection/names/name.ts";
import { splitName } from "../../../src/engines/detection/names/suffix.ts";
import { createSteps } from "../../../src/engines/detection/alignment/alignment-steps.ts";
import { type ScoredReading, rounded } from "../../../src/engines/detection/score/score-name.ts";
import { escapeHidden } from "../../../src/platform/lib/safe-text.ts";
import { randomFrom, seed } from "../../support/random.ts";

const compare = createNameComparison();
const closestReading = createClosestReading();
const steps = createSteps();

const brands: readonly { domain: string; keywords: string[] }[] = [
  { domain: "roblox.com", keywords: [] },
  { domain: "santander.com", keywords: ["bancosantander"] },
  { domain: "example-bank.com", keywords: [] },
  { domain: "chase.com", keywords: [] },
  { domain: "hp.com", keywords: [] },
  { domain: "ing.nl", keywords: [] },
  { domain: "hsbc.co.uk", keywords: [] },
  { domain: "amazon.co.jp", keywords: [] },
  { domain: "smbc-card.com", keywords: [] },
  { domain: "mizuhobank.co.jp", keywords: ["mizuho-fg"] },
  { domain: "cash.app", keywords: [] },
  { domain: "chain.link", keywords: [] },
  { domain: "bet365.com", keywords: [] },
  { domain: "xn--mller-kva.de", keywords: [] },
  { domain: "xn--blfjellbank-y8a.no", keywords: [] },
  { domain: "xn--e1afmkfd.xn--p1ai", keywords: [] },
  { domain: "kundenportal.example-bank.de", keywords: [] },
  { domain: "international-business-and-savings-union.com", keywords: [] },
];
const perBrand = 100;
/** The generation of all takes most of the time, and the rest consists of more names like these. */
const lookAlikesMax = 150;

/** Returns names that combine the label, parts of it or errors in it with other words, suffixes and places. */
function combinations(domain: string, random: (below: number) => number): string[] {
  const { registrableLabel, suffix } = splitName(domain);
  const label = unicodeName(registrableLabel);
  const words =
    "community company compras compass comet login secure x 24 bd network online uk infos de".split(" ");
  const suffixes = [suffix, "com", "net", "se", "co.uk", "pages.dev", "online"];
  const joints = ["", "-", ".", suffix.replaceAll(".", ""), `.${suffix}`, `-${suffix.replaceAll(".", "-")}`];
  const pick = (from: readonly string[]): string => from[random(from.length)]!;
  const change = (text: string): string => {
    const at = random(text.length);
    const letter = "abcdefghijklmnopqrstuvwxyz0123456789-"[random(37)]!;
    return text.slice(0, at) + ["", letter, letter + text[at]][random(3)]! + text.slice(at + 1);
  };
  return Array.from({ length: perBrand }, () => {
    const brand = random(2) === 0 ? label : change(random(3) === 0 ? change(label) : label);
    const [before, after] = [pick(words), pick(words)];
    const left = random(2) === 0 ? "" : before + pick(["", "-", "."]);
    const right = random(4) === 0 ? "" : pick(joints) + pick(["", "", "-", "."]) + after;
    return `${left}${brand}${right}.${pick(suffixes)}`;
  });
}

/** One character of both names, or one change. */
interface Unit {
  kind: NamePart["kind"];
  found: string;
  expected: string;
  foundAt: number;
  expectedAt: number;
}

/** Splits the parts into units, with their positions in characters. */
function unitsOf({ parts }: NameComparison): Unit[] {
  let [foundAt, expectedAt] = [0, 0];
  return parts.flatMap(({ kind, found, expected }) => {
    const [ours, theirs] = [Array.from(found), Array.from(expected)];
    const single = kind === "confusable" || kind === "changed";
    const length = single ? 1 : Math.max(ours.length, theirs.length);
    return Array.from({ length }, (_, index): Unit => {
      const unit = {
        kind,
        found: single ? found : (ours[index] ?? ""),
        expected: single ? expected : (theirs[index] ?? ""),
        foundAt,
        expectedAt,
      };
      foundAt += single ? ours.length : Number(ours.length > 0);
      expectedAt += single ? theirs.length : Number(theirs.length > 0);
      return unit;
    });
  });
}

/** Returns the lengths to which the characters of a text may fold. */
function foldedLengths(text: string): number[] {
  let lengths = [0];
  for (const character of text) {
    const own = new Set([...spellingsOf(character), ...foldLabel(character).map((one) => one.folded)]);
    lengths = [...new Set(lengths.flatMap((length) => Array.from(own, (one) => length + one.length)))];
  }
  // A suffix in another script is shown decoded, and stands for its A-label.
  return [...new Set([...lengths, ...(text > "\x7f" ? [domainToASCII(text).length] : [])])];
}

/** Returns the lowest cost of aligning `word[i, i + di)` with `text[j, j + dj)`, as loaded into `steps`. */
function lowestCost(i: number, j: number, di: number, dj: number): number {
  const costs = new Map<string, number>([["0,0", 0]]);
  const at = (a: number, b: number): number => costs.get(`${a},${b}`) ?? Infinity;
  for (let a = 0; a <= di; a++) {
    for (let b = 0; b <= dj; b++) {
      if (a === 0 && b === 0) continue;
      const [wi, tj] = [i + a, j + b];
      const ways = [
        a > 0 && b > 0 ? at(a - 1, b - 1) + steps.matchCost(wi, tj) : Infinity,
        b > 0 ? at(a, b - 1) + steps.insertionCost(wi, tj) : Infinity,
        a > 0 ? at(a - 1, b) + steps.omissionCost(wi) : Infinity,
        a > 0 && b > 1 ? at(a - 1, b - 2) + steps.pairCost(wi, tj) : Infinity,
        a > 1 && b > 0 ? at(a - 2, b - 1) + steps.singleCost(wi, tj) : Infinity,
        a > 1 && b > 1 && steps.isTransposed(wi, tj) ? at(a - 2, b - 2) + 75 : Infinity,
      ];
      costs.set(`${a},${b}`, Math.min(...ways));
    }
  }
  return at(di, dj);
}

/** Returns the cost of the shown units that belong to the word, in hundredths of an edit. */
function costOfUnits(
  units: readonly Unit[],
  scored: ScoredReading,
  place: ReturnType<typeof placeWord>,
): number {
  const { host, word, alignment, found } = scored.reading;
  expect(steps.load(word.text, found)).toBe(true);
  const glyphs = glyphsOf(host.labels);
  const isInside = ({ found: text, expected, foundAt, expectedAt }: Unit): boolean => {
    if (text === "") {
      const from = Array.from(place.before).length;
      return expectedAt >= from && expectedAt < from + place.glyphs.length;
    }
    const glyph = glyphs[foundAt];
    if (glyph === undefined || glyph.start >= alignment.end || glyph.end <= alignment.start) return false;
    return text !== "" || expected !== "";
  };
  let states = new Map([["0,0", 0]]);
  for (const { found: text, expected } of units.filter(isInside)) {
    const next = new Map<string, number>();
    for (const [state, cost] of states) {
      const [i, j] = state.split(",").map(Number) as [number, number];
      for (const di of foldedLengths(expected)) {
        for (const dj of foldedLengths(text)) {
          if (i + di > word.text.length || j + dj > found.length) continue;
          const key = `${i + di},${j + dj}`;
          next.set(key, Math.min(next.get(key) ?? Infinity, cost + lowestCost(i, j, di, dj)));
        }
      }
    }
    states = next;
  }
  return states.get(`${word.text.length},${found.length}`) ?? Infinity;
}

function check(name: string, { domain, keywords }: (typeof brands)[number], similarity: number): void {
  const comparison = compare(name, domain, keywords);
  const { parts, isKeyword: ofKeyword, word } = comparison;
  // Both names are shown letter by letter.
  expect(parts.map(({ found }) => found).join("")).toBe(escapeHidden(unicodeName(name)));
  expect(parts.map(({ expected }) => expected).join("")).toBe(
    ofKeyword ? word : escapeHidden(unicodeName(domain)),
  );
  const isNamed = ({ kind, found, expected }: NamePart): boolean =>
    (kind === "same") === (found === expected) &&
    (kind === "missing") === (found === "") &&
    (kind === "added") === (expected === "");
  expect(parts.filter((part) => !isNamed(part))).toEqual([]);
  const units = unitsOf(comparison);
  if (!ofKeyword) checkSuffix(units, name, domain);
  // The shown reading is the scored one, and its changes cost what the score subtracted.
  const scored = closestReading(name, domain, keywords)!;
  expect(rounded(scored.similarity)).toBe(similarity);
  if (scored.type === "soundsquatting") return;
  const place = placeWord(scored.reading.word, domain, keywords);
  expect([name, costOfUnits(units, scored, place)]).toEqual([name, scored.reading.alignment.cost]);
}

/** Checks that no letter of a label is paired with a letter of the other name's suffix. */
function checkSuffix(units: readonly Unit[], name: string, domain: string): void {
  const shown = unicodeName(name);
  const labelsEnd = (of: string): number =>
    Array.from(unicodeName(of)).length - Array.from(unicodeName(splitName(of).suffix)).length - 1;
  const [foundEnd, expectedEnd] = [labelsEnd(name), labelsEnd(domain)];
  const pairs = units.filter(({ kind }) => kind !== "added" && kind !== "missing");
  const across = pairs.filter(({ foundAt, expectedAt }) => expectedAt < expectedEnd && foundAt >= foundEnd);
  expect([name, across]).toEqual([name, []]);
  // A name may contain the whole protected domain before its own suffix, but not as the start of a longer word.
  const embedded = pairs.findLast(
    ({ foundAt, expectedAt }) => foundAt < foundEnd && expectedAt >= expectedEnd,
  );
  if (embedded === undefined) return;
  const rest = Array.from(shown)
    .slice(embedded.foundAt + Array.from(embedded.found).length)
    .join("");
  const next = /^[^-.\d]*/.exec(rest)![0];
  const last = splitName(domain).suffix.split(".").at(-1)!;
  expect([name, isWord(last + next) && next !== "", isKeyword(last + next) && next !== ""]).toEqual([
    name,
    false,
    false,
  ]);
  const isTelling = !["com", "nl", "uk", "jp", "de", "no"].includes(last);
  if (next !== "" && !isTelling) expect([name, splitIntoKeywords(next) !== undefined]).toEqual([name, true]);
}

test.each([
  ["robloxcommunity.se", "roblox.com", "roblox[+community].[se|com]"],
  ["bancosantander-compras.com", "bancosantander.com", "bancosantander[+-compras].com"],
  ["roblox.community.se", "roblox.com", "roblox[+.community].[se|com]"],
  ["roblox-compass.net", "roblox.com", "roblox[+-compass].[net|com]"],
  ["robloxcom.se", "roblox.com", "roblox[-.]com[+.se]"],
  ["roblox.com.evil.se", "roblox.com", "roblox.com[+.evil.se]"],
  ["smbc-caradg.com", "smbc-card.com", "smbc-car[+a]d[+g].com"],
  ["examplembank.com", "example-bank.com", "example[m|-]bank.com"],
  ["netflicks-login.com", "netflix.com", "netfli[c|x][+k][+s][+-login].com"],
  ["xn--bcher-kva.com", "xn--bcher-kva.de", "bücher.[com|de]"],
  ["buecher.com", "xn--bcher-kva.de", "b[ue|ü]cher.[com|de]"],
  ["example-bank.evil.net", "shop.example-bank.com", "[-shop.]example-bank[+.evil].[net|com]"],
  ["shop.examp1e-bank.com", "shop.example-bank.com", "shop.examp[1|l]e-bank.com"],
])("The comparison of %s with %s never pairs letters across the public suffix", (name, domain, expected) => {
  const shown = compare(name, domain).parts.map(({ kind, found, expected: wanted }) => {
    if (kind === "same") return found;
    return kind === "added" ? `[+${found}]` : kind === "missing" ? `[-${wanted}]` : `[${found}|${wanted}]`;
  });
  expect(shown.join("")).toBe(expected);
});

test.each(brands)(
  `The alignment shown for each look-alike of $domain has the cost that its score used (TEST_SEED=${seed})`,
  (brand) => {
    const guarded = { ...brand, allow: [] };
    const random = randomFrom(seed);
    let checked = 0;
    for (const { name, similarity } of permutations(guarded, { minSimilarity: 0.75, limit: lookAlikesMax })) {
      if (checked++ >= 3 * perBrand && random(100) !== 0) continue;
      check(name, brand, similarity);
    }
    const matcher = createMatcher([guarded], { minSimilarity: 0.75, filter: false });
    let matched = 0;
    for (const text of combinations(brand.domain, random)) {
      const normalized = normalizeName(text);
      const [match] = "error" in normalized ? [] : matcher.match(normalized.name);
      if ("error" in normalized || match === undefined) continue;
      matched++;
      check(normalized.name, brand, match.similarity);
    }
    expect(checked).toBeGreaterThan(100);
    expect(matched).toBeGreaterThan(30);
  },
  120_000,
);
