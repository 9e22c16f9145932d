import type { Database } from "../database/database.ts";
import { foldLabel } from "../detection/fold.ts";
import { threatTypes } from "../detection/types.ts";
import type { Instant } from "../lib/clock.ts";
import type { Pacer } from "../lib/pacer.ts";
import { createNamesInMemory, type NamesInMemory } from "./names-in-memory.ts";
import { signBits } from "./signs.ts";
import {
  severities,
  sources,
  statuses,
  type Severity,
  type Source,
  type Status,
  type ThreatType,
} from "./values.ts";

/** Every combination of type, status, severity and source has a number below this. */
export const kindCount = threatTypes.length * statuses.length * severities.length * sources.length;
/** The kind of a threat that is no more. */
const gone = kindCount;

const batchRows = 2_000;
const firstCapacity = 1 << 12;

export interface Kind {
  type: ThreatType;
  status: Status;
  severity: Severity;
  source: Source;
}

export const kinds: readonly Kind[] = threatTypes.flatMap((type) =>
  statuses.flatMap((status) =>
    severities.flatMap((severity) => sources.map((source) => ({ type, status, severity, source }))),
  ),
);
const kindNumbers = new Map(kinds.map((kind, number) => [keyOf(kind), number]));

/**
 * What the console's list is filtered and ordered by, of all threats, in typed arrays: 60 bytes a threat.
 * No set of indexes answers every combination of seven filters and five orders quickly, and each makes every
 * insert dearer; a look at a million numbers in a row takes 2 ms, counts exactly and costs writers nothing.
 * Rows stand in the order of `seq`.
 */
export interface ThreatColumns {
  /** Takes over what was written since the last call, by this process or another; the first call reads all. */
  catchUp(pacer: Pacer): Promise<void>;
  readonly count: number;
  readonly seqs: Float64Array;
  /** Numbers of `kinds`; `kindCount` for a deleted threat. */
  readonly kindNumbers: Uint16Array;
  readonly protectedDomainSeqs: Uint32Array;
  readonly firstSeen: Float64Array;
  readonly statusChangedAt: Float64Array;
  /** Ten-thousandths. */
  readonly similarities: Uint16Array;
  /** See `signs.ts`. */
  readonly signs: Uint8Array;
  readonly names: NamesInMemory;
}

interface Row extends Kind {
  seq: number;
  protectedDomainSeq: number;
  domain: string;
  similarity: number;
  severityReasons: string;
  firstSeen: Instant;
  statusChangedAt: Instant;
}

const columnsRead = `seq, protected_domain_seq as protectedDomainSeq, domain, type, status, severity, similarity, source,
  severity_reasons as severityReasons, first_seen as firstSeen, status_changed_at as statusChangedAt`;

