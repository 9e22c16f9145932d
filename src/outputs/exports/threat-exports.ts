/**
 * Exports: all threats that match a filter, as a file or as a MISP feed.
 *
 * An export contains every threat that matches when it begins, once, the newest record first. Which threats these are is
 * decided at the start, in one step of a few milliseconds (the threat index), and stored as 8 bytes for each. Their content is
 * read in small batches while the file is sent, so a threat shows its state at that time. No snapshot of the database is held: a
 * slow reader would keep the write-ahead log from being reused.
 */
import type { Settings } from "../../access/settings/settings.ts";
import type { Database } from "../../database/database.ts";
import { toIsoTime, type Clock } from "../../lib/clock.ts";
import { PublicError } from "../../lib/errors.ts";
import type { FillRandom } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import type { Yielder } from "../../lib/yielder.ts";
import type { SearchFilter } from "../../threat-index/filter.ts";
import type { ThreatIndex } from "../../threat-index/threat-index.ts";
import type { ExportFormat } from "./formats.ts";
import { fileFormats } from "./file-formats.ts";
import { createInstanceId } from "./instance-id.ts";
import { createThreatReader } from "./threat-reader.ts";

/** Threats that are read at once: 2 ms at most. */
const batchThreats = 100;
/** Characters in which a file is handed on. */
const pieceCharacters = 1 << 16;
/** Each holds 8 bytes for each of its threats. */
export const concurrentExportsMax = 8;
/** A reader that needs longer has stopped reading, or reads a byte from time to time to occupy the place of another. */
const exportMsMax = 3_600_000;
const retryAfterSeconds = 30;

export interface ThreatExports {
  /**
   * Begins an export. It must be read to its end or closed.
   * @param publicUrl of the console and of the screenshots, without a trailing slash
   * @throws PublicError `rate_limit_exceeded` if as many exports as possible are running
   */
  open(format: ExportFormat, filter: SearchFilter, publicUrl: string): Promise<OpenExport>;
  /** Number of exports that are running. */
  readonly running: number;
}

export interface OpenExport {
  /** Suggested name of the file, such as `threats-2026-01-31.csv`. */
  fileName: string;
  /** Media type. */
  type: string;
  /** Number of threats that match. */
  total: number;
  /** Returns the next piece of the file; undefined at its end. */
  next(): Promise<string | undefined>;
  /** Frees what the export holds. May be called more than once. */
  close(): void;
}

export function createThreatExports({
  database,
  clock,
  settings,
  fillRandom,
  log,
  threatIndex,
  yielder,
}: {
  database: Database;
  clock: Clock;
  settings: Settings;
  fillRandom: FillRandom;
  log: Log;
  threatIndex: () => ThreatIndex;
  yielder: () => Yielder;
}): ThreatExports {
  const reader = createThreatReader(database);
  const instanceId = createInstanceId({ database, settings, fillRandom });
  const running = new Set<object>();

  async function begin(
    format: ExportFormat,
    filter: SearchFilter,
    { publicUrl, free }: { publicUrl: string; free: () => void },
  ): Promise<OpenExport> {
    const fileFormat = fileFormats[format];
    const at = clock.now();
    const context = {
      instanceId: await instanceId(),
      publicUrl,
      exportName: `${at} ${JSON.stringify(filter)}`,
    };
    const seqs = await threatIndex().seqs(filter);
    const endsAt = clock.monotonicMs() + exportMsMax;
    const slice = yielder();
    let remaining = seqs.length;
    let state: "before" | "within" | "after" = "before";

    function close(): void {
      state = "after";
      remaining = 0;
      free();
    }

    async function nextPiece(): Promise<string | undefined> {
      if (state === "after") return undefined;
      if (clock.monotonicMs() > endsAt) throw new Error("its reader took longer than an hour");
      let piece = state === "before" ? fileFormat.start(context) : "";
      state = "within";
      while (remaining > 0 && piece.length < pieceCharacters) {
        const batch = seqs.subarray(Math.max(0, remaining - batchThreats), remaining);
        remaining -= batch.length;
        piece += fileFormat.texts(reader, [...batch], context).join("");
        if (slice.due()) await slice.pause();
      }
      if (remaining > 0) return piece;
      close();
      return piece + fileFormat.end;
    }

    async function next(): Promise<string | undefined> {
      try {
        return await nextPiece();
      } catch (error) {
        log.warn({ error, format }, "export aborted");
        close();
        throw error;
      }
    }

    const fileName = `threats-${toIsoTime(at).slice(0, 10)}${fileFormat.ending}`;
    return { fileName, type: fileFormat.type, total: seqs.length, next, close };
  }

  return {
    async open(format, filter, publicUrl) {
      if (running.size >= concurrentExportsMax)
        throw new PublicError(
          "rate_limit_exceeded",
          `${concurrentExportsMax} exports are running, which is the maximum; try again when one has finished.`,
          undefined,
          retryAfterSeconds,
        );
      const place = {};
      running.add(place);
      const free = () => void running.delete(place);
      try {
        return await begin(format, filter, { publicUrl, free });
      } catch (error) {
        free();
        throw error;
      }
    },
    get running() {
      return running.size;
    },
  };
}
