import { logDropped, type Log } from "../../../platform/lib/log.ts";
import type { ImportState } from "../../../platform/vocabulary/lists.ts";
import type { Tally } from "../tally.ts";
import type { SourceNeeds } from "../needs.ts";
import { NameListError } from "../name-file-bytes/byte-source.ts";
import { openNameList, type NameList } from "../name-files/name-list.ts";
import type { ImportStore } from "./import-store.ts";
import type { ListImport } from "./tables.ts";

/** Maximum number of names of which an import records how they were read. */
export const interpretedMax = 100;

/** Origin of the names of all imports. */
export const importOrigin = { kind: "import", name: "imports" };

/** The import in progress. */
export interface Running {
  readonly seq: number;
  readonly cancelling: AbortController;
  readonly content: BoundedStream;
  tally?: Readonly<Tally>;
  ended?: Promise<ListImport>;
}

/** Reads one list to its end and records the outcome. */
export function createImportRun(
  dependencies: SourceNeeds<"candidates" | "clock" | "database" | "log"> & { store: ImportStore },
) {
  const { candidates, clock, database, log, store } = dependencies;
  async function close(
    running: Running,
    outcome: { state: ImportState; error: string | null },
  ): Promise<ListImport> {
    const values = { ...outcome, ...countsOf(running), completedAt: clock.now() };
    try {
      await database.write(() => store.save(running.seq, values), { patient: true });
    } catch (error) {
      logDropped(log, error, "import.outcome_not_recorded");
    }
    const ended = { ...store.get(running.seq)!, ...values };
    logImport(log, ended);
    return ended;
  }

  return async (
    running: Running,
    list: Pick<ListImport, "name" | "source" | "format" | "column">,
  ): Promise<ListImport> => {
    const { seq, cancelling, content } = running;
    const { signal } = cancelling;
    // The reader may be waiting for a client that stalls.
    signal.addEventListener("abort", () => content.end());
    let names: NameList | undefined;
    let outcome: { state: ImportState; error: string | null };
    try {
      const { name, source, format, column } = list;
      names = await openNameList(name ?? "the names", { format, column, stream: content.stream, signal });
      await candidates.process(names.batches(), {
        source,
        origin: importOrigin,
        importSeq: seq,
        // People see how each of the names was read that they typed.
        interpret: { max: interpretedMax, hostNames: name === null },
        signal,
        onCommit({ line }, tally) {
          running.tally = tally;
          store.save(seq, { ...countsOf(running), lines: line - 1 });
        },
        onProgress: (tally) => void (running.tally = tally),
      });
      outcome = { state: "completed", error: null };
    } catch (error) {
      outcome = {
        state: "failed",
        error: content.problem ?? (signal.aborted ? null : problemOf(log, error)),
      };
    }
    await names?.close();
    content.end();
    if (signal.aborted) outcome = { state: "cancelled", error: null };
    return close(running, outcome);
  };
}

/** Returns why an import failed, as words that follow the list's name. */
function problemOf(log: Log, error: unknown): string {
  if (error instanceof NameListError) return error.problem;
  logDropped(log, error, "import.internal_error");
  return "could not be recorded because of an internal error";
}

/** Logs the outcome of an import. */
export function logImport(log: Log, ended: ListImport): void {
  const { seq, channel, name, state, lines, received, invalid, matched, created, error } = ended;
  const durationMs = Math.max(0, (ended.completedAt ?? ended.startedAt) - ended.startedAt);
  const fields = { import: seq, origin: channel, name: name ?? "typed names", state, lines, names: received };
  const counts = { ...fields, invalid, matched, created, durationMs };
  if (state === "failed" || state === "interrupted") log.event("import.failed", { ...counts, reason: error });
  else log.event("import.finished", counts);
}

/** Returns what an import records of its tally. */
export function resultOf(tally: Readonly<Tally>): Partial<ListImport> {
  return { ...tally, firstInvalid: [...tally.firstInvalid], interpreted: [...tally.interpreted] };
}

/** Returns the present counts of an import. */
export function countsOf({ content, tally }: Running): Partial<ListImport> {
  return { bytes: content.bytes, ...(tally && resultOf(tally)) };
}

/** A byte stream from a client that may send too much, stall or disconnect. */
type BoundedStream = ReturnType<typeof boundedStream>;

/** @param tooLong problem to report if more than `bytesMax` bytes arrive. */
export function boundedStream(
  content: ReadableStream<Uint8Array>,
  { bytesMax, tooLong }: { bytesMax: number; tooLong: string },
) {
  const reader = content.getReader();
  let bytes = 0;
  let problem: string | undefined;
  let ended = false;

  // The client may have disconnected, so it need not be notified that the rest is not wanted.
  const dropRest = () => void reader.cancel().catch(() => {});

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!ended && done) return controller.close();
          bytes += value?.length ?? 0;
          if (bytes > bytesMax) problem = tooLong;
          else if (!ended && !done) return controller.enqueue(value);
        } catch {
          if (!ended) problem = "was cut off: the upload ended early";
        }
        dropRest();
        // Also after `end()`: an incomplete last line is not a name, although it may look like one.
        controller.error(new Error(problem ?? "the upload was ended"));
      },
      cancel: dropRest,
    },
    { highWaterMark: 0 },
  );
  return {
    stream,

    /** Number of bytes read so far. */
    get bytes() {
      return bytes;
    },

    /** Why the stream failed, as words that follow the list's name; undefined if it did not. */
    get problem() {
      return problem;
    },

    /** Ends the stream for its reader, even one that waits for more bytes. */
    end() {
      ended = true;
      dropRest();
    },
  };
}