export function createThreatColumns({ sqlite }: Database): ThreatColumns {
  const rowsAfter = sqlite.prepare<Row, [number, number]>(
    `select ${columnsRead} from threats where seq > ? order by seq limit ?`,
  );
  const rowOfSeq = sqlite.prepare<Row, [number]>(`select ${columnsRead} from threats where seq = ?`);
  const touchVersions = sqlite.prepare<{ least: number | null; most: number | null }, []>(
    "select min(version) as least, max(version) as most from (select min(version) as version from threat_touches union all select max(version) from threat_touches)",
  );
  const touchesAfter = sqlite.prepare<{ version: number; threatSeq: number }, [number, number]>(
    "select version, threat_seq as threatSeq from threat_touches where version > ? order by version limit ?",
  );

  let state = emptyState(firstCapacity);
  /** One at a time: the state is changed between two turns of the event loop. */
  let running: Promise<void> | undefined;

  async function readOn(pacer: Pacer): Promise<void> {
    const { least, most } = touchVersions.get()!;
    if (state.touchVersion === undefined || (least !== null && least > state.touchVersion + 1)) {
      // The first time, or so long ago that what has changed since is no longer known.
      state = emptyState(firstCapacity);
      state.touchVersion = most ?? 0;
    }
    for (;;) {
      const rows = rowsAfter.all(state.count === 0 ? 0 : state.seqs[state.count - 1]!, batchRows);
      if (rows.length === 0) break;
      for (const row of rows) append(row);
      if (pacer.due()) await pacer.pause();
    }
    for (;;) {
      const touches = touchesAfter.all(state.touchVersion!, batchRows);
      if (touches.length === 0) break;
      for (const { threatSeq } of touches) readAgain(threatSeq);
      state.touchVersion = touches.at(-1)!.version;
      if (pacer.due()) await pacer.pause();
    }
  }

  function append(row: Row): void {
    if (state.count === state.seqs.length) state = enlarged(state);
    const place = state.count;
    state.seqs[place] = row.seq;
    state.protectedDomainSeqs[place] = row.protectedDomainSeq;
    state.names.add(row.domain);
    write(place, row);
    state.count += 1;
  }

  function write(place: number, row: Row): void {
    state.kindNumbers[place] = kindNumbers.get(keyOf(row)) ?? gone;
    state.firstSeen[place] = row.firstSeen;
    state.statusChangedAt[place] = row.statusChangedAt;
    state.similarities[place] = Math.round(row.similarity * 10_000);
    state.signs[place] = signBits(row.severityReasons);
  }

  function readAgain(seq: number): void {
    const place = placeOf(seq);
    if (place === undefined) return;
    const row = rowOfSeq.get(seq);
    if (row === null) state.kindNumbers[place] = gone;
    else write(place, row);
  }

  function placeOf(seq: number): number | undefined {
    let low = 0;
    let high = state.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (state.seqs[middle]! < seq) low = middle + 1;
      else high = middle;
    }
    return low < state.count && state.seqs[low] === seq ? low : undefined;
  }

  return {
    catchUp(pacer) {
      // Whoever comes while it runs gets another turn after it, for something may have been written meanwhile.
      const next = (running ?? Promise.resolve()).catch(() => {}).then(() => readOn(pacer));
      running = next;
      return next;
    },
    get count() {
      return state.count;
    },
    get seqs() {
      return state.seqs;
    },
    get kindNumbers() {
      return state.kindNumbers;
    },
    get protectedDomainSeqs() {
      return state.protectedDomainSeqs;
    },
    get firstSeen() {
      return state.firstSeen;
    },
    get statusChangedAt() {
      return state.statusChangedAt;
    },
    get similarities() {
      return state.similarities;
    },
    get signs() {
      return state.signs;
    },
    get names() {
      return state.names;
    },
  };
}

function emptyState(capacity: number) {
  return {
    count: 0,
    /** Of the last touch that was taken over; undefined: nothing was read yet. */
    touchVersion: undefined as number | undefined,
    seqs: new Float64Array(capacity),
    kindNumbers: new Uint16Array(capacity),
    protectedDomainSeqs: new Uint32Array(capacity),
    firstSeen: new Float64Array(capacity),
    statusChangedAt: new Float64Array(capacity),
    similarities: new Uint16Array(capacity),
    signs: new Uint8Array(capacity),
    names: createNamesInMemory({ fold: foldName }),
  };
}

function enlarged(state: ReturnType<typeof emptyState>): ReturnType<typeof emptyState> {
  const larger = emptyState(state.count * 2);
  larger.count = state.count;
  larger.touchVersion = state.touchVersion;
  larger.names = state.names;
  larger.seqs.set(state.seqs);
  larger.kindNumbers.set(state.kindNumbers);
  larger.protectedDomainSeqs.set(state.protectedDomainSeqs);
  larger.firstSeen.set(state.firstSeen);
  larger.statusChangedAt.set(state.statusChangedAt);
  larger.similarities.set(state.similarities);
  larger.signs.set(state.signs);
  return larger;
}

function keyOf({ type, status, severity, source }: Kind): string {
  return `${type} ${status} ${severity} ${source}`;
}

function foldName(name: string): string {
  return name
    .split(".")
    .map((label) => foldLabel(label)[0]!.folded)
    .join(".");
}
