import { severities, type Severity, type Status } from "../../platform/vocabulary/threats.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { SiteState } from "../../platform/vocabulary/site.ts";
import type { Columns } from "./columns/columns.ts";
import { isActiveKind, kindCount, kinds } from "./columns/kinds.ts";
import { timeAt } from "./arrays/numbers.ts";
import { writeKeys } from "./columns/sort-keys.ts";
import type { FoundThreat } from "./database-lookups.ts";
import { newestFirst, type Slice } from "./filter.ts";
import { neighborsOf } from "./neighbors.ts";
import { keysFor, sortedByNameMax, sortedSlice, type Matches, type OrderedMatches } from "./match-rows.ts";

/** The matches of one campaign, or one match without a campaign. */
export interface ThreatGroup extends Omit<RowGroup, "firstRow" | "protectedDomainSeqs"> {
  /** The match that comes first in the order of the list. */
  first: FoundThreat;
  /** A-label form. */
  protectedDomains: string[];
}

/** The same by row. */
interface RowGroup {
  /** The match that comes first in the order of the list. */
  firstRow: number;
  /** Number of the campaign (`threats.campaign_seq`); null: none. */
  campaignSeq: number | null;
  /** Number of matches. */
  count: number;
  statuses: Partial<Record<Status, number>>;
  /** Matches whose state is not determined are left out. */
  siteStates: Partial<Record<SiteState, number>>;
  /** The highest one. */
  severity: Severity;
  /** When the newest match was first seen. */
  newestAt: Instant;
  /** By number, in ascending order. */
  protectedDomainSeqs: number[];
  /** The earliest due time of the active matches, in whole seconds; null: none. */
  dueAt: Instant | null;
}

export interface GroupedSlice {
  rows: RowGroup[];
  groupTotal: number;
  /** Number of campaigns with several matches. */
  campaignTotal: number;
}

/**
 * Returns a slice of the groups, in the order of their first matches, and the number of groups. Takes two passes over
 * the matches, and one over the first match of each group.
 */
export function groupedSlice({ slice, ...all }: OrderedMatches & { slice: Slice }): GroupedSlice {
  const { firsts, campaignTotal } = firstOfEach(all);
  const rows = sortedSlice({ ...groupsOf(all, firsts), slice });
  return { rows: describeGroups(all.columns, all.matches, rows), groupTotal: firsts.length, campaignTotal };
}

/**
 * Returns the position of the group of a row, from 1. A row that does not match has the position of the group of its
 * campaign, or else of the group where its sort key would place it.
 */
export function positionOfGroup({ row, ...all }: OrderedMatches & { row: number }): number {
  const { campaigns } = all.columns;
  const { firsts } = firstOfEach(all);
  const campaign = campaigns[row] ?? 0;
  const first = campaign === 0 ? row : (firsts.find((one) => campaigns[one] === campaign) ?? row);
  const { position } = neighborsOf({ ...groupsOf(all, firsts), row: first });
  return Math.max(1, Math.min(position, firsts.length));
}

/** Returns the first matches in the order of their groups. */
function groupsOf({ matches, order, ...shared }: OrderedMatches, firsts: Int32Array): OrderedMatches {
  // Too many matches to sort them by name are too many for their groups as well, so that both have the same order.
  const isTooMany = order.key === "name" && matches.count > sortedByNameMax;
  return {
    ...shared,
    matches: { ...matches, rows: firsts, count: firsts.length },
    order: isTooMany ? newestFirst : order,
  };
}

/** Returns the first match of each group, in ascending order, and the number of groups with several matches. */
export function firstOfEach({
  columns,
  matches: { rows, count },
  order: { key, descending },
  buffers,
}: OrderedMatches): { firsts: Int32Array; campaignTotal: number } {
  const { campaigns, campaignNumbers, names } = columns;
  /** By number of the campaign: its first match so far; -1: none. */
  const firsts = new Int32Array(campaignNumbers.count()).fill(-1);
  if (key === "name" && count <= sortedByNameMax) {
    for (let index = 0; index < count; index += 1) {
      const row = rows[index] ?? 0;
      const campaign = campaigns[row] ?? 0;
      if (campaign === 0) continue;
      const first = firsts[campaign] ?? 0;
      const isFirst = first === -1 || (names.get(row) < names.get(first) ? !descending : descending);
      if (isFirst) firsts[campaign] = row;
    }
  } else {
    const keys = keysFor(buffers, count);
    writeKeys(columns, key === "name" ? "first_seen" : key, rows, count, keys);
    const best = new Float64Array(firsts.length);
    const takesGreater = descending || key === "name";
    for (let index = 0; index < count; index += 1) {
      const campaign = campaigns[rows[index] ?? 0] ?? 0;
      if (campaign === 0) continue;
      const own = keys[index] ?? 0;
      // Rows ascend, so of equal keys the last one is the greatest.
      if (
        firsts[campaign] !== -1 &&
        (takesGreater ? own < (best[campaign] ?? 0) : own >= (best[campaign] ?? 0))
      )
        continue;
      firsts[campaign] = rows[index] ?? 0;
      best[campaign] = own;
    }
  }
  const found = new Int32Array(count);
  let groups = 0;
  let campaignTotal = 0;
  /** By number of the campaign: its matches, up to 2. */
  const counts = new Uint8Array(firsts.length);
  for (let index = 0; index < count; index += 1) {
    const row = rows[index] ?? 0;
    const campaign = campaigns[row] ?? 0;
    if (campaign === 0 || firsts[campaign] === row) found[groups++] = row;
    if (campaign === 0 || counts[campaign] === 2) continue;
    counts[campaign]! += 1;
    if (counts[campaign] === 2) campaignTotal += 1;
  }
  return { firsts: found.subarray(0, groups), campaignTotal };
}

