import type { CompactRange, TreeHead } from "../log.ts";
import { hashBytes, nodeHash, nodePrefix, sha256, treeSizeMax } from "./hashes.ts";

/** A growing tree. Appending a leaf costs one node hash on average and allocates nothing. */
export type Tree = ReturnType<typeof createTree>;

/** Number of levels of the largest tree. */
const levelsMax = Math.log2(treeSizeMax) + 1;
const sizeBytes = 8;

/** Returns a tree that starts with the leaves of `range`; without it, an empty one. */
export function createTree(range: CompactRange = { size: 0, hashes: [] }) {
  // The root of the perfect subtree of 2^level leaves is at `level`; present if that bit of the size is set.
  const peaks = new Uint8Array(levelsMax * hashBytes);
  let { size } = range;
  for (const [index, level] of levelsOf(size).entries()) peaks.set(range.hashes[index]!, level * hashBytes);

  const node = new Uint8Array(1 + 2 * hashBytes);
  node[0] = nodePrefix;
  const right = node.subarray(1 + hashBytes);

  return {
    get size() {
      return size;
    },

    /** Appends leaf hashes, 32 bytes each, one after another. */
    append(leafHashes: Uint8Array) {
      if (leafHashes.length % hashBytes !== 0) throw new Error("leaf hashes have a wrong length");
      for (let at = 0; at < leafHashes.length; at += hashBytes) {
        if (size >= treeSizeMax) throw new Error("the tree is too large");
        right.set(leafHashes.subarray(at, at + hashBytes));
        let level = 0;
        for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
          node.set(peaks.subarray(level * hashBytes, (level + 1) * hashBytes), 1);
          // The digest is written after the node has been read completely, so it may replace a part of it.
          Bun.SHA256.hash(node, right);
          level++;
        }
        peaks.set(right, level * hashBytes);
        size++;
      }
    },

    /** Returns a copy of the state, which does not change when the tree grows. */
    range: (): CompactRange => ({
      size,
      hashes: levelsOf(size).map((level) => peaks.slice(level * hashBytes, (level + 1) * hashBytes)),
    }),
  };
}

/** Returns the Merkle tree hash of the tree. */
export function rootOf({ hashes }: CompactRange): Uint8Array {
  return hashes.length === 0
    ? sha256(new Uint8Array(0))
    : hashes.reduceRight((root, hash) => nodeHash(hash, root));
}

/** Returns whether the tree is the one that the log signed. */
export function matchesHead(range: CompactRange, head: Pick<TreeHead, "size" | "rootHash">): boolean {
  return range.size === head.size && Buffer.compare(rootOf(range), head.rootHash) === 0;
}

/** Returns the range as bytes for a column: the size in 8 bytes, then the hashes. At most 1,576 bytes. */
export function serializeRange({ size, hashes }: CompactRange): Uint8Array {
  const bytes = new Uint8Array(sizeBytes + hashes.length * hashBytes);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(size));
  for (const [index, hash] of hashes.entries()) bytes.set(hash, sizeBytes + index * hashBytes);
  return bytes;
}

/** Returns the range that `serializeRange` stored; undefined if the bytes are none. */
export function parseRange(bytes: Uint8Array): CompactRange | undefined {
  if (bytes.length < sizeBytes) return undefined;
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  if (size > treeSizeMax) return undefined;
  const levels = levelsOf(size);
  if (bytes.length !== sizeBytes + levels.length * hashBytes) return undefined;
  return {
    size,
    hashes: levels.map((_, index) =>
      bytes.slice(sizeBytes + index * hashBytes, sizeBytes + (index + 1) * hashBytes),
    ),
  };
}

/** Returns the levels of the perfect subtrees of a tree, the largest first: the bits that are set in its size. */
export function levelsOf(size: number): number[] {
  const levels: number[] = [];
  for (let level = 0, rest = size; rest > 0; level++, rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) levels.unshift(level);
  }
  return levels;
}
