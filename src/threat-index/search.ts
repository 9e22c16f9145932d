import { eq, inArray } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { protectedDomains } from "../domains/tables.ts";
import type { Instant } from "../lib/clock.ts";
import type { Pacer } from "../lib/pacer.ts";
import { createThreatColumns } from "./columns.ts";
import { facetsOf, wantedKindsOf } from "./facets.ts";
import { kindCount, kinds, type Kind } from "./kinds.ts";
import type { NameSearch } from "./names-in-memory.ts";
import { selectRows } from "./select-rows.ts";
import { indicatorBit, type Indicator } from "./indicators.ts";
import { keyFunction, writeKeys, type SortKey } from "./sort-keys.ts";
import { threats } from "../threats/tables.ts";
import { blockRows, topRows } from "./top-rows.ts";
import {
  severities,
  type Severity,
  type Source,
  type Status,
  type ThreatType,
} from "../vocabulary/threats.ts";

/** Which threats a person looks for; what is absent does not restrict, all else has to hold. */
export interface SearchFilter {
  /** A-label form. */
  protectedDomain?: string | undefined;
  status?: Status | undefined;
  severity?: Severity | undefined;
  type?: ThreatType | undefined;
  source?: Source | undefined;
  indicator?: Indicator | undefined;
  text?: NameSearch | undefined;
  /** First seen from this moment on. */
  from?: Instant | undefined;
  /** First seen before this moment. */
  before?: Instant | undefined;
  minSimilarity?: number | undefined;
}

export { sortKeys, type SortKey } from "./sort-keys.ts";

/** Equal ones by first seen. */
export interface SearchOrder {
  key: SortKey;
  descending: boolean;
}

/** Sorting by name compares letters; above so many the list stays in the order of first seen. */
export const sortedByNameMax = 10_000;

export type FoundThreat = Awaited<ReturnType<ThreatSearch["search"]>>["threats"][number];
export type ThreatSearch = ReturnType<typeof createThreatSearch>;

const dayMs = 86_400_000;
const warmUpRuns = 4;
/** Pages that end after so many are looked for among all that match. */
const nearMax = 1_000;

const foundColumns = {
  seq: threats.seq,
  id: threats.id,
  domain: threats.domain,
  protectedDomain: protectedDomains.domain,
  type: threats.type,
  status: threats.status,
  severity: threats.severity,
  similarity: threats.similarity,
  source: threats.source,
  reasons: threats.reasons,
  severityReasons: threats.severityReasons,
  firstSeen: threats.firstSeen,
  statusChangedAt: threats.statusChangedAt,
  ipAddress: threats.ipAddress,
  registrar: threats.registrar,
  screenshotToken: threats.screenshotToken,
};