/** Returns what the groups with these first matches contain, in the same order. */
export function describeGroups(
  columns: Columns,
  { rows, count }: Matches,
  firsts: readonly number[],
): RowGroup[] {
  const { campaigns, campaignNumbers, kindNumbers, firstSeen, protectedDomainSeqs, dueAt } = columns;
  /** By number of the campaign: the index of its group, plus one; 0: its group is not in the slice. */
  const places = new Uint16Array(campaignNumbers.count());
  const ofKind = new Uint32Array(firsts.length * (kindCount + 1));
  const newestAt = new Float64Array(firsts.length);
  const due = new Float64Array(firsts.length).fill(Infinity);
  const domains = firsts.map(() => new Set<number>());
  const lastDomain = new Float64Array(firsts.length).fill(-1);

  function add(index: number, row: number): void {
    const kind = kindNumbers[row] ?? 0;
    ofKind[index * (kindCount + 1) + kind]! += 1;
    newestAt[index] = Math.max(newestAt[index] ?? 0, timeAt(firstSeen, row));
    if (dueAt[row] !== 0 && isActiveKind[kind] === 1 && (dueAt[row] ?? 0) < (due[index] ?? 0))
      due[index] = dueAt[row] ?? 0;
    const domain = protectedDomainSeqs[row] ?? 0;
    // Consecutive threats of a campaign mostly aim at one protected domain.
    if (domain === lastDomain[index]) return;
    domains[index]!.add(domain);
    lastDomain[index] = domain;
  }

  for (const [index, row] of firsts.entries()) {
    const campaign = campaigns[row] ?? 0;
    if (campaign === 0) add(index, row);
    else places[campaign] = index + 1;
  }
  for (let index = 0; index < count; index += 1) {
    const row = rows[index] ?? 0;
    const place = places[campaigns[row] ?? 0] ?? 0;
    if (place !== 0) add(place - 1, row);
  }
  return firsts.map((firstRow, index) => ({
    firstRow,
    campaignSeq: campaignNumbers.seqAt(campaigns[firstRow] ?? 0),
    ...countsOf(ofKind.subarray(index * (kindCount + 1), (index + 1) * (kindCount + 1))),
    newestAt: newestAt[index] ?? 0,
    protectedDomainSeqs: [...domains[index]!].sort((a, b) => a - b),
    dueAt: due[index] === Infinity ? null : (due[index] ?? 0) * 1000,
  }));
}

/** @param ofKind number of matches by kind */
function countsOf(ofKind: Uint32Array): Pick<RowGroup, "count" | "statuses" | "siteStates" | "severity"> {
  const statuses: RowGroup["statuses"] = {};
  const siteStates: RowGroup["siteStates"] = {};
  let count = 0;
  let severity: Severity = "low";
  for (let number = 0; number < kindCount; number += 1) {
    const total = ofKind[number] ?? 0;
    if (total === 0) continue;
    const kind = kinds[number]!;
    count += total;
    statuses[kind.status] = (statuses[kind.status] ?? 0) + total;
    if (kind.siteState !== null) siteStates[kind.siteState] = (siteStates[kind.siteState] ?? 0) + total;
    if (severities.indexOf(kind.severity) < severities.indexOf(severity)) severity = kind.severity;
  }
  return { count, statuses, siteStates, severity };
}

/** Reads the threats and the protected domains of groups; groups whose first threat was just deleted are left out. */
export function withThreats(
  { seqs }: Columns,
  groups: readonly RowGroup[],
  {
    load,
    domains,
  }: {
    load: (seqs: readonly number[]) => FoundThreat[];
    /** Returns all protected domains. */
    domains: () => { seq: number; domain: string }[];
  },
): ThreatGroup[] {
  const bySeq = new Map(
    load(groups.map(({ firstRow }) => seqs.at(firstRow))).map((threat) => [threat.seq, threat]),
  );
  const names = new Map(domains().map(({ seq, domain }) => [seq, domain]));
  return groups.flatMap(({ firstRow, protectedDomainSeqs, ...group }) => {
    const first = bySeq.get(seqs.at(firstRow));
    const protectedDomains = protectedDomainSeqs.flatMap((seq) => names.get(seq) ?? []);
    return first === undefined ? [] : { ...group, first, protectedDomains };
  });
}
