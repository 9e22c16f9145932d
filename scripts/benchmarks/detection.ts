import { createMatcher } from "../../src/detection/match/matcher.ts";
import { permutations } from "../../src/detection/generate/permutations.ts";
import type { ProtectedName } from "../../src/detection/types.ts";
import { bunProgram, jsonOption, writeFigures, type Subject } from "./figures.ts";
import { readOptions } from "./options.ts";
import { generateBrands, generateNames } from "./sample-names.ts";

// Everything runs in one process, and the best of several rounds counts for each part, so that the ratios are comparable.

const options = readOptions({
  benchmark: "detection",
  summary:
    "Names per second that detection processes, by the number of protected domains, next to grep, Levenshtein distance\n" +
    "and dnstwist.",
  options: {
    names: { default: null, value: "FILE", description: "list of names, one per line, plain or gzipped" },
    count: { default: 1_000_000, value: "N", description: "names to generate without --names" },
    brands: { default: null, value: "FILE", description: "list of protected domains, one per line" },
    rounds: { default: 5, value: "N", description: "rounds; the best one counts" },
    json: jsonOption,
  },
});
const minSimilarity = 0.75;
const distanceMax = 2;
const levenshteinNamesMax = 2_000;
const { bytes, starts, count } = await readNames(options.names);
console.log(`${count} names, ${(bytes.length / count).toFixed(1)} bytes each\n`);

const brandNames = options.brands === null ? generateBrands(1000) : await readBrands(options.brands);
const sizes = [...new Set([1, 10, 100, 1000].map((size) => Math.min(size, brandNames.length)))];
const rates = new Map<number, number>();
const subjects: Subject[] = [];
console.log(
  "| protected domains | names per second | ns per name | screen | match | candidates | matched |\n|--:|--:|--:|--:|--:|--:|--:|",
);
for (const size of sizes) {
  const matcher = createMatcher(brandNames.slice(0, size), { minSimilarity });
  const candidates = new Int32Array(count);
  let candidateCount = 0;
  let matched = 0;
  let screenMs = Infinity;
  let matchMs = Infinity;
  const nsPerRound: number[] = [];
  for (let round = 0; round < Math.max(1, options.rounds); round++) {
    candidateCount = 0;
    matched = 0;
    const start = cpuMs();
    for (let i = 0; i < count; i++) {
      if (matcher.screen(bytes, starts[i]!, starts[i + 1]! - 1)) candidates[candidateCount++] = i;
    }
    const screened = cpuMs();
    for (let at = 0; at < candidateCount; at++) {
      if (matcher.match(textAt(candidates[at]!)).length > 0) matched++;
    }
    const matchedAt = cpuMs();
    screenMs = Math.min(screenMs, screened - start);
    matchMs = Math.min(matchMs, matchedAt - screened);
    nsPerRound.push(((matchedAt - start) / count) * 1e6);
  }
  subjects.push({
    name: size.toLocaleString("en"),
    program: bunProgram,
    command: "createMatcher(...).screen and match, in one process",
    figures: { "CPU time per name, ns": nsPerRound },
  });
  const ms = screenMs + matchMs;
  rates.set(size, (count / ms) * 1e3);
  const nsPerName = (part: number): string => ((part / count) * 1e6).toFixed(0);
  console.log(
    `| ${size} | ${perSecond((count / ms) * 1e3)} | ${nsPerName(ms)} | ${nsPerName(screenMs)} | ${nsPerName(matchMs)} | ${candidateCount} | ${matched} |`,
  );
}
console.log();
for (const size of sizes.filter((one) => one > 10)) {
  const smaller = size > 100 ? 100 : 1;
  const growth = rates.get(smaller)! / rates.get(size)!;
  console.log(`cost of ${size} domains / ${smaller}: ${growth.toFixed(2)}`);
}
const rate = rates.get(sizes.findLast((size) => size <= 100)!)!;

const words = brandNames.slice(0, 100).map(({ domain }) => domain.slice(0, domain.indexOf(".")));
compare("grep -F -f brands (exact words only)", await grepSeconds(words), count);
const sample = Math.min(count, levenshteinNamesMax);
compare(
  `Levenshtein distance from ${sample} names to each of 100 brands`,
  best(() => levenshteinAll(words, sample), 1),
  sample,
);

let permutationCount = 0;
const permutationSeconds = best(() => {
  permutationCount = [...permutations(brandNames[0]!, { minSimilarity })].length;
}, 1);
console.log(`permutations: ${permutationCount} names in ${(permutationSeconds * 1e3).toFixed(0)} ms`);
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

writeFigures(options.json, subjects);

function compare(name: string, seconds: number, names: number): void {
  const other = names / seconds;
  console.log(
    `${name}: ${perSecond(other)} names per second; detection is ${(rate / other).toPrecision(2)} times as fast`,
  );
}

/** Returns the shortest duration of several runs, in seconds. */
function best(run: () => unknown, times = Math.max(1, options.rounds)): number {
  let least = Infinity;
  for (let round = 0; round < times; round++) {
    const before = performance.now();
    run();
    least = Math.min(least, performance.now() - before);
  }
  return least / 1000;
}

/** Returns the CPU time of the process, which other processes on the machine change less than the time that passes. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

async function readBrands(file: string): Promise<ProtectedName[]> {
  const domains = (await Bun.file(file).text()).split("\n").map((line) => line.trim().toLowerCase());
  const named = [...new Set(domains)].filter((domain) => domain !== "");
  if (named.length === 0) throw new Error(`${file} contains no domains; enter one per line`);
  return named.map((domain) => ({ domain, keywords: [], allow: [] }));
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
  file: string | null,
): Promise<{ bytes: Uint8Array; starts: Int32Array; count: number }> {
  const raw =
    file === null ? generateNames(options.count) : new Uint8Array(await Bun.file(file).arrayBuffer());
  const text = file?.endsWith(".gz") ? Bun.gunzipSync(raw) : raw;
  const found: number[] = [0];
  for (let i = 0; i < text.length; i++) if (text[i] === 0x0a) found.push(i + 1);
  return { bytes: text, starts: Int32Array.from(found), count: found.length - 1 };
}

function perSecond(value: number): string {
  return value >= 1e6 ? `${(value / 1e6).toFixed(2)} M` : `${(value / 1e3).toFixed(1)} k`;
}
