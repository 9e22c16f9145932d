import type { Actor } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Database } from "../../database/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { badRequest } from "../../lib/errors.ts";
import { logDropped, type Log } from "../../lib/log.ts";
import { boundedStream, type BoundedStream } from "./bounded-stream.ts";
import type { Tally } from "../candidate-run.ts";
import type { Candidates } from "../candidates.ts";
import { NameListError } from "../lists/errors.ts";
import type { ListFormat } from "../../vocabulary/lists.ts";
import { createImportStore } from "./import-store.ts";
import type { NameList } from "../lists/name-list.ts";
import type { ImportState, ListImport } from "./tables.ts";

/** What a person may hand over at once, as it is sent. What is larger lies better in the folder of a feed. */
export const importBytesMax = 1 << 30;

export interface ListToImport {
  /** Of the file; null: names that were typed in. */
  name: string | null;
  /** Plain, gzip or Zstandard; read once, as fast as its names can be dealt with and no faster. */
  content: ReadableStream<Uint8Array>;
  /** How long it will be, if that is known. */
  bytesTotal: number | null;
  format: ListFormat;
  /** csv, jsonl: which field; empty: the usual one. */
  column: string;
}

/** Lists that people hand over, one at a time: what was found up to an end before the end stays. */
export interface Imports {
  /** Closes what a crash left open. */
  start(): void;
  /** Ends the running one at its next pause. */
  stop(): Promise<void>;
  /**
   * Begins to read a list. `ended` is kept, not broken: how it went is in the import.
   * @throws PublicError `bad_request`: another one is running, or it is too long.
   */
  begin(list: ListToImport, by: Actor): { import: ListImport; ended: Promise<ListImport> };
  /** Answers whether this one was running. */
  cancel(seq: number, by: Actor): boolean;
  /** With its counts as they are now. */
  running(): ListImport | undefined;
  get(seq: number): ListImport | undefined;
  /** Newest first. */
  list(limit: number, offset?: number): ListImport[];
}

interface Running {
  readonly seq: number;
  readonly cancelling: AbortController;
  readonly content: BoundedStream;
  tally?: Readonly<Tally>;
  ended?: Promise<ListImport>;
}

export function createImports({
  auditLog,
  database,
  candidates,
  clock,
  log,
  bytesMax = importBytesMax,
}: {
  auditLog: AuditLog;
  database: Database;
  candidates: Candidates;
  clock: Clock;
  log: Log;
  /** For tests, who have no time to send a gigabyte. */
  bytesMax?: number;
}): Imports {
  const store = createImportStore(database);
  let current: Running | undefined;

  function begin(
    { content, ...list }: ListToImport,
    by: Actor,
  ): { import: ListImport; ended: Promise<ListImport> } {
    if (current !== undefined) {
      const { name } = store.get(current.seq) ?? { name: null };
      const what = name === null ? "names that were typed in are" : "another list is";
      throw badRequest(`${what} being imported; wait for the end, or cancel it`);
    }
    if ((list.bytesTotal ?? 0) > bytesMax) throw badRequest(`the list ${tooLong}`);
    const begun = database.transaction(() => {
      const row = store.begin({ ...list, startedAt: clock.now() });
      auditLog.record(by, "feed.import", list.name, { import: row.seq });
      return row;
    });
    const running: Running = {
      seq: begun.seq,
      cancelling: new AbortController(),
      content: boundedStream(content, { bytesMax, tooLong }),
    };
    current = running;
    const ended = carryOut(running, list).finally(() => void (current = undefined));
    running.ended = ended;
    return { import: begun, ended };
  }

  async function carryOut(running: Running, list: Omit<ListToImport, "content">): Promise<ListImport> {
    const { seq, cancelling, content } = running;
    const { signal } = cancelling;
    // A sender that stalls would keep the reader waiting.
    signal.addEventListener("abort", () => content.end());
    let names: NameList | undefined;
    let outcome: { state: ImportState; error: string | null };
    try {
      const { openNameList } = await import("../lists/name-list.ts");
      const { name, format, column } = list;
      names = await openNameList(name ?? "the names", { format, column, stream: content.stream });
      await candidates.process(names.batches(), {
        source: "feed",
        signal,
        onCommit(done, tally) {
          running.tally = tally;
          store.save(seq, { ...countsOf(running), lines: done.line - 1 });
        },
        onProgress: (tally) => void (running.tally = tally),
      });
      outcome = { state: "completed", error: null };
    } catch (error) {
      outcome = { state: "failed", error: content.fault ?? faultOf(error) };
    }
    await names?.close();
    content.end();
    if (signal.aborted) outcome = { state: "cancelled", error: null };
    return close(running, outcome);
  }

  function faultOf(error: unknown): string {
    if (error instanceof NameListError) return error.fault;
    logDropped(log, error, "an import broke off");
    return "could not be recorded, for an internal error";
  }

  function close(running: Running, outcome: { state: ImportState; error: string | null }): ListImport {
    const values = { ...outcome, ...countsOf(running), completedAt: clock.now() };
    try {
      store.save(running.seq, values);
    } catch (error) {
      logDropped(log, error, "the end of an import could not be recorded");
    }
    return { ...store.get(running.seq)!, ...values };
  }

  return {
    start() {
      // One process serves a database: nobody else runs what is open on record.
      for (const { seq } of store.running())
        store.save(seq, {
          state: "failed",
          error: "was being read when phishwatch ended",
          completedAt: clock.now(),
        });
    },
    async stop() {
      current?.cancelling.abort();
      await current?.ended;
    },
    begin,
    cancel(seq, by) {
      if (current?.seq !== seq) return false;
      auditLog.record(by, "feed.cancel_import", store.get(seq)?.name ?? null, { import: seq });
      current.cancelling.abort();
      return true;
    },
    running() {
      const row = current && store.get(current.seq);
      return row && { ...row, ...countsOf(current!) };
    },
    get: store.get,
    list: (limit, offset = 0) => store.list(limit, offset),
  };
}

const tooLong =
  `is longer than ${importBytesMax / 2 ** 30} GiB; divide it, pack it, ` +
  "use 'phishwatch import', or put it into the folder of a feed";

function countsOf({ content, tally }: Running): Partial<ListImport> {
  if (tally === undefined) return { bytes: content.bytes };
  const { received, invalid, firstInvalid, matched, created } = tally;
  return { bytes: content.bytes, received, invalid, firstInvalid: [...firstInvalid], matched, created };
}
