import { foldLabel } from "../../detection/names/fold.ts";
import type { Instant } from "../../lib/clock.ts";
import { createColumnSummary, type ColumnSummary } from "./column-summary.ts";
import { hostFields, networkOf, operatorOf, type HostField } from "./hosts.ts";
import { deletedKind, kindNumberOf, kinds, type Kind } from "./kinds.ts";
import { grown } from "./grown.ts";
import { createNameColumn, type NameColumn, type NameContent } from "./name-column.ts";
import { keyFunction, numberKeys, type NumberKey } from "./sort-keys.ts";
import { createSeqNumbers, type SeqNumbers } from "./seq-numbers.ts";
import { createValueNumbers, type ValueNumbers } from "./value-numbers.ts";

const initialCapacity = 1 << 12;
/** Similarities are stored as ten-thousandths, their precision. */
export const similarityUnits = 10_000;

/** Finding an operator takes a microsecond, and most rows share a few hundred name servers. */
const nameServersRememberedMax = 100_000;

/** Marks a verified threat among the bits of its indicators, which do not use it. */
export const verifiedBit = 1 << 7;

/** All threats in the order of `seq`, one array per field; only the first `count` elements are in use. */
export interface Columns {
  readonly count: number;
  readonly seqs: Float64Array;
  /** Numbers of `kinds`; `deletedKind` for a deleted threat. */
  readonly kindNumbers: Uint16Array;
  readonly protectedDomainSeqs: Uint32Array;
  readonly firstSeen: Float64Array;
  readonly statusChangedAt: Float64Array;
  readonly changedAt: Float64Array;
  /** First decisions; 0: undecided. */
  readonly decidedAt: Float64Array;
  /** Due times in whole seconds; 0: none. */
  readonly dueAt: Uint32Array;
  /** Numbers of `assigneeNumbers`; 0: nobody. */
  readonly assignees: Uint16Array;
  readonly assigneeNumbers: SeqNumbers;
  /** Numbers of `campaignNumbers`; 0: none. */
  readonly campaigns: Uint32Array;
  readonly campaignNumbers: SeqNumbers;
  /** In `similarityUnits`. */
  readonly similarities: Uint16Array;
  /** Bit sets: those of `indicators.ts`, and `verifiedBit`. */
  readonly indicators: Uint8Array;
  /** Numbers of `hosts`; 0: unknown. */
  readonly registrar: Uint32Array;
  readonly nameServers: Uint32Array;
  readonly network: Uint32Array;
  readonly hosts: Readonly<Record<HostField, ValueNumbers>>;
  readonly names: NameColumn;
  readonly summary: ColumnSummary;
}

/** Columns that rows can be written to. */
export interface MutableColumns extends Arrays {
  count: number;
  readonly hosts: Readonly<Record<HostField, ValueNumbers>>;
  readonly assigneeNumbers: SeqNumbers;
  readonly campaignNumbers: SeqNumbers;
  readonly names: NameColumn;
  readonly summary: ColumnSummary;
  /** Key functions over the present arrays, by sort key. */
  keys: { key: NumberKey; keyOf: (row: number) => number }[];
}

export type Arrays = ReturnType<typeof createArrays>;

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
  /** With exactly one element per row. */
  arrays: Arrays;
  hosts: Record<HostField, readonly string[]>;
  /** `seq` by number, from 1. */
  assignees: readonly number[];
  campaigns: readonly number[];
  names: NameContent;
}

/** @param content rows to begin with; call `summarize` for them */
export function createColumns(content?: ColumnContent): MutableColumns {
  const arrays = content?.arrays ?? createArrays(initialCapacity);
  const known = (field: HostField) => (content === undefined ? {} : { known: content.hosts[field] });
  return {
    count: content?.arrays.seqs.length ?? 0,
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
    names: createNameColumn({ fold: foldName, content: content?.names }),
    summary: createColumnSummary(),
    keys: keysOver(arrays),
    ...arrays,
  };
}

/** Adds rows to the aggregates. */
export function summarize(columns: MutableColumns, from: number, end: number): void {
  for (let index = from; index < end; index += 1) {
    countRow(columns, index, 1);
    widen(columns, index);
  }
}

