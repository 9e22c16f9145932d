import { createMatcher } from "../../src/engines/detection/match/matcher.ts";
import type { ProtectedName } from "../../src/engines/detection/types.ts";
import { bunProgram, jsonOption, writeFigures, type Subject } from "./figures.ts";
import { readOptions } from "./options.ts";
import { generateBrands, generateNames } from "./sample-names.ts";

// The best of several rounds counts for each part, so that the ratios are comparable.

const options = readOptions({
  benchmark: "detection",
  summary:
    "Names per second that detection processes, by the number of protected domains, in one process and without reading\n" +
    "lists. 'scripts/bench compare' compares it with other programs.",
  options: {
    names: { default: null, value: "FILE", description: "list of names, one per line, plain or gzipped" },
    count: { default: 1_000_000, value: "N", description: "names to generate without --names" },
    brands: { default: null, value: "FILE", description: "list of protected domains, one per line" },
    rounds: { default: 5, value: "N", description: "rounds; the best one counts" },
    json: jsonOption,
  },
});
const minSimilarity = 0.75;
/** Number of names that are screened at once: as many as a list is read in. */
const blockNames = 1 << 14;
const { bytes, starts, ends, count } = await readNames(options.names);
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
    for (let from = 0; from < count; from += blockNames) {
      const to = Math.min(count, from + blockNames);
      const passed = matcher.screenNames({ bytes, starts, ends }, from, to);
      for (let i = from; i < to; i++) if (passed[i] === 1) candidates[candidateCount++] = i;
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
    command: "createMatcher(...).screenNames and match, in one process",
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
writeFigures(options.json, subjects);

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

function textAt(index: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + starts[index]!, ends[index]! - starts[index]!).toString(
    "latin1",
  );
}

async function readNames(
  file: string | null,
): Promise<{ bytes: Uint8Array; starts: Int32Array; ends: Int32Array; count: number }> {
  const raw =
    file === null ? generateNames(options.count) : new Uint8Array(await Bun.file(file).arrayBuffer());
  const text = file?.endsWith(".gz") ? Bun.gunzipSync(raw) : raw;
  const lines: { starts: number[]; ends: number[] } = { starts: [], ends: [] };
  for (let start = 0, end = text.indexOf(0x0a); end !== -1; end = text.indexOf(0x0a, start)) {
    lines.starts.push(start);
    lines.ends.push(end);
    start = end + 1;
  }
  return {
    bytes: text,
    starts: Int32Array.from(lines.starts),
    ends: Int32Array.from(lines.ends),
    count: lines.starts.length,
  };
}

function perSecond(value: number): string {
  return value >= 1e6 ? `${(value / 1e6).toFixed(2)} M` : `${(value / 1e3).toFixed(1)} k`;
}
