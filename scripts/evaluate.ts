/** Measures recall on known look-alikes and the share of other names that match. See `usage`. */
import { parseArgs } from "node:util";
import { createMatcher } from "../src/engines/detection/match/matcher.ts";
import { displayName } from "../src/engines/detection/names/name.ts";
import { splitName } from "../src/engines/detection/names/suffix.ts";
import type { ProtectedName } from "../src/engines/detection/types.ts";

const usage = `usage: scripts/evaluate [--positives FILE]... [--noise FILE]... [options]

  --positives FILE       lines of name<TAB>protected domain[<TAB>class[<TAB>ignored<TAB>brand keyword]]
  --noise FILE           list of names, one per line, in which look-alikes are rare
  --protect DOMAIN       domain to protect for the noise (repeatable; default: the protected domains of the positives)
  --keywords FILE        lines of protected domain<TAB>brand keyword
  --brand-keywords       use the fifth column of the positives as keywords of their protected domains
  --min-similarity X     minimum similarity (default 0.75)
  --show N               number of misses and false positives to show (default 20)

Files may be gzipped. Names in the noise that contain a brand keyword are counted separately, because the name alone
does not show that they are harmless.`;

const { values: options } = parseArgs({
  options: {
    positives: { type: "string", multiple: true, default: [] },
    noise: { type: "string", multiple: true, default: [] },
    protect: { type: "string", multiple: true, default: [] },
    keywords: { type: "string" },
    "brand-keywords": { type: "boolean", default: false },
    "min-similarity": { type: "string", default: "0.75" },
    show: { type: "string", default: "20" },
    help: { type: "boolean", default: false },
  },
});
if (options.help || options.positives.length + options.noise.length === 0) {
  console.log(usage);
  process.exit(options.help ? 0 : 2);
}
const minSimilarity = Number(options["min-similarity"]);
const shownMax = Number(options.show);

interface Positive {
  name: string;
  domain: string;
  kind: string;
}

const keywords = new Map<string, Set<string>>();
const addKeyword = (domain: string, word: string): void => {
  keywords.set(domain, (keywords.get(domain) ?? new Set()).add(word));
};
const positives: Positive[] = [];
for (const file of options.positives) {
  for (const line of await readLines(file)) {
    const [name = "", domain = "", kind = "all", , word] = line.split("\t");
    positives.push({ name, domain, kind });
    if (options["brand-keywords"] && word !== undefined) addKeyword(domain, word);
  }
}
if (options.keywords !== undefined) {
  for (const line of await readLines(options.keywords)) {
    const [domain = "", word = ""] = line.split("\t");
    addKeyword(domain, word);
  }
}

function protectedName(domain: string): ProtectedName {
  return { domain, keywords: [...(keywords.get(domain) ?? [])], allow: [] };
}

if (positives.length > 0) measureRecall();
const protectedDomains =
  options.protect.length > 0 ? options.protect : [...new Set(positives.map((positive) => positive.domain))];
for (const file of options.noise) await measureNoise(file);

function measureRecall(): void {
  const matchers = new Map<string, ReturnType<typeof createMatcher>>();
  const counts = new Map<string, { found: number; all: number }>();
  const misses = new Map<string, Positive[]>();
  for (const positive of positives) {
    const { name, domain, kind } = positive;
    let matcher = matchers.get(domain);
    if (matcher === undefined) {
      matcher = createMatcher([protectedName(domain)], { minSimilarity });
      matchers.set(domain, matcher);
    }
    const found = matcher.match(name).length > 0;
    // A class can have two parts, the position of the brand and its spelling; count each.
    for (const group of new Set([kind, kind.slice(kind.indexOf("-") + 1), "all"])) {
      const count = counts.get(group) ?? { found: 0, all: 0 };
      count.all++;
      if (found) count.found++;
      counts.set(group, count);
    }
    if (!found) misses.set(kind, [...(misses.get(kind) ?? []), positive]);
  }
  console.log("## Recall\n\n| class | names | found | recall |\n|---|--:|--:|--:|");
  for (const [kind, { found, all }] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`| ${kind} | ${all} | ${found} | ${percent(found / all, 2)} |`);
  }
  console.log("\n## Misses, by class, most frequent first\n");
  for (const [kind, list] of [...misses].sort(([, a], [, b]) => b.length - a.length)) {
    console.log(`${kind} (${list.length}):`);
    const step = Math.max(1, Math.floor(list.length / shownMax));
    const shown = list.filter((_, index) => index % step === 0).slice(0, shownMax);
    for (const { name, domain } of shown) console.log(`  ${displayName(name)}  (${domain})`);
  }
}

async function measureNoise(file: string): Promise<void> {
  const matcher = createMatcher(protectedDomains.map(protectedName), { minSimilarity });
  const words = protectedDomains
    .flatMap((domain) => [splitName(domain).registrableLabel, ...(keywords.get(domain) ?? [])])
    .map((word) => word.replaceAll("-", ""));
  const falsePositives = new Map<string, { count: number; examples: string[] }>();
  let [all, withKeyword, others] = [0, 0, 0];
  for (const name of await readLines(file)) {
    all++;
    const [match] = matcher.match(name);
    if (match === undefined) continue;
    if (words.some((word) => name.replaceAll("-", "").includes(word))) {
      withKeyword++;
      continue;
    }
    others++;
    const part = match.reasons.map(({ params }) => params).find((one) => "found" in one || "label" in one)!;
    const text = "found" in part ? part.found : "label" in part ? part.label : "";
    const key = `${displayName(text)} for ${match.protectedDomain} (${match.type})`;
    const entry = falsePositives.get(key) ?? { count: 0, examples: [] };
    entry.count++;
    entry.examples.push(displayName(name));
    falsePositives.set(key, entry);
  }
  console.log(`\n## Noise: ${file}\n`);
  console.log(`${all} names, ${protectedDomains.length} protected`);
  console.log(`contain a brand keyword: ${withKeyword} (${percent(withKeyword / all, 4)})`);
  console.log(`other matches: ${others} (${percent(others / all, 4)})`);
  console.log("\nMost frequent:");
  const frequent = [...falsePositives].sort(([, a], [, b]) => b.count - a.count).slice(0, shownMax);
  for (const [key, { count, examples }] of frequent) {
    console.log(`  ${count}  ${key}: ${examples.slice(0, 3).join(", ")}`);
  }
}

async function readLines(file: string): Promise<string[]> {
  const bytes = await Bun.file(file).bytes();
  const text = new TextDecoder().decode(file.endsWith(".gz") ? Bun.gunzipSync(bytes) : bytes);
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

function percent(share: number, digits: number): string {
  return `${(100 * share).toFixed(digits)} %`;
}