/** The console's look at all threats: any filter, any order, exact numbers. */
export function createThreatSearch({ database, pacer }: { database: Database; pacer: () => Pacer }) {
  const { query } = database;
  const columns = createThreatColumns(database);
  let prepared = false;
  // Room for the rows that match and their keys; each search is done with them before the next begins.
  let rowsRoom = new Int32Array(0);
  let keysRoom = new Float64Array(0);

  /** Rows of `columns` that match, ascending, and how many match of each kind, filters by kind left aside. */
  function match(filter: SearchFilter): { rows: Int32Array; count: number; ofKind: Uint32Array } {
    const ofKind = new Uint32Array(kindCount + 1);
    const domainSeq = filter.protectedDomain === undefined ? -1 : domainSeqOf(filter.protectedDomain);
    if (domainSeq === undefined) return { rows: new Int32Array(0), count: 0, ofKind };
    const wantedKinds = wantedKindsOf(filter);
    const found = filter.text && columns.names.search(filter.text);
    const { from = -Infinity, before = Infinity, indicator, minSimilarity = 0 } = filter;
    const leastSimilarity = Math.round(minSimilarity * 10_000);
    const wantedIndicators = indicator === undefined ? 0 : indicatorBit(indicator);
    const { kindNumbers, protectedDomainSeqs, firstSeen, similarities, indicators } = columns;
    const total = columns.count;
    if (rowsRoom.length < total) {
      rowsRoom = new Int32Array(total + (total >> 2));
      keysRoom = new Float64Array(rowsRoom.length);
    }
    const rows = rowsRoom;
    let count = 0;
    for (let row = 0; row < total; row += 1) {
      if (row % blockRows === 0 && !mayHoldTimes(row / blockRows, from, before)) {
        row += blockRows - 1;
        continue;
      }
      if (domainSeq !== -1 && protectedDomainSeqs[row] !== domainSeq) continue;
      if (found !== undefined && found[row] === 0) continue;
      if (similarities[row]! < leastSimilarity) continue;
      if ((indicators[row]! & wantedIndicators) !== wantedIndicators) continue;
      const seen = firstSeen[row]!;
      if (seen < from || seen >= before) continue;
      const kind = kindNumbers[row]!;
      ofKind[kind]! += 1;
      if (wantedKinds[kind] === 1) rows[count++] = row;
    }
    return { rows, count, ofKind };
  }

  /** Whether a threat of this block can have been first seen from `from` on and before `before`. */
  function mayHoldTimes(block: number, from: Instant, before: Instant): boolean {
    const { summary } = columns;
    return summary.greatest("first_seen")[block]! >= from && summary.least("first_seen")[block]! < before;
  }

  function domainSeqOf(domain: string): number | undefined {
    return query
      .select({ seq: protectedDomains.seq })
      .from(protectedDomains)
      .where(eq(protectedDomains.domain, domain))
      .get()?.seq;
  }

  /**
   * The same as `match` and `inOrder`, for a page near the beginning of a view whose numbers are known: instead of a
   * million rows it looks at those of a few blocks. Undefined where that does not serve.
   */
  function nearBeginning(filter: SearchFilter, { key, descending }: SearchOrder, end: number) {
    const { text, from, before, indicator, minSimilarity, protectedDomain } = filter;
    if ([text, from, before, indicator, minSimilarity].some((value) => value !== undefined)) return undefined;
    if (end > nearMax || key === "name") return undefined;
    const domainSeq = protectedDomain === undefined ? undefined : domainSeqOf(protectedDomain);
    const ofKind = columns.summary.ofKind(protectedDomain === undefined ? undefined : (domainSeq ?? 0));
    const wantedKinds = wantedKindsOf(filter);
    let count = 0;
    for (let kind = 0; kind < kindCount; kind += 1) count += wantedKinds[kind] === 1 ? ofKind[kind]! : 0;
    const { kindNumbers, protectedDomainSeqs, summary } = columns;
    const rows = topRows({
      count: columns.count,
      bounds: descending ? summary.greatest(key) : summary.least(key),
      matches:
        domainSeq === undefined
          ? (row) => wantedKinds[kindNumbers[row]!] === 1
          : (row) => protectedDomainSeqs[row] === domainSeq && wantedKinds[kindNumbers[row]!] === 1,
      keyOf: keyFunction(columns, key),
      limit: Math.min(end, count),
      ascending: !descending,
    });
    return { rows, count, ofKind };
  }

  function inOrder(
    rows: Int32Array,
    count: number,
    { key, descending }: SearchOrder,
    { offset, limit }: { offset: number; limit: number },
  ): number[] {
    if (key === "name" && count <= sortedByNameMax) {
      const named = Array.from(rows.subarray(0, count), (row) => ({ row, name: columns.names.get(row) }));
      named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.row - b.row));
      if (descending) named.reverse();
      return named.slice(offset, offset + limit).map(({ row }) => row);
    }
    const keys = keysRoom;
    writeKeys(columns, key === "name" ? "first_seen" : key, rows, count, keys);
    if (descending || key === "name") return selectRows({ rows, keys, count, offset, limit });
    const end = Math.min(count, offset + limit);
    // The same stretch from the other end.
    return selectRows({ rows, keys, count, offset: count - end, limit: Math.max(0, end - offset) }).reverse();
  }

  /** The rows of one stretch of a view, in order, with the numbers of the whole view. */
  function view(filter: SearchFilter, order: SearchOrder, stretch: { offset: number; limit: number }) {
    const near = nearBeginning(filter, order, stretch.offset + stretch.limit);
    if (near !== undefined) return { ...near, rows: near.rows.slice(stretch.offset) };
    const { rows, count, ofKind } = match(filter);
    return { rows: inOrder(rows, count, order, stretch), count, ofKind };
  }

  function load(rows: readonly number[]) {
    const seqs = rows.map((row) => columns.seqs[row]!);
    const loaded = query
      .select(foundColumns)
      .from(threats)
      .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
      .where(inArray(threats.seq, seqs))
      .all();
    const bySeq = new Map(loaded.map((threat) => [threat.seq, threat]));
    return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
  }

  return {
    /**
     * Reads what has to be read before the first search: 2 s of work among a million threats, in slices. Then
     * the loops run some times over real numbers, for until they are compiled they take ten times as long.
     */
    async prepare(): Promise<void> {
      if (prepared) return;
      prepared = true;
      await columns.catchUp(pacer());
      for (let run = 0; run < warmUpRuns; run += 1) {
        const { rows, count } = match({});
        inOrder(rows, count, { key: "severity", descending: true }, { offset: 0, limit: 1 });
        await pacer().pause();
      }
    },

    /** One page; `total` and `facets` are exact. `lastSeq`: of the newest threat that there is, matching or not. */
    async search(
      filter: SearchFilter,
      order: SearchOrder,
      { page, perPage }: { page: number; perPage: number },
    ) {
      await columns.catchUp(pacer());
      const offset = (page - 1) * perPage;
      const { rows, count, ofKind } = view(filter, order, { offset, limit: perPage });
      return {
        threats: load(rows),
        total: count,
        facets: facetsOf(ofKind, filter),
        lastSeq: columns.count === 0 ? 0 : columns.seqs[columns.count - 1]!,
        /** False: too many to be sorted by name; they are by first seen, newest first. */
        sortedAsAsked: order.key !== "name" || count <= sortedByNameMax,
      };
    },

    /** Ids of all that match, first those that the list shows first; none that was made after `lastSeq`. */
    async ids(filter: SearchFilter, order: SearchOrder, { max, lastSeq }: { max: number; lastSeq: number }) {
      await columns.catchUp(pacer());
      const { rows, count } = match(filter);
      let known = count;
      while (known > 0 && columns.seqs[rows[known - 1]!]! > lastSeq) known -= 1;
      return load(inOrder(rows, known, order, { offset: 0, limit: max })).map(({ id }) => id);
    },

    /** First seen on each of `days` days (UTC), the last of which begins at `lastDay`, by severity. */
    async byDay(lastDay: Instant, days: number) {
      await columns.catchUp(pacer());
      const start = lastDay - (days - 1) * dayMs;
      const perDay = new Uint32Array(days * severities.length);
      const { firstSeen, kindNumbers, count } = columns;
      for (let row = 0; row < count; row += 1) {
        if (row % blockRows === 0 && !mayHoldTimes(row / blockRows, start, Infinity)) {
          row += blockRows - 1;
          continue;
        }
        const seen = firstSeen[row]! - start;
        if (seen < 0 || seen >= days * dayMs) continue;
        const severity = severityIndexes[kindNumbers[row]!]!;
        if (severity !== -1) perDay[Math.floor(seen / dayMs) * severities.length + severity]! += 1;
      }
      return Array.from({ length: days }, (_, day) => ({
        day: start + day * dayMs,
        ...(Object.fromEntries(
          severities.map((severity, index) => [severity, perDay[day * severities.length + index]!]),
        ) as Record<Severity, number>),
      }));
    },

    /** How many threats there are of each kind. */
    async byKind(): Promise<(Kind & { total: number })[]> {
      await columns.catchUp(pacer());
      const ofKind = columns.summary.ofKind(undefined);
      return kinds.flatMap((kind, number) =>
        ofKind[number]! > 0 ? { ...kind, total: ofKind[number]! } : [],
      );
    },
  };
}

/** By number of the kind; the last is that of a deleted threat. */
const severityIndexes = [...kinds.map(({ severity }) => severities.indexOf(severity)), -1];
