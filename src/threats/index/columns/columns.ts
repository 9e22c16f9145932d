import { foldLabel } from "../../../engines/detection/names/fold.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { createColumnSummary, type ColumnSummary } from "./column-summary.ts";
import { arraysOf, capacityFor, createFields, type Fields } from "./fields.ts";
import { hostFields, networkOf, operatorOf, type HostField } from "./hosts.ts";
import { deletedKind, kindNumberOf, kinds, type Kind } from "./kinds.ts";
import { createNameColumn, type InternationalizedName, type NameColumn } from "./name-column.ts";
import type { NameTextContent } from "./name-text.ts";
import { enlarged, setTime, timeAt, withNumber } from "../arrays/numbers.ts";
import { createSeqNumbers, type SeqNumbers } from "../arrays/seq-numbers.ts";
import { createSeqRuns, type SeqRunContent, type SeqRuns } from "../arrays/seq-runs.ts";
import { numberKeys, sortKeyAt } from "./sort-keys.ts";
import { createValueNumbers, type ValueNumbers } from "../arrays/value-numbers.ts";

/** Similarities are stored as ten-thousandths, their precision. */
export const similarityUnits = 10_000;

/** Finding an operator takes a microsecond, and most rows share a few hundred name servers. */
const nameServersRememberedMax = 100_000;

/** Marks a verified threat among the bits of its indicators, which do not use it. */
export const verifiedBit = 1 << 7;

/** Rows up to which the room doubles. */
const doubledMax = 1 << 18;

/**
 * All threats in the order of `seq`. An array for each field, of which the first `count` elements are in use. Arrays of
 * `Numbers` are replaced by wider ones when a greater number is written.
 */
export type Columns = Readonly<Omit<MutableColumns, "count">> & { readonly count: number };

/** Columns that rows can be written to. */
export interface MutableColumns extends Fields {
  count: number;
  readonly seqs: SeqRuns;
  readonly hosts: Readonly<Record<HostField, ValueNumbers>>;
  readonly assigneeNumbers: SeqNumbers;
  readonly campaignNumbers: SeqNumbers;
  /** Times of first decisions after which the status has changed again; see `decisions`. */
  readonly earlierDecisions: Instant[];
  readonly names: NameColumn;
  readonly summary: ColumnSummary;
}

/** A threat as the index needs it. */
export interface ThreatRow extends Kind {
  seq: number;
  protectedDomainSeq: number;
  /** A-label form. */
  domain: string;
  /** 0 to 1. */
  similarity: number;
  /** Bits of `indicators.ts`. */
  indicators: number;
  /** 1 if the threat is verified, else 0. */
  verified: number;
  firstSeen: Instant;
  statusChangedAt: Instant;
  changedAt: Instant;
  decidedAt: Instant | null;
  dueAt: Instant | null;
  assigneeSeq: number | null;
  campaignSeq: number | null;
  registrar: string | null;
  nameServer: string | null;
  ipAddress: string | null;
}

/** The content of columns, without what can be computed from it. */
export interface ColumnContent {
  count: number;
  fields: Fields;
  seqs: SeqRunContent;
  hosts: Record<HostField, readonly string[]>;
  /** `seq` by number, from 1. */
  assignees: readonly number[];
  campaigns: readonly number[];
  earlierDecisions: readonly Instant[];
  names: { text: NameTextContent; internationalized: readonly InternationalizedName[] };
}

/** @param content rows to begin with; call `summarize` for them */
export function createColumns(content?: ColumnContent): MutableColumns {
  const known = (field: HostField) => (content === undefined ? {} : { known: content.hosts[field] });
  return {
    count: content?.count ?? 0,
    seqs: createSeqRuns(content?.seqs),
    hosts: {
      registrar: createValueNumbers(known("registrar")),
      nameServers: createValueNumbers({
        toValue: operatorOf,
        textsRememberedMax: nameServersRememberedMax,
        ...known("nameServers"),
      }),
      network: createValueNumbers({ toValue: networkOf, ...known("network") }),
    },
    assigneeNumbers: createSeqNumbers(content?.assignees),
    campaignNumbers: createSeqNumbers(content?.campaigns),
    earlierDecisions: [...(content?.earlierDecisions ?? [])],
    names: createNameColumn(foldName, content?.names),
    summary: createColumnSummary(),
    ...(content?.fields ?? createFields(capacityFor(0))),
  };
}

/** Makes room for more rows. Copies one array per slice, because all together are hundreds of megabytes. */
export async function makeRoom(columns: MutableColumns, rows: number, yielder: Yielder): Promise<void> {
  const needed = columns.count + rows;
  if (needed <= columns.indicators.length) return;
  const capacity = capacityFor(Math.max(needed, Math.min(columns.count * 2, doubledMax)));
  for (const array of arraysOf(columns)) {
    // Longer already, if the last attempt failed.
    if (array.get().length < capacity) array.set(enlarged(array.get(), capacity));
    if (yielder.due()) await yielder.pause();
  }
}

/** Appends a row, and adds it to the aggregates; see `appendUncounted`. */
export function appendRow(columns: MutableColumns, row: ThreatRow): void {
  const index = columns.count;
  appendUncounted(columns, row);
  widen(columns, index);
  countRow(columns, index, 1);
  if (row.decidedAt !== null) columns.summary.decisions.changed(row.decidedAt);
}

