import { existsSync } from "node:fs";
import { join } from "node:path";
import { createExistenceLookup } from "../../src/facts/lookups/dns/existence.ts";
import { createWildcardProbe } from "../../src/facts/lookups/dns/wildcards.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { createDnsClient } from "../../src/platform/network/dns/dns-client.ts";
import type { Zones } from "../../test/support/dns-server.ts";
import { readOptions } from "./options.ts";
import { formatTable, median, printGoal } from "./statistics.ts";

// dnstwist can query port 53 only, so the DNS server uses a separate loopback address and needs permission to bind
// that port.

const { domain, runs, threads } = readOptions({
  benchmark: "scan",
  summary:
    "DNS lookups per second of the scanner next to Debian's `dnstwist --registered`, with the names that dnstwist\n" +
    "generates and the same DNS server on loopback. Needs dnstwist and permission to bind port 53.",
  options: {
    domain: { default: "example-bank.com", value: "NAME", description: "domain to generate names for" },
    runs: { default: 5, value: "N", description: "measured runs of each (dnstwist: at most 3)" },
    threads: { default: "6,32", value: "N,N", description: "numbers of threads of dnstwist" },
  },
});
if (runs < 1) throw new Error("--runs must be at least 1");
const factorMin = 10;
const dnstwistRunsMax = 3;
const server = { address: "127.0.0.153", port: 53 };
/** One in this number of names exists. */
const existingInterval = 40;
/** `concurrentLookupsMax` of the scanner (`src/intake/scans/run-scan.ts`). */
const concurrentLookups = 128;
const queriesPerSecond = 100_000;
const dnstwist = "/usr/bin/dnstwist";

if (!existsSync(dnstwist)) throw new Error("dnstwist is not installed: apt-get install dnstwist");
const list = run([dnstwist, "--format", "list", domain]);
const names = list.out.split("\n").filter((line) => line !== "" && line !== domain);
const existing = new Set(names.filter((_, index) => index % existingInterval === 0));
const stopServer = await startServer();
try {
  await compare();
} finally {
  stopServer();
}

interface Figures {
  perSecond: number[];
  /** CPU time per lookup, in microseconds. Other load on the machine hardly affects it. */
  cpu: number[];
}

async function compare(): Promise<void> {
  const ours: Figures = { perSecond: [], cpu: [] };
  for (let round = -1; round < runs; round++) {
    const { seconds, cpuMicroseconds } = await lookUpNames();
    if (round < 0) continue;
    ours.perSecond.push(names.length / seconds);
    ours.cpu.push(cpuMicroseconds / names.length);
  }
  const contestants = new Map([["phishwatch", ours]]);
  for (const count of threads.split(",")) {
    const theirs: Figures = { perSecond: [], cpu: [] };
    contestants.set(`dnstwist, ${count} threads`, theirs);
    for (let round = 0; round < Math.min(dnstwistRunsMax, runs); round++) {
      const options = [
        "--registered",
        "--nameservers",
        server.address,
        "--threads",
        count,
        "--format",
        "csv",
      ];
      const { out, seconds, cpuMicroseconds } = run([dnstwist, ...options, domain]);
      const lines = out.split("\n").slice(1);
      const found = lines.map((line) => line.split(",")[1] ?? "");
      const others = found.filter((name) => name !== "" && name !== domain);
      check(`dnstwist, ${count} threads`, new Set(others));
      // Excludes starting dnstwist and generating the names.
      theirs.perSecond.push(names.length / (seconds - list.seconds));
      theirs.cpu.push((cpuMicroseconds - list.cpuMicroseconds) / names.length);
    }
  }
  report(ours, contestants);
}

function report(ours: Figures, contestants: Map<string, Figures>): void {
  const rows = [...contestants].map(([name, { perSecond, cpu }]) => [
    name,
    median(perSecond).toFixed(0),
    Math.min(...perSecond).toFixed(0),
    median(cpu).toFixed(0),
  ]);
  const others = [...contestants.values()].filter((one) => one !== ours);
  console.log(`${names.length} names, of which ${existing.size} exist; each found exactly these`);
  console.log(formatTable(["lookups per second", "median", "min", "CPU µs each"], rows));
  const factor = median(ours.perSecond) / Math.max(...others.map(({ perSecond }) => median(perSecond)));
  const cpuFactor = Math.min(...others.map(({ cpu }) => median(cpu))) / median(ours.cpu);
  console.log();
  printGoal("phishwatch / dnstwist", factor, { kind: "at least", limit: factorMin, digits: 1 });
  console.log(`CPU time per lookup, dnstwist / phishwatch: ${cpuFactor.toFixed(1)}`);
}

async function lookUpNames(): Promise<{ seconds: number; cpuMicroseconds: number }> {
  const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const dns = createDnsClient({
    clock: systemClock,
    fillRandom,
    resolvers: () => [server],
    queriesPerSecond: () => queriesPerSecond,
  });
  const probeWildcard = createWildcardProbe({ dns, clock: systemClock, fillRandom });
  const lookUp = createExistenceLookup({ dns, probeWildcard });
  const found = new Set<string>();
  const remaining = names.values();
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(
    Array.from({ length: concurrentLookups }, async () => {
      for (const name of remaining) {
        const { exists } = await lookUp(name);
        if (exists === "yes") found.add(name);
        if (exists === "unknown") throw new Error(`the lookup of ${name} failed`);
      }
    }),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  check("phishwatch", found);
  return { seconds, cpuMicroseconds: user + system };
}

/** Throws unless exactly the existing names were found. */
function check(contestant: string, found: Set<string>): void {
  const missing = [...existing].filter((name) => !found.has(name));
  const wrong = [...found].filter((name) => !existing.has(name));
  if (missing.length + wrong.length === 0) return;
  throw new Error(
    `${contestant} missed ${missing.join(", ") || "none"} and wrongly found ${wrong.join(", ") || "none"}`,
  );
}

function run(command: string[]): { out: string; seconds: number; cpuMicroseconds: number } {
  const startedMs = performance.now();
  const { success, stdout, stderr, resourceUsage } = Bun.spawnSync(command, { stdin: "ignore" });
  if (!success) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
  const seconds = (performance.now() - startedMs) / 1000;
  return { out: stdout.toString(), seconds, cpuMicroseconds: Number(resourceUsage.cpuTime.total) };
}

async function startServer(): Promise<() => void> {
  // A suffix exists in DNS if a name exists below it.
  const zones: Zones = Object.fromEntries(
    names.map((name) => [`nic.${name.slice(name.indexOf(".") + 1)}`, {}]),
  );
  for (const name of [...existing, domain])
    zones[name] = { A: ["192.0.2.1"], NS: [`ns1.${name}`], MX: [[10, `mail.${name}`]] };
  const script = join(import.meta.dir, "dns-server-process.ts");
  const child = Bun.spawn([process.execPath, script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  await child.stdin.write(JSON.stringify({ ...server, zones }));
  await child.stdin.end();
  const first = await child.stdout.getReader().read();
  if (first.done) {
    throw new Error(`cannot start a DNS server on ${server.address}:${server.port}; try as root`);
  }
  return () => child.kill();
}
