import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bunProgram, jsonOption, phishwatchProgram, shownCommand, writeFigures } from "./figures.ts";
import { runMeasured } from "./measured-process.ts";
import { readOptions } from "./options.ts";
import { peerVersion, peersFolder, peersInstalled } from "./peers.ts";
import { phishwatchExecutable } from "./phishwatch.ts";
import { generateBrands, generateNames } from "./sample-names.ts";
import { formatTable, median } from "./statistics.ts";

// Every program is a process that reads the same list and writes what it finds to a file, on one processor. They take
// turns in alternating order, so that other load on the machine affects them equally.

const options = readOptions({
  benchmark: "compare",
  summary:
    "Names per second of phishwatch match, grep, an Aho-Corasick package and Levenshtein distance, and generated names per\n" +
    "second of phishwatch permutations and dnstwist: whole processes on one processor, including their start.",
  options: {
    names: { default: null, value: "FILE", description: "list of names, one per line" },
    count: { default: 1_000_000, value: "N", description: "names to generate without --names" },
    brands: { default: null, value: "FILE", description: "list of protected domains, one per line" },
    domains: { default: 100, value: "N", description: "protected domains, at most" },
    runs: { default: 5, value: "N", description: "measured runs of each program" },
    json: jsonOption,
  },
});
const permutedDomain = "example-bank.com";
const oneProcessor = ["taskset", "--cpu-list", "0"];

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-compare-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const file = (name: string) => join(folder, name);
const names = file("names.txt");
const words = file("words.txt");
const config = file("phishwatch.toml");
const output = file("output.txt");
const nameCount = writeInput();

interface Contestant {
  name: string;
  program: string;
  command: string[];
  /** Names that are read or, when this is missing, that are generated. */
  reads: number | null;
  names: number[];
  perSecond: number[];
  cpuMs: number[];
  memoryMiB: number[];
}

const contestants = [...matchers(), ...generators()];
for (let run = -1; run < options.runs; run += 1) {
  for (const one of run % 2 === 0 ? contestants : contestants.toReversed()) {
    const measured = await measure(one.command);
    // The first run only fills the caches.
    if (run < 0) continue;
    one.names.push(measured.lines);
    one.perSecond.push((one.reads ?? measured.lines) / measured.seconds);
    one.cpuMs.push(measured.cpuMs);
    one.memoryMiB.push(measured.memoryMiB);
  }
}
report();

function writeInput(): number {
  const domains =
    options.brands === null
      ? generateBrands(options.domains).map(({ domain }) => domain)
      : readLines(options.brands).slice(0, options.domains);
  writeFileSync(
    names,
    options.names === null ? generateNames(options.count) : `${readLines(options.names).join("\n")}\n`,
  );
  writeFileSync(words, domains.map((domain) => `${domain.slice(0, domain.indexOf("."))}\n`).join(""));
  writeFileSync(config, domains.map((domain) => `[[protected_domains]]\ndomain = "${domain}"\n`).join(""));
  return options.names === null ? options.count : readLines(names).length;
}

function readLines(path: string): string[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "");
}

function matchers(): Contestant[] {
  const grepCommand = ["grep", "--fixed-strings", "--file", words, names];
  const grep = contestant("grep: exact words only", firstLine(["grep", "--version"]), grepCommand);
  const matchCommand = [phishwatchExecutable, "match", "--config", config, names];
  const phishwatch = contestant("phishwatch match", phishwatchProgram(), matchCommand);
  const script = (name: string, peer: string, source: string) =>
    contestant(name, `${peerVersion(peer)}, ${bunProgram}`, [
      process.execPath,
      join(peersFolder, source),
      words,
      names,
    ]);
  if (!peersInstalled()) {
    console.error(
      "the npm packages are not installed (scripts/bench all --install-peers): running without them",
    );
    return [phishwatch, grep];
  }
  return [
    phishwatch,
    grep,
    script("Aho-Corasick: exact words only", "modern-ahocorasick", "aho-corasick.js"),
    script("Levenshtein distance of each label, as openSquat does", "fastest-levenshtein", "levenshtein.js"),
  ];
}

function generators(): Contestant[] {
  const phishwatch = contestant(
    "phishwatch permutations",
    phishwatchProgram(),
    [phishwatchExecutable, "permutations", permutedDomain],
    null,
  );
  if (Bun.which("dnstwist") === null) {
    console.error("dnstwist is not installed (scripts/bench all --install-peers): running without it");
    return [phishwatch];
  }
  const command = ["dnstwist", "--format", "list", permutedDomain];
  return [
    phishwatch,
    contestant("dnstwist", firstLine(["dnstwist", "--help"]).replace(/ by .*/, ""), command, null),
  ];
}

function contestant(
  name: string,
  program: string,
  command: readonly string[],
  reads: number | null = nameCount,
): Contestant {
  return {
    name,
    program,
    command: [...oneProcessor, ...command],
    reads,
    names: [],
    perSecond: [],
    cpuMs: [],
    memoryMiB: [],
  };
}

function firstLine(command: string[]): string {
  return Bun.spawnSync(command).stdout.toString().split("\n")[0]!.trim();
}

async function measure(command: string[]) {
  // A file that is opened again keeps what is behind a shorter output.
  rmSync(output, { force: true });
  const { exitCode, seconds, cpuMs, memoryBytes } = await runMeasured(command, output);
  // grep exits with 1 if it finds nothing.
  if (exitCode > 1) throw new Error(`${shownCommand(command)} exited with ${exitCode}`);
  return { seconds, cpuMs, memoryMiB: memoryBytes / 2 ** 20, lines: readLines(output).length };
}

function report(): void {
  const rows = contestants.map(({ name, perSecond, cpuMs, memoryMiB, names: found }) => [
    name,
    ...[perSecond, cpuMs, memoryMiB, found].map((values) => Math.round(median(values)).toLocaleString("en")),
  ]);
  console.log(formatTable([`${nameCount} names`, "names/s", "CPU ms", "MiB", "names found"], rows));
  writeFigures(
    options.json,
    contestants.map(({ name, program, command, reads, ...measured }) => ({
      name,
      program,
      command: shownCommand(command),
      figures: {
        [reads === null ? "generated names/s" : "names/s"]: measured.perSecond,
        "CPU time, ms": measured.cpuMs,
        "memory, MiB": measured.memoryMiB,
        ...(reads === null
          ? { "generated names": measured.names }
          : { "names read": [reads], "names found": measured.names }),
      },
    })),
  );
}
