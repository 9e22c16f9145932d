import { tileWidth } from "../trees/right-edge.ts";

/**
 * Returns the path of a tile (c2sp.org/static-ct-api, "Merkle Tree"): the index in groups of three digits, all but the
 * last with the prefix "x", and the width of an incomplete tile.
 * @param kind the level of a tile of hashes, "data" or "names"
 * @param width number of hashes or entries, 1 to 256
 */
export function tilePath({ kind, index, width }: { kind: string; index: number; width: number }): string {
  let path = group(index % 1_000);
  for (let rest = Math.floor(index / 1_000); rest > 0; rest = Math.floor(rest / 1_000)) {
    path = `x${group(rest % 1_000)}/${path}`;
  }
  return `tile/${kind}/${path}${width === tileWidth ? "" : `.p/${width}`}`;
}

function group(digits: number): string {
  return String(digits).padStart(3, "0");
}
