import type { Database } from "../../../platform/database/database.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { indicatorBits } from "../../threats/severity/indicators.ts";
import type { SeverityReason } from "../../threats/severity/severity-reasons.ts";
import { createChangeLog } from "../../threats/store/change-log.ts";
import type { ColumnFile } from "./column-file.ts";
import {
  appendRow,
  appendUncounted,
  createColumns,
  makeRoom,
  rowOfSeq,
  updateRow,
  type Columns,
  type MutableColumns,
  type ThreatRow,
} from "../columns/columns.ts";
import { summarize } from "../columns/summarize.ts";

const batchRows = 2_000;
/** Texts of severity reasons; one takes some hundred bytes. */
const textsRememberedMax = 2_000;
/** A copy of millions of threats is hundreds of megabytes. */
const savedEveryMs = 3_600_000;

/** A copy of the columns in a file, from which they are read after a start. */
export interface ColumnCopy {
  file: ColumnFile;
  /** Minimum number of rows: fewer are read from the database about as fast. */
  rowsMin: number;
  /** Minimum number of changes since the last copy. */
  changesMin: number;
  /** Whether this process writes the copy. */
  isKept: () => boolean;
  /** Monotonic clock. */
  elapsedMs: () => number;
  /** Receives the error of a copy that could not be read. Then the columns are read from the database. */
  onLoadError: (error: unknown) => void;
  /** Receives the error of a copy that could not be written. */
  onSaveError: (error: unknown) => void;
}

type StoredRow = Omit<ThreatRow, "indicators"> & { severityReasons: string };

const columnsRead = `seq, protected_domain_seq as protectedDomainSeq, domain, type, status, severity, similarity, source,
  severity_reasons as severityReasons, verified, first_seen as firstSeen, status_changed_at as statusChangedAt,
  changed_at as changedAt, decided_at as decidedAt, due_at as dueAt, assignee_seq as assigneeSeq,
  campaign_seq as campaignSeq, site_state as siteState, registrar, name_server as nameServer, ip_address as ipAddress`;

/**
 * Keeps the columns of all threats in step with the database, whichever process writes to it.
 *
 * New threats are found by their `seq`, which only grows; changed and deleted ones in the change log
 * (`change-log.ts`), which holds the latest 100,000 changes.
 */
export function createColumnStore({ prepare }: Pick<Database, "prepare">, copy?: ColumnCopy) {
  const rowsAfter = prepare<StoredRow, [number, number]>(
    `select ${columnsRead} from threats where seq > ? order by seq limit ?`,
  );
  const rowBySeq = prepare<StoredRow, [number]>(`select ${columnsRead} from threats where seq = ?`);
  const total = prepare<{ threats: number }>(
    "select coalesce(sum(total), 0) as threats from threat_counts where protected_domain_seq = 0",
  );
  const log = createChangeLog({ prepare });
  const withIndicators = createIndicatorReader();

  let columns = createColumns();
  /** Last change that was read; undefined before the first read. */
  let version: number | undefined;
  /** Reads run one after another, since each changes the columns over several turns of the event loop. */
  let lastRead: Promise<void> = Promise.resolve();
  /** Rows and changes that were read since the last copy. */
  let unsaved = 0;
  let lastSaveMs = -Infinity;
  let isSaving = false;

  async function load(yielder: Yielder): Promise<void> {
    const loaded = await copy?.file.load(yielder).catch(copy.onLoadError);
    if (loaded !== undefined) ({ columns, version } = loaded);
  }

  function saveIfDue(yielder: Yielder): void {
    if (copy === undefined || isSaving || !copy.isKept() || columns.count < copy.rowsMin) return;
    if (unsaved < copy.changesMin || copy.elapsedMs() - lastSaveMs < savedEveryMs) return;
    unsaved = 0;
    lastSaveMs = copy.elapsedMs();
    isSaving = true;
    copy.file
      .save({ columns, version: version! }, yielder)
      .catch(copy.onSaveError)
      .finally(() => (isSaving = false));
  }

  async function readNews(yielder: Yielder): Promise<void> {
    if (version === undefined) await load(yielder);
    const { first, last } = log.bounds();
    // The first read, or the log no longer reaches back to the last one. Until everything is read again,
    // searches use the old columns.
    const startsOver = version === undefined || (first !== null && first > version + 1);
    const target = startsOver ? createColumns() : columns;
    let reached = startsOver ? (last ?? 0) : version!;
    // At once, because room for a few more rows at a time takes a copy of all arrays each time.
    if (startsOver) await makeRoom(target, total.get()!.threats, yielder);
    const append = startsOver ? appendUncounted : appendRow;
    for (;;) {
      const rows = rowsAfter.all(target.count === 0 ? 0 : target.seqs.at(target.count - 1), batchRows);
      if (rows.length === 0) break;
      await makeRoom(target, rows.length, yielder);
      for (const row of rows) append(target, withIndicators(row));
      unsaved += rows.length;
      if (yielder.due()) await yielder.pause();
    }
    if (startsOver) await summarize(target, yielder);
    for (;;) {
      const changes = log.after(reached, batchRows);
      if (changes.length === 0) break;
      for (const { threatSeq } of changes) {
        refresh(target, threatSeq);
        // A batch of 1,000 takes 10 to 30 ms, because the commit of another thread empties the page cache.
        if (yielder.due()) await yielder.pause();
      }
      unsaved += changes.length;
      reached = changes.at(-1)!.version;
      if (!startsOver) version = reached;
    }
    columns = target;
    version = reached;
  }

  function refresh(target: MutableColumns, seq: number): void {
    const index = rowOfSeq(target, seq);
    if (index === undefined) return;
    const row = rowBySeq.get(seq);
    updateRow(target, index, row === undefined ? undefined : withIndicators(row));
  }

  return {
    /**
     * Reads what was written since the last call and resolves to the current columns; the first call reads all
     * threats. The columns may be read until the next `await`.
     */
    catchUp(yielder: Yielder): Promise<Columns> {
      // A call during a read gets another read after it, since something may have been written in between.
      // A failure is reported to the caller whose read it was.
      const read = lastRead.catch(() => {}).then(() => readNews(yielder));
      lastRead = read;
      return read.then(() => {
        saveIfDue(yielder);
        return columns;
      });
    },
  };
}

/** Returns a function that adds the bits of its indicators to a row. Most rows share a few thousand texts. */
function createIndicatorReader() {
  const remembered = new Map<string, number>();
  return (row: StoredRow): ThreatRow => {
    let indicators = remembered.get(row.severityReasons);
    if (indicators === undefined) {
      indicators = indicatorBits(JSON.parse(row.severityReasons) as SeverityReason[]);
      if (remembered.size < textsRememberedMax) remembered.set(row.severityReasons, indicators);
    }
    return Object.assign(row, { indicators });
  };
}
