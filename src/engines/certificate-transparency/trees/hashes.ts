/** Merkle tree hashes of RFC 6962, section 2.1. */

export const hashBytes = 32;

/** Largest size of a tree that is read. Logs have reached 2^32 entries; beyond 2^53, numbers are inexact. */
export const treeSizeMax = 2 ** 48;

/** First byte of what is hashed: it makes leaves and nodes distinguishable. */
const leafPrefix = 0;
export const nodePrefix = 1;

export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(hashBytes);
  Bun.SHA256.hash(bytes, digest);
  return digest;
}

/** Returns the hash of a leaf: the bytes of a MerkleTreeLeaf. */
export function leafHash(leaf: Uint8Array): Uint8Array {
  const hashed = new Uint8Array(1 + leaf.length);
  hashed[0] = leafPrefix;
  hashed.set(leaf, 1);
  return sha256(hashed);
}

/** Returns the hash of an inner node. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const hashed = new Uint8Array(1 + 2 * hashBytes);
  hashed[0] = nodePrefix;
  hashed.set(left, 1);
  hashed.set(right, 1 + hashBytes);
  return sha256(hashed);
}
