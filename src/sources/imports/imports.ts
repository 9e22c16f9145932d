import type { AuditDetail } from "../../access/audit/actions.ts";
import type { Actor } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Database } from "../../database/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { badRequest } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { visible } from "../../lib/safe-text.ts";
import type { ListFormat } from "../../vocabulary/lists.ts";
import type { Tally } from "../candidate-run.ts";
import type { Candidates, ProcessOptions } from "../candidates.ts";
import type { NameBatch } from "../name-batch.ts";
import type { Source, SourceStatus } from "../source.ts";
import { boundedStream } from "./bounded-stream.ts";
import { countsOf, createImportRun, type Running } from "./import-run.ts";
import { createImportStore } from "./import-store.ts";
import type { ListImport } from "./tables.ts";

/** Maximum size of an upload, before decompression. Larger lists belong in the folder of a feed. */
export const importBytesMax = 1 << 30;

const tooLong =
  `is larger than ${importBytesMax / 2 ** 30} GiB; split it, compress it, ` +
  "use 'phishwatch import', or put it into the folder of a feed";

export interface ListToImport {
  /** File name; null for names that were typed in. */
  name: string | null;
  /** Plain text, gzip or Zstandard; read once, no faster than its names are processed. */
  content: ReadableStream<Uint8Array>;
  /** Length of the content; null if unknown. */
  bytesTotal: number | null;
  format: ListFormat;
  /** csv, jsonl: field that holds the name; empty: the usual one. */
  column: string;
}

/** Imports lists that people upload, one at a time. An import that ends early keeps what it found. */
export interface Imports extends Source {
  /** Marks imports as failed that a crash left running. */
  start(): void;
  /** Cancels the running import at its next yield. */
  stop(): Promise<void>;
  /**
   * Starts to read a list. `ended` never rejects: the outcome is in the import.
   * @throws PublicError `bad_request`: another import is running, or the list is too long.
   */
  begin(list: ListToImport, options: { by: Actor }): { import: ListImport; ended: Promise<ListImport> };
  /** Returns whether this import was running. */
  cancel(seq: number, options: { by: Actor }): boolean;
  /**
   * Processes a list that a command has opened. It is not in the list of imports; the audit log records it once
   * something was committed, even when it fails later or is aborted.
   */
  process<Position>(
    list: { name: string; batches: AsyncIterable<NameBatch<Position>> },
    options: ProcessOptions<Position> & { by: Actor },
  ): Promise<Tally>;
  /** Returns the running import with its present counts. */
  running(): ListImport | undefined;
  get(seq: number): ListImport | undefined;
  /** Returns imports, newest first. */
  list(limit: number, offset?: number): ListImport[];
}

export function createImports({
  auditLog,
  database,
  candidates,
  clock,
  log,
  bytesMax = importBytesMax,
}: {
  auditLog: Pick<AuditLog, "record">;
  database: Database;
  candidates: Candidates;
  clock: Clock;
  log: Log;
  /** Lower in tests, which have no time to send a gigabyte. */
  bytesMax?: number;
}): Imports {
  const store = createImportStore(database);
  const run = createImportRun({ candidates, clock, log, store });
  let current: Running | undefined;

  function recordImport(by: Actor, name: string | null, detail: AuditDetail): void {
    auditLog.record(by, "feed.import", name, detail);
  }

  const running = () => {
    const row = current && store.get(current.seq);
    return row && { ...row, ...countsOf(current!) };
  };

  return {
    name: "imports",
    kind: "import",
    declaredAs: null,
    start() {
      // Only one process serves a database, so nobody else runs what is still marked as running.
      for (const { seq } of store.running())
        store.save(seq, {
          state: "failed",
          error: "was interrupted: phishwatch was stopped while reading it",
          completedAt: clock.now(),
        });
    },
    async stop() {
      current?.cancelling.abort();
      await current?.ended;
    },
    check: async () => null,
    status: () => importStatus(running() ?? store.list(1, 0)[0], current !== undefined),
    begin({ content, ...list }, { by }) {
      if (current !== undefined) {
        const { name } = store.get(current.seq) ?? { name: null };
        const what = name === null ? "Names that were typed in are" : "Another list is";
        throw badRequest(`${what} being imported. Wait until it is done, or cancel it.`);
      }
      if ((list.bytesTotal ?? 0) > bytesMax) throw badRequest(`The list ${tooLong}.`);
      const begun = database.transaction(() => {
        const row = store.begin({ ...list, startedAt: clock.now() });
        recordImport(by, list.name, { import: row.seq });
        return row;
      });
      const started: Running = {
        seq: begun.seq,
        cancelling: new AbortController(),
        content: boundedStream(content, { bytesMax, tooLong }),
      };
      current = started;
      const ended = run(started, list).finally(() => void (current = undefined));
      started.ended = ended;
      return { import: begun, ended };
    },
    cancel(seq, { by }) {
      if (current?.seq !== seq) return false;
      auditLog.record(by, "feed.cancel_import", store.get(seq)?.name ?? null, { import: seq });
      current.cancelling.abort();
      return true;
    },
    process: ({ name, batches }, { by, ...options }) =>
      processAudited(candidates, batches, options, (detail) => recordImport(by, visible(name), detail)),
    running,
    get: store.get,
    list: (limit, offset = 0) => store.list(limit, offset),
  };
}

function importStatus(latest: ListImport | undefined, isRunning: boolean): SourceStatus {
  const { received, invalid, matched, created } = latest ?? noCounts;
  return {
    name: "imports",
    location: latest?.name ?? "uploads",
    state: isRunning ? "reading" : "watching",
    problem: null,
    overdue: null,
    latest: latest === undefined ? null : { name: latest.name ?? "typed in", at: latest.startedAt },
    // People import when they want to: a long silence is normal.
    lastReadAt: null,
    amounts: [{ count: received, unit: "name" }],
    invalid,
    matched,
    created,
  };
}

const noCounts = { received: 0, invalid: 0, matched: 0, created: 0 };

/** Processes batches and records the counts, even if processing fails in the middle. */
async function processAudited<Position>(
  candidates: Candidates,
  batches: AsyncIterable<NameBatch<Position>>,
  options: ProcessOptions<Position>,
  record: (detail: AuditDetail) => void,
): Promise<Tally> {
  let tally: Readonly<Tally> | undefined;
  try {
    const onCommit = (position: Position, soFar: Readonly<Tally>) => {
      tally = soFar;
      options.onCommit?.(position, soFar);
    };
    return (tally = await candidates.process(batches, { ...options, onCommit }));
  } finally {
    if (tally !== undefined) {
      const { received, matched, created } = tally;
      record({ source: options.source, received, matched, created });
    }
  }
}
