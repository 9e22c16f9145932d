import type { Actor } from "../../../access/audit/actor.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { every, type Schedule } from "../../../platform/lib/schedule.ts";
import type { ThreatSource } from "../../../platform/vocabulary/threats.ts";
import type { ProcessOptions } from "../candidates.ts";
import type { SourceNeeds } from "../needs.ts";
import type { Source, SourceStatus } from "../source.ts";
import {
  countsOf,
  createImportRun,
  importOrigin,
  logImport,
  type Running,
  boundedStream,
  interpretedMax,
  resultOf,
} from "./import-run.ts";
import { createImportStore, type ImportStore, hasEnded, ownProcess } from "./import-store.ts";
import type { ListImport } from "./tables.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Tally } from "../tally.ts";
import { NameListError } from "../name-file-bytes/byte-source.ts";
import type { Place } from "../name-file-formats/name-chunk.ts";
import type { NameBatch } from "../name-batch.ts";

/** Maximum size of an upload, before decompression. Larger lists belong in the folder of a feed. */
export const importBytesMax = 1 << 30;

/** When imports by command line are checked, to log them. */
const commandCheckPattern = "*/5 * * * * *";
const commandOverlapMs = 600_000;

const tooLong =
  `is larger than ${importBytesMax / 2 ** 30} GiB; split it, compress it, ` +
  "use 'phishwatch import', or put it into the folder of a feed";

/** `bytesTotal`: length of the content. `name`: null for names that were typed in. */
export interface ListToImport extends Pick<ListImport, "name" | "bytesTotal" | "format" | "column"> {
  /** Plain text, gzip, Zstandard or ZIP; read once, no faster than its names are processed. */
  content: ReadableStream<Uint8Array>;
}

/** Imports lists that people upload, one at a time. An import that ends early keeps what it found. */
export type Imports = ReturnType<typeof createImports>;

interface ImportsDependencies extends SourceNeeds<"auditLog" | "candidates" | "clock" | "database" | "log"> {
  domains: Pick<ProtectedDomains, "watchWidenings">;
  /** Lower in tests, which have no time to send a gigabyte. */
  bytesMax?: number;
}

export function createImports(dependencies: ImportsDependencies) {
  const { auditLog, database, clock, log, bytesMax = importBytesMax } = dependencies;
  const store = createImportStore(database);
  const run = createImportRun({ ...dependencies, store });
  let current: Running | undefined;
  let commands: Schedule | undefined;
  /** Set while an import is recorded that will then run. */
  let beginning: Promise<ListImport> | undefined;
  let stopped = false;

  const running = (): ListImport | undefined => {
    const row = current && store.get(current.seq);
    return row && { ...row, ...countsOf(current!) };
  };

  const source: Source = {
    ...importOrigin,
    declaredAs: null,
    pausing: null,
    /** Marks imports as interrupted that a crash left running, now and whenever the process of a command is gone. */
    start() {
      stopped = false;
      // Only one process serves a database, so that none of these is the server's.
      const left = store.running().filter((one) => one.process === null || hasEnded(one.process));
      markAsInterrupted(left, { clock, database, log, store });
      if (database.isShared) commands = watchCommands({ clock, database, log, store });
    },
    /** Cancels the running import at its next yield. */
    async stop() {
      stopped = true;
      commands?.stop();
      // A failure to begin is reported to the caller who wanted to begin.
      await beginning?.catch(() => {});
      current?.cancelling.abort();
      await current?.ended;
    },
    check: async () => null,
    status: () => importStatus(running() ?? store.list(1, 0)[0], current !== undefined),
  };

  return {
    ...source,
    /**
     * Starts to read a list. `ended` never rejects: the outcome is in the import.
     * @throws PublicError `bad_request`: another import is running, or the list is too long.
     */
    async begin({ content, ...list }: ListToImport, { by }: { by: Actor }) {
      if (beginning !== undefined || current !== undefined) {
        const { name } = (current && store.get(current.seq)) ?? { name: null };
        const what = name === null ? "Names that were typed in are" : "Another list is";
        throw badRequest(`${what} being imported. Wait until it is done, or cancel it.`);
      }
      if ((list.bytesTotal ?? 0) > bytesMax) throw badRequest(`The list ${tooLong}.`);
      const origin = { channel: by.channel, source: sourceOfFile(list.name) } as const;
      const record = () => {
        const row = store.begin({ ...list, ...origin, startedAt: clock.now() });
        auditLog.record(by, "feed.import", list.name, { import: row.seq });
        return row;
      };
      beginning = database.write(record).finally(() => void (beginning = undefined));
      const begun = await beginning;
      const started: Running = {
        seq: begun.seq,
        cancelling: new AbortController(),
        content: boundedStream(content, { bytesMax, tooLong }),
      };
      if (stopped) started.cancelling.abort();
      current = started;
      const ended = run(started, { ...list, ...origin }).finally(() => void (current = undefined));
      started.ended = ended;
      return { import: begun, ended };
    },
    /** Returns whether this import was running. */
    async cancel(seq: number, { by }: { by: Actor }): Promise<boolean> {
      const cancelled = current;
      if (cancelled?.seq !== seq) return false;
      await database.write(() =>
        auditLog.record(by, "feed.cancel_import", store.get(seq)?.name ?? null, { import: seq }),
      );
      cancelled.cancelling.abort();
      return true;
    },
    /** Processes a list that a command has opened. A server logs its outcome. */
    process: createCommandImport({ ...dependencies, store }),
    /** Returns the running import with its present counts. */
    running,
    get: store.get,
    /** Returns imports, newest first. */
    list: (limit: number, offset = 0): ListImport[] => store.list(limit, offset),
  };
}

