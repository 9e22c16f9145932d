/** Requests the entries of a log in order, tiles of static logs several at once. */
import type { EntryBlock, LogProtocol } from "../../../engines/certificate-transparency/log.ts";
import { tileWidth } from "../../../engines/certificate-transparency/trees/right-edge.ts";
import type { Instant } from "../../../platform/lib/clock.ts";

/** Tiles of a log that are requested, or wait until they are needed. */
const tilesAheadMax = 4;
/** Beyond this much, which all logs share, only the block that is needed next is requested. */
const bufferedBytesMax = 8 << 20;
/** Entries in one request to an RFC 6962 log. Logs return fewer, and the next request follows from how many. */
const entriesPerRequest = 1_024;

/** Bytes of blocks that were received ahead of their turn, over all logs. */
export interface BufferedBytes {
  count: number;
}

interface Tile {
  from: number;
  to: number;
  block: Promise<EntryBlock>;
  heldBytes: number;
}

interface ReadAheadDependencies {
  protocol: LogProtocol;
  /** Reads entries from `from`, at most up to `to`. */
  read: (from: number, to: number, signal: AbortSignal) => Promise<EntryBlock>;
  buffered: BufferedBytes;
  signal: AbortSignal;
}

export function createReadAhead({ protocol, read, buffered, signal }: ReadAheadDependencies) {
  const abort = new AbortController();
  const either = AbortSignal.any([signal, abort.signal]);
  const ahead: Tile[] = [];

  function request(from: number, end: number): void {
    const to = Math.min(end, from - (from % tileWidth) + tileWidth);
    const tile: Tile = { from, to, heldBytes: 0, block: read(from, to, either) };
    void hold(tile);
    ahead.push(tile);
  }

  /** Counts the bytes of a tile that was received ahead of its turn. */
  async function hold(tile: Tile): Promise<void> {
    // A failure is reported when the turn of the tile comes.
    const block = await tile.block.catch(() => undefined);
    if (block === undefined || !ahead.includes(tile)) return;
    tile.heldBytes = block.bytes.length;
    buffered.count += tile.heldBytes;
  }

  function take(): Tile {
    const tile = ahead.shift()!;
    buffered.count -= tile.heldBytes;
    return tile;
  }

  return {
    /** Reads entries from `from`, at most up to `to`. May return fewer, and start earlier. */
    next(from: number, to: number) {
      if (protocol === "rfc6962") return read(from, Math.min(to, from + entriesPerRequest), either);
      while (ahead.length > 0 && ahead[0]!.from !== from) take();
      if (ahead.length === 0) request(from, to);
      const first = take();
      for (
        let end = ahead.at(-1)?.to ?? first.to;
        end < to && ahead.length < tilesAheadMax - 1 && buffered.count < bufferedBytesMax;
        end = ahead.at(-1)!.to
      )
        request(end, to);
      return first.block;
    },

    /** Aborts the requests that are not needed any more. */
    close() {
      abort.abort();
      while (ahead.length > 0) take();
    },
  };
}

/** Finds where to resume in a log whose backlog is older than `catch_up`. */

/** Requests of one search. Halving the largest tree takes 48. */
const probesMax = 64;

interface FindEntryByTimeOptions {
  from: number;
  to: number;
  since: Instant;
  /** Time of the end of the range. */
  toAt: Instant;
  toleranceMs: number;
  entriesTolerated: number;
  timeAt: (index: number) => Promise<Instant>;
}

/**
 * Returns an entry before which nothing was logged at `since` or later, searching from `from` to `to`. It
 * lies at most `toleranceMs` earlier than necessary, or `entriesTolerated` entries: what is read in vain costs less than
 * more probes. Logs order their entries only roughly by time, so the result is as exact as their order.
 *
 * Every other probe assumes that the log grew evenly, which finds most places with a few requests; the others halve the
 * range, for logs that did not.
 *
 * @param timeAt returns the time of the entry at an index
 */
export async function findEntryByTime(
  options: FindEntryByTimeOptions,
): Promise<{ index: number; at: Instant }> {
  const { from, to, since, toAt, toleranceMs, entriesTolerated, timeAt } = options;
  let low = { index: from, at: await timeAt(from) };
  let high = { index: to, at: toAt };
  if (low.at >= since) return low;
  for (let probe = 0; probe < probesMax && high.index - low.index > entriesTolerated; probe++) {
    if (since - low.at <= toleranceMs) break;
    const share = probe % 2 === 0 ? (since - low.at) / (high.at - low.at) : 0.5;
    const width = high.index - low.index;
    const offset = Math.min(
      width - 1,
      Math.max(1, Math.floor(width * (Number.isFinite(share) ? share : 0.5))),
    );
    const index = low.index + offset;
    const at = await timeAt(index);
    if (at < since) low = { index, at };
    else high = { index, at };
  }
  return low;
}
