import type { FillRandom } from "../../lib/ids.ts";
import type { Needs } from "../needs.ts";
import type { ErrorsSeen } from "./errors-seen.ts";
import { truncateLogNow } from "./housekeeping.ts";
import type { OpenFile } from "../files/open-file.ts";

const probeIntervalMs = 5_000;

/** Marks the file of this server, so that other content in the same file can be recognized. */
export function createMarking({
  database,
  file,
  clock,
  errors,
  marker,
}: Needs<"clock" | "database"> & { file: OpenFile; errors: ErrorsSeen; marker: number }) {
  const { sqlite } = database;
  let isMarked = false;
  let probedAtMs = -Infinity;

  let isWriting = false;

  function write(): void {
    isWriting = true;
    try {
      sqlite.transaction(() => sqlite.run(`PRAGMA user_version = ${marker}`)).immediate();
    } finally {
      isWriting = false;
    }
  }

  return {
    isMarked: () => isMarked,

    /** Whether the marker is being written, which is harmless also in a damaged file. */
    isWriting: () => isWriting,

    /** Writes the marker into the header of the file, if it is not there yet. */
    mark() {
      if (isMarked) return;
      try {
        write();
        // Until the marker is in the file itself, the file would look overwritten.
        if (!truncateLogNow(database)) return;
        file.expectMarker(marker);
        isMarked = true;
      } catch {
        // The disk is full or the database is locked. The next attempt follows soon.
      }
    },

    /** After a write has failed, tries from time to time to write a page: nothing else may be written for hours. */
    probe() {
      const nowMs = clock.monotonicMs();
      if (errors.standing("write") === undefined || nowMs - probedAtMs < probeIntervalMs) return;
      probedAtMs = nowMs;
      try {
        write();
      } catch {
        // The observer of the connection has seen it.
      }
    },
  };
}

/** Returns a positive number: copies of the database have 0. */
export function newMarker(fillRandom: FillRandom): number {
  const bytes = Buffer.alloc(4);
  fillRandom(bytes);
  return (bytes.readUInt32BE() >>> 1) | 1;
}
