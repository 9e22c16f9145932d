import { type LogReader, LogError, type CompactRange, type TreeHead } from "../log.ts";
import { hashBytes } from "../trees/hashes.ts";
import { tileWidth, rangeFromTiles, rightEdgeTiles, tileHash } from "../trees/right-edge.ts";
import { createTreeHeadVerifier, treeHeadBytesMax } from "../trees/tree-heads.ts";
import { createTiles, type ReaderDependencies, type Tiles } from "./tiles.ts";
import { matchesHead } from "../trees/compact-range.ts";

/** How long names tiles are not requested after a log turned out not to serve them. */
const namesRetryMs = 24 * 3_600_000;

/**
 * Reads a log by the static-ct-api (c2sp.org/static-ct-api).
 * Incomplete tiles are requested only for the sizes that the caller passes. They must come from verified checkpoints: others
 * may not exist.
 */
export function createStaticReader({ log, request, limits, clock, close }: ReaderDependencies): LogReader {
  const verifier = createTreeHeadVerifier(log);
  const tiles = createTiles({ request, limits });
  let namesFromMs = 0;

  return {
    log,
    close,
    treeHead: (signal) =>
      request({
        path: "checkpoint",
        timeoutMs: limits.headTimeoutMs,
        bytesMax: treeHeadBytesMax,
        tolerated: [],
        signal,
        parse: (bytes) => verifier.checkpoint(bytes),
      }),
    async entries({ from, treeSize }, { namesOnly, signal }) {
      const index = Math.floor(from / tileWidth);
      const place = { index, width: Math.min(tileWidth, treeSize - index * tileWidth) };
      if (namesOnly && clock.monotonicMs() >= namesFromMs) {
        const names = await tiles.names(place, signal);
        if (typeof names === "object") return names;
        if (names === "missing") namesFromMs = clock.monotonicMs() + namesRetryMs;
      }
      return tiles.data(place, signal);
    },
    async partialLeafHashes(size, signal) {
      const width = size % tileWidth;
      if (width === 0) return [];
      const bytes = await tiles.hashes({ level: 0, index: Math.floor(size / tileWidth), width }, signal);
      return Array.from({ length: width }, (_, at) => bytes.slice(at * hashBytes, (at + 1) * hashBytes));
    },
    compactRange: (head, signal, size = head.size) => readStaticRange(tiles, { head, size, signal }),
  };
}

/**
 * Reads the compact range of the first `size` entries of a static log. The tiles at the right edge of the tree are compared
 * with its root; every other tile is compared with its hash in the tile above.
 * @throws LogError `mismatch` if tiles contradict the tree head
 */
async function readStaticRange(
  tiles: Tiles,
  { head, size, signal }: { head: TreeHead; size: number; signal: AbortSignal },
): Promise<CompactRange> {
  /** Verified tiles by level and index. */
  const verified = new Map<string, Uint8Array>();
  const edge: Uint8Array[] = [];
  for (const tile of rightEdgeTiles(head.size)) {
    const hashes = await tiles.hashes(tile, signal);
    edge.push(hashes);
    verified.set(keyOf(tile), hashes);
  }
  const whole = rangeFromTiles(head.size, edge);
  if (whole === undefined || !matchesHead(whole, head)) throw contradiction();
  if (size === head.size) return whole;

  const verifiedTile = async (level: number, index: number): Promise<Uint8Array> => {
    const known = verified.get(keyOf({ level, index }));
    if (known !== undefined) return known;
    const above = await verifiedTile(level + 1, Math.floor(index / tileWidth));
    const hashes = await tiles.hashes({ level, index, width: tileWidth }, signal);
    const at = (index % tileWidth) * hashBytes;
    if (Buffer.compare(tileHash(hashes), above.subarray(at, at + hashBytes)) !== 0) throw contradiction();
    verified.set(keyOf({ level, index }), hashes);
    return hashes;
  };

  const contents: Uint8Array[] = [];
  for (const { level, index, width } of rightEdgeTiles(size)) {
    contents.push((await verifiedTile(level, index)).subarray(0, width * hashBytes));
  }
  const range = rangeFromTiles(size, contents);
  if (range === undefined) throw contradiction();
  return range;
}

function keyOf({ level, index }: { level: number; index: number }): string {
  return `${level}/${index}`;
}

function contradiction(): LogError {
  return new LogError("mismatch", "the log's hash tiles contradict its signed tree head");
}
