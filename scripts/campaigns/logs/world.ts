import type { LogProtocol } from "../../../src/engines/certificate-transparency/log.ts";
import type { EntryOptions } from "../../../test/support/log-entries.ts";
import { randomFrom, type Random } from "../../benchmarks/random.ts";

/** Content of the logs, which the campaign and its log server derive from the same seed. */
export interface World {
  logs: readonly { name: string; protocol: LogProtocol; size: number }[];
  planted: readonly Planted[];
  entryAt(log: number, index: number): EntryOptions;
}

/** A certificate with a look-alike, which several logs contain. */
export interface Planted {
  name: string;
  /** Hexadecimal. */
  serial: string;
}

export interface WorldOptions {
  seed: number;
  logs: number;
  entries: number;
  planted: number;
  /** Milliseconds since the Unix epoch: time of the entries. */
  startedAt: number;
}

export const protectedDomain = "example-bank.com";
/** Logs that contain a planted certificate: two with the precertificate, the others with the final one. */
const placesMin = 2;
const placesMax = 4;
/** Average interval between entries that contain no certificate. */
const nonsenseEvery = 1_000;
const nonsenseBytesMax = 300;
const wildcardEvery = 20;
const radix = 36;
const serialDigits = 8;

export function createWorld({ seed, logs: count, entries, planted: plants, startedAt }: WorldOptions): World {
  const random = randomFrom(seed);
  const mean = entries / count;
  // Pairs of sizes add up to twice the mean, and the first log gets the rest.
  const sizes = Array.from({ length: count }, () => Math.floor(mean));
  sizes[0]! += entries - Math.floor(mean) * count;
  for (let index = 0; index + 1 < count; index += 2) {
    const difference = Math.floor(mean * 0.7 * random.unit());
    sizes[index]! += difference;
    sizes[index + 1]! -= difference;
  }
  const logs = sizes.map((size, index) => ({
    name: `log${index}`,
    protocol: index % 2 === 0 ? ("static" as const) : ("rfc6962" as const),
    size,
  }));

  const planted = Array.from({ length: plants }, (_, index) => ({
    name: `example-bank-ct${index}.com`,
    // A serial number has no leading zeros.
    serial: `02${index.toString(16).padStart(serialDigits, "0")}`,
  }));
  const placed = new Map<string, EntryOptions>();
  for (const { name, serial } of planted) {
    const places = placesMin + random.below(placesMax - placesMin + 1);
    for (const [order, log] of pickLogs(random, count, places).entries()) {
      const key = freePlace(random, placed, log, sizes[log]!);
      const kind = order < placesMin ? "precertificate" : "certificate";
      placed.set(key, {
        names: [name, "www.unrelated.example"],
        serial,
        issuer: "Campaign CA",
        kind,
        timestamp: startedAt,
      });
    }
  }

  return {
    logs,
    planted,
    entryAt: (log, index) => placed.get(keyOf(log, index)) ?? usualEntry({ seed, log, index, startedAt }),
  };
}

function usualEntry({
  seed,
  log,
  index,
  startedAt,
}: {
  seed: number;
  log: number;
  index: number;
  startedAt: number;
}): EntryOptions {
  const random = randomFrom(seed ^ Math.imul(log + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  const label = `q${random.below(2 ** 31).toString(radix)}`;
  const kind = random.below(2) === 0 ? "precertificate" : "certificate";
  const serial = `01${random
    .below(2 ** 31)
    .toString(16)
    .padStart(serialDigits, "0")}`;
  const common = { kind, serial, timestamp: startedAt } as const;
  if (random.below(nonsenseEvery) === 0) {
    const bytes = Uint8Array.from({ length: 1 + random.below(nonsenseBytesMax) }, () => random.below(256));
    return { ...common, bytes };
  }
  const name = random.below(wildcardEvery) === 0 ? `*.${label}.example` : `${label}.example`;
  return { ...common, names: random.below(4) === 0 ? [name, `www.${label}.example`] : [name] };
}

function pickLogs(random: Random, count: number, places: number): number[] {
  const picked = new Set<number>();
  while (picked.size < Math.min(places, count)) picked.add(random.below(count));
  return [...picked];
}

function freePlace(random: Random, placed: ReadonlyMap<string, unknown>, log: number, size: number): string {
  for (;;) {
    const key = keyOf(log, random.below(size));
    if (!placed.has(key)) return key;
  }
}

function keyOf(log: number, index: number): string {
  return `${log} ${index}`;
}
