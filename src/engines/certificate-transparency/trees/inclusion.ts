import type { CompactRange } from "../log.ts";
import { rangeFromInclusion } from "./right-edge.ts";
import { nodeHash } from "./hashes.ts";

/** An inclusion proof whose root is to be compared with a tree head. */
export interface Inclusion {
  /** Root of the tree that the proof leads to. */
  root: Uint8Array;
  /** Compact range of the entries up to the leaf, including it. */
  range: CompactRange;
}

/**
 * Follows the inclusion proof of a leaf (RFC 9162, section 2.1.3.2). The siblings to the left of the path are the perfect
 * subtrees before the leaf, so the proof also determines the compact range that ends with it.
 * @returns undefined if the proof has a wrong length
 */
export function inclusionOf({
  index,
  treeSize,
  leafHash,
  auditPath,
}: {
  index: number;
  treeSize: number;
  leafHash: Uint8Array;
  auditPath: readonly Uint8Array[];
}): Inclusion | undefined {
  let node = index;
  let last = treeSize - 1;
  let root = leafHash;
  const left: Uint8Array[] = [];
  for (const sibling of auditPath) {
    if (last <= 0) return undefined;
    if (node % 2 === 1 || node === last) {
      root = nodeHash(sibling, root);
      left.push(sibling);
      // A node at the right edge has no sibling on the levels at which it is a left child.
      while (node % 2 === 0 && node > 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      root = nodeHash(root, sibling);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  const range = last === 0 ? rangeFromInclusion(index + 1, leafHash, left) : undefined;
  return range === undefined ? undefined : { root, range };
}