/** A person vouches for the names that they type, and for an email. A file repeats names for years, as a feed does. */
export function sourceOfFile(name: string | null): ThreatSource {
  return name === null || /\.eml$/i.test(name) ? "submission" : "feed";
}

interface Recording extends SourceNeeds<"clock" | "database" | "log"> {
  store: ImportStore;
}

/** Logs the imports by command line, which another process runs, as they end, also those whose process was killed. */
function watchCommands({ clock, database, log, store }: Recording): Schedule {
  let since = clock.now();
  let logged: ReadonlySet<number> = new Set();
  return every({
    clock,
    pattern: commandCheckPattern,
    run() {
      try {
        const killed = store.running().filter((one) => one.process !== null && hasEnded(one.process));
        markAsInterrupted(killed, { clock, database, log, store });
        const ended = store.endedSince("command_line", since);
        for (const one of ended) if (!logged.has(one.seq)) logImport(log, one);
        logged = new Set(ended.map(({ seq }) => seq));
        // Times of other processes may differ a little, and a transaction may take a while.
        since = Math.max(since, clock.now() - commandOverlapMs);
      } catch (error) {
        logDropped(log, error, "import.commands_not_checked");
      }
    },
  });
}

function markAsInterrupted(
  interrupted: readonly ListImport[],
  { clock, database, log, store }: Recording,
): void {
  if (interrupted.length === 0) return;
  const close = () => {
    for (const { seq, process } of interrupted) {
      // A command may have ended in the meantime, regularly.
      if (store.get(seq)?.state !== "running") continue;
      const reader = process === null ? "phishwatch" : "the command that read it";
      store.save(seq, {
        state: "interrupted",
        error: `was not read to its end: ${reader} was stopped`,
        completedAt: clock.now(),
      });
    }
  };
  database
    .write(close, { patient: true })
    .catch((error: unknown) => logDropped(log, error, "import.interrupted_not_recorded"));
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

/** A list that a command has opened. */
interface OpenedList extends Pick<ListImport, "format" | "column" | "bytesTotal"> {
  name: string;
  batches: AsyncIterable<NameBatch<Place>>;
  /** Returns the number of bytes read so far. */
  bytes(): number;
}

/**
 * Returns a function that processes a list for a command and records it among the imports. The audit log gets an entry
 * once something was committed, even if reading fails later or is aborted.
 */
function createCommandImport(dependencies: ImportsDependencies & { store: ImportStore }) {
  const { auditLog, candidates, clock, domains, log, store } = dependencies;
  return async (
    { batches, bytes, ...list }: OpenedList,
    { by, ...options }: Omit<ProcessOptions<Place>, "importSeq"> & { by: Actor },
  ): Promise<Tally> => {
    const { source, signal } = options;
    const origin = { source, channel: by.channel, process: ownProcess() };
    const { seq } = store.begin({ ...list, ...origin, startedAt: clock.now() });
    let tally: Readonly<Tally> | undefined;
    const checkAgain = domains.watchWidenings();
    const save = (values: Partial<ListImport>) =>
      store.save(seq, { ...(tally && resultOf(tally)), bytes: bytes(), ...values });
    const onCommit: typeof options.onCommit = (place, soFar, recorded) => {
      tally = soFar;
      // A server may have taken the import for one that was interrupted: it cannot always see this process.
      save({ lines: place.line - 1, state: "running", error: null, completedAt: null });
      options.onCommit?.(place, soFar, recorded);
    };
    const end = (outcome: Pick<ListImport, "state" | "error">) =>
      save({ ...outcome, completedAt: clock.now() });
    try {
      tally = await candidates.process(batches, {
        ...options,
        origin: importOrigin,
        importSeq: seq,
        interpret: { max: interpretedMax, hostNames: false },
        onCommit,
      });
      end({ state: signal?.aborted === true ? "cancelled" : "completed", error: null });
      return tally;
    } catch (error) {
      const problem = error instanceof NameListError ? error.problem : "could not be recorded";
      try {
        end({ state: "failed", error: problem });
      } catch (dropped) {
        // The command reports the first error.
        logDropped(log, dropped, "import.outcome_not_recorded");
      }
      throw error;
    } finally {
      // Threads drop names with the filter of the start, and the names of the last second were only in this process.
      checkAgain();
      if (tally !== undefined) {
        const { received, matched, created } = tally;
        const detail = { import: seq, source, received, matched, created };
        auditLog.record(by, "feed.import", visible(list.name), detail);
      }
    }
  };
}
