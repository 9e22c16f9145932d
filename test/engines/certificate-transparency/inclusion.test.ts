import { expect, test } from "bun:test";
import { rootOf } from "../../../src/engines/certificate-transparency/trees/compact-range.ts";
import { sha256 } from "../../../src/engines/certificate-transparency/trees/hashes.ts";
import { inclusionOf } from "../../../src/engines/certificate-transparency/reading/rfc6962-reader.ts";
import { auditPath, merkleRoot } from "../../support/log-entries.ts";

const leaves = Array.from({ length: 70 }, (_, index) => sha256(Uint8Array.of(index)));

test("an inclusion proof of any leaf leads to the root and to the compact range up to the leaf", () => {
  for (let treeSize = 1; treeSize <= leaves.length; treeSize++) {
    const tree = leaves.slice(0, treeSize);
    for (const [index, leafHash] of tree.entries()) {
      const { root, range } = inclusionOf(leafHash, auditPath(index, tree), { index, treeSize })!;
      expect(Buffer.compare(root, merkleRoot(tree))).toBe(0);
      expect(Buffer.compare(rootOf(range), merkleRoot(tree.slice(0, index + 1)))).toBe(0);
    }
  }
});

test("an inclusion proof with a hash too many or too few is none", () => {
  const place = { index: 20, treeSize: 50 };
  const proof = auditPath(20, leaves.slice(0, 50));
  expect(inclusionOf(leaves[20]!, proof.slice(1), place)).toBeUndefined();
  expect(inclusionOf(leaves[20]!, [...proof, leaves[0]!], place)).toBeUndefined();
  expect(inclusionOf(leaves[20]!, [], place)).toBeUndefined();
});
