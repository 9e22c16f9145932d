import type { Database } from "../database/database.ts";
import { foldLabel } from "../detection/names/fold.ts";
import type { Instant } from "../lib/clock.ts";
import type { Pacer } from "../lib/pacer.ts";
import { createColumnSummary, type ColumnSummary } from "./column-summary.ts";
import { goneKind, kindNumberOf, type Kind } from "./kinds.ts";
import { createNamesInMemory, type NamesInMemory } from "./names-in-memory.ts";
import type { SeverityReason } from "../threats/severity-reasons.ts";
import { indicatorBits } from "./indicators.ts";
import { keyFunction, numberKeys } from "./sort-keys.ts";

const batchRows = 2_000;
const firstCapacity = 1 << 12;

/**
 * What the console's list is filtered and ordered by, of all threats, in typed arrays: some 100 bytes a threat,
 * its name among them. No set of indexes answers every combination of seven filters and five orders quickly, and
 * each makes every insert dearer; a look at a million numbers in a row takes milliseconds, counts exactly and
 * costs writers nothing.
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
  /** Bits; see `indicators.ts`. */
  readonly indicators: Uint8Array;
  readonly names: NamesInMemory;
  readonly summary: ColumnSummary;
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
    // The first time, or after so long that what has changed since is no longer known. Until all is read anew,
    // searches see what there was.
    const isLost = state.touchVersion === undefined || (least !== null && least > state.touchVersion + 1);
    const to = isLost ? emptyState(firstCapacity) : state;
    to.touchVersion ??= most ?? 0;
    for (;;) {
      const rows = rowsAfter.all(to.count === 0 ? 0 : to.seqs[to.count - 1]!, batchRows);
      if (rows.length === 0) break;
      for (const row of rows) append(to, row);
      if (pacer.due()) await pacer.pause();
    }
    for (;;) {
      const touches = touchesAfter.all(to.touchVersion, batchRows);
      if (touches.length === 0) break;
      for (const { threatSeq } of touches) readAgain(to, threatSeq);
      to.touchVersion = touches.at(-1)!.version;
      if (pacer.due()) await pacer.pause();
    }
    state = to;
  }

  function readAgain(to: State, seq: number): void {
    const place = placeOf(to, seq);
    if (place === undefined) return;
    const row = rowOfSeq.get(seq);
    to.summary.count(to.protectedDomainSeqs[place]!, to.kindNumbers[place]!, -1);
    if (row === null) to.kindNumbers[place] = goneKind;
    else write(to, place, row);
    to.summary.count(to.protectedDomainSeqs[place]!, to.kindNumbers[place]!, 1);
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
    get indicators() {
      return state.indicators;
    },
    get names() {
      return state.names;
    },
    get summary() {
      return state.summary;
    },
  };
}

type State = ReturnType<typeof emptyState>;

function emptyState(capacity: number) {
  const columns = emptyColumns(capacity);
  return {
    count: 0,
    /** Of the last touch that was taken over; undefined: nothing was read yet. */
    touchVersion: undefined as number | undefined,
    names: createNamesInMemory({ fold: foldName }),
    summary: createColumnSummary(),
    keys: keysOver(columns),
    ...columns,
  };
}

function emptyColumns(capacity: number) {
  return {
    seqs: new Float64Array(capacity),
    kindNumbers: new Uint16Array(capacity),
    protectedDomainSeqs: new Uint32Array(capacity),
    firstSeen: new Float64Array(capacity),
    statusChangedAt: new Float64Array(capacity),
    similarities: new Uint16Array(capacity),
    indicators: new Uint8Array(capacity),
  };
}

function enlarge(state: State): void {
  const larger = emptyColumns(state.count * 2);
  for (const name of Object.keys(larger) as (keyof typeof larger)[]) larger[name].set(state[name]);
  Object.assign(state, larger, { keys: keysOver(larger) });
}

function keysOver(columns: ReturnType<typeof emptyColumns>) {
  return numberKeys.map((key) => ({ key, of: keyFunction(columns, key) }));
}

function append(to: State, row: Row): void {
  if (to.count === to.seqs.length) enlarge(to);
  const place = to.count;
  to.seqs[place] = row.seq;
  to.protectedDomainSeqs[place] = row.protectedDomainSeq;
  to.names.add(row.domain);
  write(to, place, row);
  to.summary.count(row.protectedDomainSeq, to.kindNumbers[place]!, 1);
  to.count += 1;
}

function write(to: State, place: number, row: Row): void {
  to.kindNumbers[place] = kindNumberOf(row);
  to.firstSeen[place] = row.firstSeen;
  to.statusChangedAt[place] = row.statusChangedAt;
  to.similarities[place] = Math.round(row.similarity * 10_000);
  to.indicators[place] = indicatorBits(JSON.parse(row.severityReasons) as SeverityReason[]);
  for (const { key, of } of to.keys) to.summary.widen(place, key, of(place));
}

function placeOf({ seqs, count }: State, seq: number): number | undefined {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (seqs[middle]! < seq) low = middle + 1;
    else high = middle;
  }
  return low < count && seqs[low] === seq ? low : undefined;
}

function foldName(name: string): string {
  return name
    .split(".")
    .map((label) => foldLabel(label)[0]!.folded)
    .join(".");
}
