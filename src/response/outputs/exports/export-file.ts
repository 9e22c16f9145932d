import { toIsoTime, type Clock, type Instant } from "../../../platform/lib/clock.ts";
import type { Log } from "../../../platform/lib/log.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { fileFormats, type ExportContext } from "./file-formats.ts";
import type { ExportFormat } from "./formats.ts";
import type { ThreatReader } from "./threat-reader.ts";

/** Threats that are read at once, in about a millisecond. Then requests are served. */
const batchThreats = 100;
/** Characters in which a file is handed on. */
const pieceCharacters = 1 << 16;
/** A reader that needs longer has stopped reading, or reads a byte from time to time to occupy the place of another. */
const exportMsMax = 3_600_000;
/**
 * Time in which a reader must take a piece if others need its place, about 2 KiB per second. A slow reader whose connection has
 * megabytes of buffers also takes nothing for a while, so it may go on if no other export waits.
 */
const pieceMsMax = 30_000;

/** A file that is created while it is read. It must be read to its end or closed. */
export type ExportFile = ReturnType<typeof createExportFile>;

/**
 * @param seqs of the threats, ascending
 * @param free called when nothing more will be read
 */
export function createExportFile({
  format,
  seqs,
  context,
  at,
  reader,
  clock,
  log,
  slice,
  free,
}: {
  format: ExportFormat;
  seqs: Float64Array;
  context: ExportContext;
  at: Instant;
  reader: ThreatReader;
  clock: Pick<Clock, "monotonicMs">;
  log: Log;
  slice: Pick<Yielder, "pause">;
  free: () => void;
}) {
  const { type, ending, start, texts, end } = fileFormats[format];
  const endsAt = clock.monotonicMs() + exportMsMax;
  let remaining = seqs.length;
  let state: "before" | "within" | "after" = "before";
  const stall = new AbortController();
  /** When the export began to wait for its reader; undefined: the reader waits for it. */
  let waitsSinceMs: number | undefined = clock.monotonicMs();

  /** Frees what the export holds. May be called more than once. */
  function close(): void {
    state = "after";
    remaining = 0;
    free();
  }

  /** Ends the export if its reader has taken nothing for half a minute. Returns whether it has. */
  function endIfStalled(): boolean {
    if (waitsSinceMs === undefined || clock.monotonicMs() - waitsSinceMs < pieceMsMax) return false;
    const error = new Error(`its reader took nothing for ${pieceMsMax / 1_000} seconds, and others wait`);
    log.event("export.aborted", { error, format });
    close();
    stall.abort();
    return true;
  }

  async function nextPiece(): Promise<string | undefined> {
    if (state === "after") return undefined;
    if (clock.monotonicMs() > endsAt) throw new Error("its reader took longer than an hour");
    let piece = state === "before" ? start(context) : "";
    state = "within";
    while (remaining > 0 && piece.length < pieceCharacters) {
      const batch = seqs.subarray(Math.max(0, remaining - batchThreats), remaining);
      remaining -= batch.length;
      piece += texts(reader, [...batch], context).join("");
      await slice.pause();
    }
    if (remaining > 0) return piece;
    close();
    return piece + end;
  }

  return {
    /** Suggested name, such as `threats-2026-01-31.csv`. */
    fileName: `threats-${toIsoTime(at).slice(0, 10)}${ending}`,
    /** Media type. */
    type,
    /** Number of threats that match. */
    total: seqs.length,
    close,
    endIfStalled,
    /** Aborts when it has been ended so. */
    stalled: stall.signal,
    /** Returns the next piece of the file; undefined at its end. */
    async next() {
      waitsSinceMs = undefined;
      try {
        return await nextPiece();
      } catch (error) {
        log.event("export.aborted", { error, format });
        close();
        throw error;
      } finally {
        waitsSinceMs = clock.monotonicMs();
      }
    },
  };
}
