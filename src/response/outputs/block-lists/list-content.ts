import type { Instant } from "../../../platform/lib/clock.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { isPageOnSharedHost } from "../../../threats/threats/shared-hosts.ts";
import { allowedBelow, isListable } from "./coverage.ts";
import type { DomainView } from "./domain-view.ts";
import { combine, type List, type ListedName, type ListedThreat } from "./list.ts";
import type { MatchingThreat, MatchingThreats } from "./matching-threats.ts";

/** Content of a list at one moment, without the time of its change. */
interface BuiltContent {
  rows: readonly ListedName[];
  allowed: readonly string[];
  digest: string;
  /** Time at which the first of the names becomes too old; Infinity: none ever does. */
  expiresAt: Instant;
}

/** Collects the names of one list and follows the changes. */
export interface ContentBuilder {
  /** Returns whether the content last built still holds, apart from its age. */
  isCurrent(): boolean;
  /** Number of threats in memory. */
  readonly size: number;
  /** Must not run twice at the same time. */
  build(now: Instant, yielder: Yielder): Promise<BuiltContent>;
}

/** Names in one list. Beyond it, the oldest are left out: resolvers hold every name in memory. */
const listNamesMax = 500_000;
/** Names between two checks of the time. */
const stepNames = 256;

interface HashedRow {
  row: ListedName;
  /** The two halves of a hash of the row, 32 bits each. */
  low: number;
  high: number;
}

interface Entry {
  name: string;
  threats: ListedThreat[];
  /** The row of all its threats; undefined after a change. */
  row: HashedRow | undefined;
  isListed: boolean;
}

/**
 * A change of one threat among 100,000 must not cost what the first reading of all costs, so the names stay in memory,
 * sorted, with what is known about each.
 *
 * The digest contains the sum of the hashes of all rows. To hash all rows again would take most of the time of a change.
 *
 * @param secret keys the hashes, so that an attacker cannot choose names whose hashes cancel each other out
 * @param version of the program: another one may render the same names differently
 */
export function createContentBuilder({
  domains: { own, nameOf },
  filter: { maxAgeMs, protectedDomains },
  matching,
  secret,
  version,
}: {
  domains: DomainView;
  filter: Pick<List, "maxAgeMs" | "protectedDomains">;
  matching: MatchingThreats;
  secret: string;
  version: string;
}): ContentBuilder {
  const seed = new Bun.CryptoHasher("sha256").update(`${version} ${secret}`).digest().readBigUInt64BE();
  const wanted = new Set(protectedDomains);
  let byName = new Map<string, Entry>();
  let bySeq = new Map<number, Entry>();
  let sorted: Entry[] = [];
  /** Entries that are not among the sorted ones yet. */
  let added: Entry[] = [];

  function restart(): void {
    byName = new Map();
    bySeq = new Map();
    sorted = [];
    added = [];
  }

  function add({ seq, name, protectedDomainSeq, type, severity, firstSeen }: MatchingThreat): void {
    remove(seq);
    const protectedDomain = nameOf.get(protectedDomainSeq);
    if (protectedDomain === undefined || (wanted.size > 0 && !wanted.has(protectedDomain))) return;
    let entry = byName.get(name);
    if (entry === undefined) {
      if (!isListable(name, own)) return;
      entry = { name, threats: [], row: undefined, isListed: false };
      byName.set(name, entry);
      added.push(entry);
    }
    entry.threats.push({ seq, protectedDomain, type, severity, firstSeen });
    entry.row = undefined;
    bySeq.set(seq, entry);
  }

  function remove(seq: number): void {
    const entry = bySeq.get(seq);
    if (entry === undefined) return;
    bySeq.delete(seq);
    entry.threats = entry.threats.filter((threat) => threat.seq !== seq);
    entry.row = undefined;
  }

  async function sortAdded(yielder: Yielder): Promise<void> {
    if (added.length === 0) return;
    const wereAdded = await sortInSteps(added, yielder);
    sorted = await merge(sorted, wereAdded, yielder);
    added = [];
  }

  async function collect(now: Instant, yielder: Yielder) {
    const seenAfter = maxAgeMs === null ? -Infinity : now - maxAgeMs;
    const kept: Entry[] = [];
    const rows: ListedName[] = [];
    let oldest = Infinity;
    let [low, high] = [0, 0];
    for (let index = 0; index < sorted.length; index += 1) {
      if (index % stepNames === 0 && yielder.due()) await yielder.pause();
      const entry = sorted[index]!;
      const listed = rowOf(entry, seenAfter, seed);
      entry.isListed = listed !== undefined;
      if (listed !== undefined) {
        rows.push(listed.row);
        oldest = Math.min(oldest, listed.row.firstSeen);
        low = (low + listed.low) >>> 0;
        high = (high + listed.high) >>> 0;
      }
      if (entry.threats.length > 0) kept.push(entry);
      else byName.delete(entry.name);
    }
    sorted = kept;
    const expiresAt = maxAgeMs === null ? Infinity : oldest + maxAgeMs;
    return { rows: newest(rows, byName), expiresAt, hash: `${rows.length} ${high} ${low}` };
  }

  return {
    isCurrent: () => matching.isCurrent(),
    get size() {
      return bySeq.size;
    },
    async build(now, yielder) {
      const matches = (found: readonly MatchingThreat[]) => found.filter(isUsable).forEach(add);
      await matching.catchUp({ restart, matches, ends: remove }, yielder);
      await sortAdded(yielder);
      const { rows, expiresAt, hash } = await collect(now, yielder);
      const allowed = allowedBelow(own, (name) => byName.get(name)?.isListed === true);
      const digest = Bun.SHA256.hash(`${seed} ${hash} ${allowed.join(" ")}`, "hex");
      return { rows, allowed, digest, expiresAt };
    },
  };
}

