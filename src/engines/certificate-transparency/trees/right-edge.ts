/** Compact ranges of trees whose leaves were not read: from what a log serves about its right edge. */
import type { CompactRange } from "../log.ts";
import { createTree, levelsOf, rootOf } from "./compact-range.ts";
import { hashBytes } from "./hashes.ts";

/** Number of hashes in a full tile (static-ct-api). */
export const tileWidth = 256;

/** A tile of hashes: `width` hashes of the nodes that each cover 256^level leaves, starting at index 256 · `index`. */
export interface HashTile {
  level: number;
  index: number;
  /** 1 to 256. */
  width: number;
}

/**
 * Returns the incomplete tiles at the right edge of a tree, the highest level first. Their hashes determine the compact
 * range, because every subtree of the range lies within one of them.
 */
export function rightEdgeTiles(size: number): HashTile[] {
  const tiles: HashTile[] = [];
  for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / tileWidth)) {
    const width = count % tileWidth;
    if (width > 0) tiles.unshift({ level, index: Math.floor(count / tileWidth), width });
  }
  return tiles;
}

/**
 * Returns the compact range of a tree from the contents of `rightEdgeTiles(size)`, in their order; undefined if a tile has
 * a wrong length. The caller compares the root with a tree head.
 */
export function rangeFromTiles(size: number, contents: readonly Uint8Array[]): CompactRange | undefined {
  const tiles = rightEdgeTiles(size);
  const fits = tiles.every(({ width }, index) => contents[index]?.length === width * hashBytes);
  if (!fits || contents.length !== tiles.length) return undefined;
  return {
    size,
    hashes: contents.flatMap((hashes) => {
      const part = createTree();
      part.append(hashes);
      return part.range().hashes;
    }),
  };
}

/**
 * Returns the compact range of a tree from the hash of its last leaf and the inclusion proof of that leaf (RFC 6962
 * get-entry-and-proof, with `leaf_index` = size - 1); undefined if the proof has a wrong length. The caller compares the
 * root with a tree head.
 */
export function rangeFromInclusion(
  size: number,
  lastLeafHash: Uint8Array,
  auditPath: readonly Uint8Array[],
): CompactRange | undefined {
  if (size < 1 || lastLeafHash.length !== hashBytes) return undefined;
  // All siblings of the last leaf are to its left, so they are the perfect subtrees of the tree without it.
  const before = { size: size - 1, hashes: auditPath.toReversed() };
  if (auditPath.some(({ length }) => length !== hashBytes)) return undefined;
  if (auditPath.length !== levelsOf(size - 1).length) return undefined;
  const tree = createTree(before);
  tree.append(lastLeafHash);
  return tree.range();
}

/** Returns the hash of a full tile: the hash that stands for it in the tile one level above. */
export function tileHash(hashes: Uint8Array): Uint8Array {
  const tree = createTree();
  tree.append(hashes);
  return rootOf(tree.range());
}
