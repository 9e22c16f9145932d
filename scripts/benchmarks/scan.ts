import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createExistenceLookup } from "../../src/lookups/dns/existence.ts";
import { createWildcardProbe } from "../../src/lookups/dns/wildcards.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createDnsClient } from "../../src/network/dns/dns-client.ts";
import type { Zones } from "../../test/support/dns-server.ts";
import { formatTable, median } from "./statistics.ts";

// Look-ups a second of the scanner beside Debian's `dnstwist --registered`, on the names that dnstwist makes and
// the same name server on loopback. dnstwist can only ask port 53, hence an address of loopback of its own, and
// the right to take that port.

const { values } = parseArgs({
  options: {
    domain: { type: "string", default: "example-bank.com" },
    runs: { type: "string", default: "5" },
    threads: { type: "string", default: "6,32" },
  },
});
const factorMin = 10;
const server = { address: "127.0.0.153", port: 53 };
/** One name of so many exists. */
const existingEach = 40;
/** What the scanner uses at this speed (`run-scan.ts`). */
const lookUpsAtOnce = 128;
const queriesPerSecond = 100_000;
const dnstwist = "/usr/bin/dnstwist";

if (!existsSync(dnstwist)) throw new Error("dnstwist is not installed: apt-get install dnstwist");
const list = run([dnstwist, "--format", "list", values.domain]);
const names = list.out.split("\n").filter((line) => line !== "" && line !== values.domain);
const existing = new Set(names.filter((_, index) => index % existingEach === 0));
const stopServer = await startServer();
try {
  await compare();
} finally {
  stopServer();
}

interface Figures {
  perSecond: number[];
  /** CPU time of a look-up, in microseconds; hardly depends on what else the machine does. */
  cpu: number[];
}

async function compare(): Promise<void> {
  const ours: Figures = { perSecond: [], cpu: [] };
  for (let round = -1; round < Number(values.runs); round++) {
    const { seconds, cpuMicroseconds } = await lookUpAll();
    if (round < 0) continue;
    ours.perSecond.push(names.length / seconds);
    ours.cpu.push(cpuMicroseconds / names.length);
  }
  const contestants = new Map([["phishwatch", ours]]);
  for (const threads of values.threads.split(",")) {
    const theirs: Figures = { perSecond: [], cpu: [] };
    contestants.set(`dnstwist, ${threads} threads`, theirs);
    for (let round = 0; round < Math.min(3, Number(values.runs)); round++) {
      const options = [
        "--registered",
        "--nameservers",
        server.address,
        "--threads",
        threads,
        "--format",
        "csv",
      ];
      const { out, seconds, cpuMicroseconds } = run([dnstwist, ...options, values.domain]);
      const lines = out.split("\n").slice(1);
      const found = lines.map((line) => line.split(",")[1] ?? "");
      const others = found.filter((name) => name !== "" && name !== values.domain);
      check(`dnstwist, ${threads} threads`, new Set(others));
      // Starting and making the names is not looking them up.
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
  console.log(`${names.length} names, ${existing.size} of them exist; each found exactly these`);
  console.log(formatTable(["look-ups a second", "median", "least", "CPU µs each"], rows));
  const factor = median(ours.perSecond) / Math.max(...others.map(({ perSecond }) => median(perSecond)));
  const cpuFactor = Math.min(...others.map(({ cpu }) => median(cpu))) / median(ours.cpu);
  const verdict = factor >= factorMin ? "reached" : "MISSED";
  console.log(`\nphishwatch / dnstwist: ${factor.toFixed(1)} (goal: at least ${factorMin}) ${verdict}`);
  console.log(`CPU time of a look-up, dnstwist / phishwatch: ${cpuFactor.toFixed(1)}`);
}

async function lookUpAll(): Promise<{ seconds: number; cpuMicroseconds: number }> {
  const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const dns = createDnsClient({
    clock: systemClock,
    fillRandom,
    resolvers: () => [server],
    queriesPerSecond,
  });
  const probeWildcard = createWildcardProbe({ dns, clock: systemClock, fillRandom });
  const lookUp = createExistenceLookup({ dns, probeWildcard });
  const found = new Set<string>();
  const rest = names.values();
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(
    Array.from({ length: lookUpsAtOnce }, async () => {
      for (const name of rest) {
        const { exists } = await lookUp(name);
        if (exists === "yes") found.add(name);
        if (exists === "unknown") throw new Error(`${name} is unknown`);
      }
    }),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  check("phishwatch", found);
  return { seconds, cpuMicroseconds: user + system };
}

function check(who: string, found: Set<string>): void {
  const missing = [...existing].filter((name) => !found.has(name));
  const wrong = [...found].filter((name) => !existing.has(name));
  if (missing.length + wrong.length === 0) return;
  throw new Error(
    `${who} missed ${missing.join(", ") || "none"} and found ${wrong.join(", ") || "none"} too many`,
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
  // A suffix exists by what is registered below it.
  const zones: Zones = Object.fromEntries(
    names.map((name) => [`nic.${name.slice(name.indexOf(".") + 1)}`, {}]),
  );
  for (const name of [...existing, values.domain])
    zones[name] = { A: ["192.0.2.1"], NS: [`ns1.${name}`], MX: [[10, `mail.${name}`]] };
  const script = join(import.meta.dir, "dns-server-process.ts");
  const child = Bun.spawn([process.execPath, script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  await child.stdin.write(JSON.stringify({ ...server, zones }));
  await child.stdin.end();
  const first = await child.stdout.getReader().read();
  if (first.done) throw new Error(`no name server on ${server.address}:${server.port}: run it as root`);
  return () => child.kill();
}