function isUsable({ name, type }: MatchingThreat): boolean {
  return !isPageOnSharedHost({ type, domain: name });
}

/** Returns the row of the threats that are not too old. */
function rowOf(entry: Entry, seenAfter: Instant, seed: bigint): HashedRow | undefined {
  const { name, threats } = entry;
  if (threats.length === 0) return undefined;
  const all = (entry.row ??= hashed(combine(name, threats), seed));
  if (all.row.firstSeen > seenAfter) return all;
  const fresh = threats.filter(({ firstSeen }) => firstSeen > seenAfter);
  return fresh.length === 0 ? undefined : hashed(combine(name, fresh), seed);
}

function hashed(row: ListedName, seed: bigint): HashedRow {
  const { name, protectedDomains, type, severity, firstSeen } = row;
  const hash = Bun.hash.wyhash(
    `${name} ${protectedDomains.join(",")} ${type} ${severity} ${firstSeen}`,
    seed,
  );
  return { row, low: Number(hash & 0xffff_ffffn), high: Number(hash >> 32n) };
}

/** Leaves out the oldest of too many names. */
function newest(rows: ListedName[], byName: ReadonlyMap<string, Entry>): ListedName[] {
  if (rows.length <= listNamesMax) return rows;
  const times = Float64Array.from(rows, ({ firstSeen }) => firstSeen).sort();
  const from = times[rows.length - listNamesMax]!;
  const kept = rows.filter(({ firstSeen }) => firstSeen >= from).slice(-listNamesMax);
  const names = new Set(kept.map(({ name }) => name));
  for (const { name } of rows) if (!names.has(name)) byName.get(name)!.isListed = false;
  return kept;
}

const byNameAscending = (a: Entry, b: Entry) => (a.name < b.name ? -1 : 1);

async function sortInSteps(entries: readonly Entry[], yielder: Yielder): Promise<Entry[]> {
  let runs: Entry[][] = [];
  for (let at = 0; at < entries.length; at += stepNames) {
    runs.push(entries.slice(at, at + stepNames).sort(byNameAscending));
    if (yielder.due()) await yielder.pause();
  }
  while (runs.length > 1) {
    const merged: Entry[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(at + 1 < runs.length ? await merge(runs[at]!, runs[at + 1]!, yielder) : runs[at]!);
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge(left: readonly Entry[], right: readonly Entry[], yielder: Yielder): Promise<Entry[]> {
  const merged: Entry[] = [];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const takesLeft = r === right.length || (l < left.length && left[l]!.name < right[r]!.name);
    merged.push(takesLeft ? left[l++]! : right[r++]!);
    if (merged.length % stepNames === 0 && yielder.due()) await yielder.pause();
  }
  return merged;
}
