import { LogError, type CompactRange, type TreeHead } from "../log.ts";
import { matchesHead } from "../trees/compact-range.ts";
import { hashBytes } from "../trees/hashes.ts";
import { rangeFromTiles, rightEdgeTiles, tileHash, tileWidth } from "../trees/right-edge.ts";
import type { Tiles } from "./tiles.ts";

/**
 * Reads the compact range of the first `size` entries of a static log. The tiles at the right edge of the tree are compared
 * with its root; every other tile is compared with its hash in the tile above.
 * @throws LogError `mismatch` if tiles contradict the tree head
 */
export async function readStaticRange(
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