export function createArrays(capacity: number) {
  return {
    seqs: new Float64Array(capacity),
    kindNumbers: new Uint16Array(capacity),
    protectedDomainSeqs: new Uint32Array(capacity),
    firstSeen: new Float64Array(capacity),
    statusChangedAt: new Float64Array(capacity),
    changedAt: new Float64Array(capacity),
    decidedAt: new Float64Array(capacity),
    dueAt: new Uint32Array(capacity),
    assignees: new Uint16Array(capacity),
    campaigns: new Uint32Array(capacity),
    registrar: new Uint32Array(capacity),
    nameServers: new Uint32Array(capacity),
    network: new Uint32Array(capacity),
    similarities: new Uint16Array(capacity),
    indicators: new Uint8Array(capacity),
  };
}

function grow(columns: MutableColumns): void {
  const larger = createArrays(grown(columns.count));
  for (const name of Object.keys(larger) as (keyof Arrays)[]) larger[name].set(columns[name]);
  Object.assign(columns, larger, { keys: keysOver(larger) });
}

function keysOver(arrays: Arrays): MutableColumns["keys"] {
  return numberKeys.map((key) => ({ key, keyOf: keyFunction(arrays, key) }));
}

/** @param row with a greater `seq` than all rows before. */
export function appendRow(columns: MutableColumns, row: ThreatRow): void {
  if (columns.count === columns.seqs.length) grow(columns);
  const index = columns.count;
  columns.seqs[index] = row.seq;
  columns.protectedDomainSeqs[index] = row.protectedDomainSeq;
  columns.names.add(row.domain);
  write(columns, index, row);
  countRow(columns, index, 1);
  columns.count += 1;
}

/** Overwrites the fields of a row that can change; undefined: the threat was deleted. */
export function updateRow(columns: MutableColumns, index: number, row: ThreatRow | undefined): void {
  countRow(columns, index, -1);
  if (row === undefined) columns.kindNumbers[index] = deletedKind;
  else write(columns, index, row);
  countRow(columns, index, 1);
}

/** Records in the aggregates that a row has its present fields (1), or no longer (-1). */
function countRow(columns: MutableColumns, index: number, by: 1 | -1): void {
  const { summary, protectedDomainSeqs, assignees, kindNumbers, indicators, hosts } = columns;
  const kind = kindNumbers[index]!;
  const protectedDomainSeq = protectedDomainSeqs[index]!;
  const assignee = assignees[index]!;
  summary.count({ protectedDomainSeq, assignee, kind, bits: indicators[index]! }, by);
  if (kinds[kind]?.status === "active")
    for (const field of hostFields) hosts[field].count(columns[field][index]!, by);
}

function write(columns: MutableColumns, index: number, row: ThreatRow): void {
  columns.kindNumbers[index] = kindNumberOf(row);
  columns.firstSeen[index] = row.firstSeen;
  columns.statusChangedAt[index] = row.statusChangedAt;
  columns.changedAt[index] = row.changedAt;
  columns.decidedAt[index] = row.decidedAt ?? 0;
  columns.dueAt[index] = row.dueAt === null ? 0 : dueSeconds(row.dueAt);
  columns.assignees[index] = columns.assigneeNumbers.numberOf(row.assigneeSeq);
  columns.campaigns[index] = columns.campaignNumbers.numberOf(row.campaignSeq);
  const { hosts } = columns;
  columns.registrar[index] = hosts.registrar.numberOf(row.registrar);
  columns.nameServers[index] = hosts.nameServers.numberOf(row.nameServer);
  columns.network[index] = hosts.network.numberOf(row.ipAddress);
  columns.similarities[index] = Math.round(row.similarity * similarityUnits);
  columns.indicators[index] = row.indicators | (row.verified === 1 ? verifiedBit : 0);
  widen(columns, index);
}

/** Records the sort keys of a row in the aggregates. */
function widen({ keys, summary, decidedAt }: MutableColumns, index: number): void {
  for (const { key, keyOf } of keys) summary.widen(index, key, keyOf(index));
  if (decidedAt[index] !== 0) summary.widen(index, "decided", decidedAt[index]!);
}

/** Returns the row of a threat; undefined if it has none. */
export function rowOfSeq(columns: Columns, seq: number): number | undefined {
  const row = firstRowFrom(columns, seq);
  return row < columns.count && columns.seqs[row] === seq ? row : undefined;
}

/** Returns the first row with this `seq` or a greater one by binary search; `count` if there is none. */
export function firstRowFrom({ seqs, count }: Columns, seq: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (seqs[middle]! < seq) low = middle + 1;
    else high = middle;
  }
  return low;
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