/**
 * Appends a row without adding it to the aggregates (`summarize`).
 * @param row with a greater `seq` than all rows before. There must be room for it (`makeRoom`).
 */
export function appendUncounted(columns: MutableColumns, row: ThreatRow): void {
  const index = columns.count;
  columns.seqs.append(row.seq);
  columns.protectedDomainSeqs = withNumber(columns.protectedDomainSeqs, index, row.protectedDomainSeq);
  columns.names.add(row.domain);
  write(columns, index, row);
  columns.count += 1;
}

/** Overwrites the fields of a row that can change; undefined: the threat was deleted. */
export function updateRow(columns: MutableColumns, index: number, row: ThreatRow | undefined): void {
  const { firstSeen, summary } = columns;
  const [seen, decided] = [timeAt(firstSeen, index), decidedAt(columns, index)];
  countRow(columns, index, -1);
  if (row === undefined) columns.kindNumbers[index] = deletedKind;
  else {
    write(columns, index, row);
    widen(columns, index);
  }
  countRow(columns, index, 1);
  const present = decidedAt(columns, index);
  if (row !== undefined && present === decided && timeAt(firstSeen, index) === seen) return;
  summary.decisions.changed(decided);
  summary.decisions.changed(present);
}

/** Records in the aggregates that a row has its present fields (1), or no longer (-1). */
function countRow(columns: MutableColumns, index: number, by: 1 | -1): void {
  const { summary, protectedDomainSeqs, assignees, kindNumbers, indicators, hosts } = columns;
  const kind = kindNumbers[index] ?? 0;
  const protectedDomainSeq = protectedDomainSeqs[index] ?? 0;
  summary.count({ protectedDomainSeq, kind }, by);
  summary.days.count(timeAt(columns.firstSeen, index), protectedDomainSeq, kind, by);
  summary.countBits({ bits: indicators[index] ?? 0, kind }, by);
  summary.countAssignee({ assignee: assignees[index] ?? 0, kind }, by);
  if (kinds[kind]?.status === "active")
    for (const field of hostFields) hosts[field].count(columns[field][index] ?? 0, by);
}

function write(columns: MutableColumns, index: number, row: ThreatRow): void {
  const { assigneeNumbers, campaignNumbers, hosts } = columns;
  const dueAt = row.dueAt === null ? 0 : dueSeconds(row.dueAt);
  columns.kindNumbers[index] = kindNumberOf(row);
  setTime(columns.firstSeen, index, row.firstSeen);
  setTime(columns.statusChangedAt, index, row.statusChangedAt);
  setTime(columns.changedAt, index, row.changedAt);
  columns.decisions = withNumber(columns.decisions, index, decisionOf(columns, index, row));
  columns.dueAt = withNumber(columns.dueAt, index, dueAt);
  columns.assignees = withNumber(columns.assignees, index, assigneeNumbers.numberOf(row.assigneeSeq));
  columns.campaigns = withNumber(columns.campaigns, index, campaignNumbers.numberOf(row.campaignSeq));
  columns.registrar = withNumber(columns.registrar, index, hosts.registrar.numberOf(row.registrar));
  columns.nameServers = withNumber(columns.nameServers, index, hosts.nameServers.numberOf(row.nameServer));
  columns.network = withNumber(columns.network, index, hosts.network.numberOf(row.ipAddress));
  columns.similarities[index] = Math.round(row.similarity * similarityUnits);
  columns.indicators[index] = row.indicators | (row.verified === 1 ? verifiedBit : 0);
}

/** Returns the element of `decisions` for a row. */
function decisionOf({ decisions, earlierDecisions }: MutableColumns, index: number, row: ThreatRow): number {
  if (row.decidedAt === null) return 0;
  if (row.decidedAt === row.statusChangedAt) return 1;
  const present = decisions[index] ?? 0;
  const place = present < 2 ? earlierDecisions.length : present - 2;
  earlierDecisions[place] = row.decidedAt;
  return place + 2;
}

/** Returns the time of the first decision; 0: undecided. */
export function decidedAt({ decisions, earlierDecisions, statusChangedAt }: Columns, row: number): Instant {
  const decision = decisions[row] ?? 0;
  if (decision === 0) return 0;
  return decision === 1 ? timeAt(statusChangedAt, row) : (earlierDecisions[decision - 2] ?? 0);
}

/** Records the sort keys of a row in the aggregates. */
function widen(columns: MutableColumns, index: number): void {
  const { summary } = columns;
  for (const key of numberKeys) summary.widen(index, key, sortKeyAt(columns, key, index));
  const decided = decidedAt(columns, index);
  if (decided !== 0) summary.widen(index, "decided", decided);
  summary.widen(index, "campaign", columns.campaigns[index] ?? 0);
}

/** Returns the row of a threat; undefined if it has none. */
export function rowOfSeq({ count, seqs }: Columns, seq: number): number | undefined {
  const row = seqs.rowFrom(seq);
  return row < count && seqs.at(row) === seq ? row : undefined;
}

/** Returns a due time in the unit of its column, which holds times until 2106. */
function dueSeconds(dueAt: Instant): number {
  return Math.min(2 ** 32 - 1, Math.max(1, Math.floor(dueAt / 1000)));
}

function foldName(name: string): string {
  return name
    .split(".")
    .map((label) => foldLabel(label)[0]!.folded)
    .join(".");
}
