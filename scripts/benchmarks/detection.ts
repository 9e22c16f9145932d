/**
 * Measures the names per second that detection processes, by the number of protected domains, next to alternatives:
 *
 *     scripts/bench detection [FILE]
 *
 * FILE is a list of names, one per line, plain or gzipped. Without it, the benchmark generates a million names.
 * Everything runs in one process on one core and the best of several rounds counts, so that the ratios are comparable.
 */
import { createMatcher } from "../../src/detection/match/matcher.ts";
import { permutations } from "../../src/detection/generate/permutations.ts";
import type { ProtectedName } from "../../src/detection/types.ts";

const rounds = 5;
const madeUpCount = 1_000_000;
const distanceMax = 2;
const { bytes, starts, count } = await readNames(process.argv[2]);
console.log(`${count} names, ${(bytes.length / count).toFixed(1)} bytes each\n`);

const brandNames = madeUpBrands(1000);
const rates = new Map<number, number>();
console.log(
  "| protected domains | names per second | ns per name | candidates | matched |\n|--:|--:|--:|--:|--:|",
);
for (const size of [1, 10, 100, 1000]) {
  const matcher = createMatcher(brandNames.slice(0, size), { minSimilarity: 0.75 });
  let looked = 0;
  let matched = 0;
  const seconds = best(() => {
    looked = 0;
    matched = 0;
    for (let i = 0; i < count; i++) {
      if (!matcher.screen(bytes, starts[i]!, starts[i + 1]! - 1)) continue;
      looked++;
      if (matcher.match(textAt(i)).length > 0) matched++;
    }
  });
  rates.set(size, count / seconds);
  console.log(
    `| ${size} | ${perSecond(count / seconds)} | ${((seconds / count) * 1e9).toFixed(0)} | ${looked} | ${matched} |`,
  );
}
const rate = rates.get(100)!;
console.log(`\ncost from 1 to 100: ${(rates.get(1)! / rate).toFixed(2)} times`);
console.log(`cost from 100 to 1,000: ${(rate / rates.get(1000)!).toFixed(2)} times\n`);

const words = brandNames.slice(0, 100).map(({ domain }) => domain.slice(0, domain.indexOf(".")));
compare("grep -F -f brands (exact words only)", await grepSeconds(words), count);
const sample = Math.min(count, 2000);
compare(
  `Levenshtein to each of 100 brands, of ${sample} names`,
  best(() => levenshteinAll(words, sample), 1),
  sample,
);

const generated = best(() => [...permutations(brandNames[0]!, { minSimilarity: 0.75 })].length, 1);
const generatedCount = [...permutations(brandNames[0]!, { minSimilarity: 0.75 })].length;
console.log(`permutations: ${generatedCount} names in ${(generated * 1e3).toFixed(0)} ms`);
const dnstwist = Bun.which("dnstwist");
if (dnstwist === null) console.log("dnstwist is not installed");
else {
  let lines = 0;
  const seconds = best(() => {
    const { stdout } = Bun.spawnSync([dnstwist, "--format", "list", brandNames[0]!.domain]);
    lines = stdout.toString().trim().split("\n").length;
  }, 1);
  console.log(`dnstwist: ${lines} names in ${(seconds * 1e3).toFixed(0)} ms`);
}

function compare(what: string, seconds: number, names: number): void {
  const other = names / seconds;
  console.log(
    `${what}: ${perSecond(other)} names per second; detection is ${(rate / other).toPrecision(2)} times as fast`,
  );
}

function best(run: () => unknown, times = rounds): number {
  let least = Infinity;
  for (let round = 0; round < times; round++) {
    const before = performance.now();
    run();
    least = Math.min(least, performance.now() - before);
  }
  return least / 1000;
}

async function grepSeconds(patterns: string[]): Promise<number> {
  const folder = process.env.TMPDIR ?? "/tmp";
  const [brandFile, nameFile] = [
    `${folder}/bench-brands-${process.pid}`,
    `${folder}/bench-names-${process.pid}`,
  ];
  await Bun.write(brandFile, `${patterns.join("\n")}\n`);
  await Bun.write(nameFile, Buffer.from(bytes));
  const seconds = best(() =>
    Bun.spawnSync(["grep", "-c", "-F", "-f", brandFile, nameFile], { env: { LC_ALL: "C" } }),
  );
  await Promise.all([Bun.file(brandFile).delete(), Bun.file(nameFile).delete()]);
  return seconds;
}

/** Computes the edit distance of every name's label to every brand, as openSquat does. */
function levenshteinAll(brands: string[], names: number): number {
  let near = 0;
  for (let i = 0; i < names; i++) {
    const label = textAt(i).split(".")[0]!;
    for (const brand of brands) if (levenshtein(label, brand) <= distanceMax) near++;
  }
  return near;
}

function levenshtein(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}

function textAt(index: number): string {
  return Buffer.from(
    bytes.buffer,
    bytes.byteOffset + starts[index]!,
    starts[index + 1]! - 1 - starts[index]!,
  ).toString("latin1");
}

async function readNames(
  file: string | undefined,
): Promise<{ bytes: Uint8Array; starts: Int32Array; count: number }> {
  const raw = file === undefined ? madeUpNames() : new Uint8Array(await Bun.file(file).arrayBuffer());
  const text = file?.endsWith(".gz") ? Bun.gunzipSync(raw) : raw;
  const found: number[] = [0];
  for (let i = 0; i < text.length; i++) if (text[i] === 0x0a) found.push(i + 1);
  return { bytes: text, starts: Int32Array.from(found), count: found.length - 1 };
}

/** Generates names of syllables, some with hyphens or digits, like those that are registered every day. */
function madeUpNames(): Uint8Array<ArrayBuffer> {
  const random = createRandom(1);
  const lines: string[] = [];
  for (let i = 0; i < madeUpCount; i++) {
    let label = syllables(random, 2 + random(5));
    if (random(10) === 0) label += `-${syllables(random, 2)}`;
    if (random(8) === 0) label += String(random(1000));
    lines.push(`${label}.${["com", "net", "org", "top", "de"][random(5)]}\n`);
  }
  return new Uint8Array(Buffer.from(lines.join("")));
}

function madeUpBrands(size: number): ProtectedName[] {
  const random = createRandom(2);
  return Array.from({ length: size }, () => {
    return { domain: `${syllables(random, 3 + random(3))}.com`, keywords: [], allow: [] };
  });
}

function syllables(random: (below: number) => number, size: number): string {
  const [first, second, third] = ["bcdfglmnprstvkhw", "aeiouaeio", "nrslt"];
  let text = "";
  for (let i = 0; i < size; i++) {
    text += first![random(first!.length)]! + second![random(second!.length)]!;
    if (random(4) === 0) text += third![random(third!.length)]!;
  }
  return text;
}

/** Mulberry32. */
function createRandom(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function perSecond(value: number): string {
  return value >= 1e6 ? `${(value / 1e6).toFixed(2)} M` : `${(value / 1e3).toFixed(1)} k`;
}
