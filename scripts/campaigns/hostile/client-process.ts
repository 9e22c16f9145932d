// Looks up hostile inputs with the product's modules: client-process.ts PORT SUBJECT FROM COUNT CONCURRENCY. It prints one
// line of JSON: the longest turn of the event loop, and the memory before and after.
import { readFileSync } from "node:fs";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createPageReader } from "../../../src/facts/lookups/page/page-reader.ts";
import { createRegistrationLookup } from "../../../src/facts/lookups/registration/registration-lookup.ts";
import { rdapServices } from "../../../src/facts/lookups/registration/rdap-services.ts";
import { createDnsClient } from "../../../src/platform/network/dns/dns-client.ts";
import { createHttpClient } from "../../../src/platform/network/http/http-client.ts";
import { createTurns } from "../../../src/platform/network/turns.ts";
import { domainOf, harmlessName, type Subject } from "./inputs.ts";
import { startLoopMeter, type Gap } from "./loop-meter.ts";

/** Figures of one process. */
export interface ClientFigures extends Gap {
  /** Longest turn before the first input, while nothing was to do. */
  idleMs: number;
  /** Growth of the largest resident memory over that of harmless pages. */
  peakBytes: number;
}

const timeoutMs = 1_500;
const idleForMs = 300;
const receiverBodyBytesMax = 65_536;
const harmlessRounds = 2;

const [port = 0, , from = 0, count = 0, concurrency = 1] = process.argv.slice(2).map(Number);
const subject = process.argv[3] as Subject;
const rules = { allowPrivateNetworks: true };
const resolveHost = async () => ["127.0.0.1"];
const turns = createTurns();
const shared = { clock: systemClock, rules, resolveHost, turns, timeoutMs };
const userAgent = "campaign";
const pages = createPageReader({ ...shared, ports: { http: port, https: 1 } });
const registrations = createRegistrationLookup({
  ...shared,
  userAgent,
  rdapServices: rdapServices(subject === "rdap" ? [["com", `http://rdap.example:${port}/`]] : []),
  whoisServerFor: () => `whois.example:${port}`,
  intervalMs: 0,
});
const dns = createDnsClient({
  clock: systemClock,
  fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  resolvers: () => [{ address: "127.0.0.1", port }],
  queriesPerSecond: () => 10_000,
  timeoutMs: 200,
});
const client = createHttpClient({ rules, resolveHost, turns });

async function lookUp(name: string): Promise<void> {
  if (subject === "page")
    await pages.read({
      address: name,
      protectedDomains: ["example-bank.com"],
      brandNames: ["example-bank"],
    });
  else if (subject === "dns") await dns.query(name, "TXT");
  else if (subject === "receiver")
    await client.send({
      url: `http://${name}:${port}/hook`,
      method: "POST",
      headers: {},
      body: Buffer.from("{}"),
      timeoutMs,
      bodyBytesMax: receiverBodyBytesMax,
    });
  else await registrations.lookUpRegistration(name);
}

const peakBytes = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "latin1"))![1]) * 1_024;

// Loads what is loaded on demand.
await lookUp("unknown.com");
// Any pages of this size take 90 MiB at first, also one at a time: for compiled code, and a heap that has grown to it.
for (let left = subject === "page" ? harmlessRounds : 0; left > 0; left -= 1)
  await Promise.all(Array.from({ length: concurrency }, () => lookUp(harmlessName)));
const meter = startLoopMeter();
await new Promise((resolve) => setTimeout(resolve, idleForMs));
const idleMs = meter.take().elapsedMs;
const peakBefore = peakBytes();
let next = from;
const work = async () => {
  while (next < from + count) await lookUp(domainOf(subject, next++));
};
await Promise.all(Array.from({ length: concurrency }, work));
const figures: ClientFigures = { ...meter.take(), idleMs, peakBytes: peakBytes() - peakBefore };
console.log(JSON.stringify(figures));
process.exit(0);
