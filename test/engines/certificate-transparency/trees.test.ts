import { describe, expect, test } from "bun:test";
import {
  LogError,
  type LogErrorKind,
  type TreeHead,
} from "../../../src/engines/certificate-transparency/log.ts";
import {
  createTree,
  matchesHead,
  parseRange,
  rootOf,
  serializeRange,
} from "../../../src/engines/certificate-transparency/trees/compact-range.ts";
import { leafHash } from "../../../src/engines/certificate-transparency/trees/hashes.ts";
import {
  rangeFromInclusion,
  rangeFromTiles,
  rightEdgeTiles,
  tileHash,
  tileWidth,
} from "../../../src/engines/certificate-transparency/trees/right-edge.ts";
import {
  createTreeHeadVerifier,
  treeHeadBytesMax,
} from "../../../src/engines/certificate-transparency/trees/tree-heads.ts";
import { auditPath, createLogSigner, merkleRoot } from "../../support/log-entries.ts";

const leaves = Array.from({ length: 700 }, (_, index) => leafHash(Buffer.from(`leaf ${index}`)));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("a compact range", () => {
  test("has the root that RFC 6962 defines, at every size", () => {
    const tree = createTree();
    for (let size = 0; size <= 300; size++) {
      expect(hex(rootOf(tree.range()))).toBe(hex(merkleRoot(leaves.slice(0, size))));
      tree.append(leaves[size]!);
    }
  });

  test("has the roots of the certificate-transparency project's test vectors", () => {
    const inputs = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657"];
    const tree = createTree();
    for (const input of inputs) tree.append(leafHash(Buffer.from(input, "hex")));
    expect(hex(rootOf(createTree().range()))).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    expect(hex(rootOf(tree.range()))).toBe(
      "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    );
  });

  test("continues where it was stored, whatever is appended at once", () => {
    const whole = createTree();
    whole.append(Buffer.concat(leaves));
    for (const size of [0, 1, 2, 255, 256, 257, 511, 699]) {
      const first = createTree();
      first.append(Buffer.concat(leaves.slice(0, size)));
      const stored = parseRange(serializeRange(first.range()))!;
      const second = createTree(stored);
      second.append(Buffer.concat(leaves.slice(size)));
      expect(second.range()).toEqual(whole.range());
      // The stored range has not grown with the tree.
      expect(hex(rootOf(stored))).toBe(hex(merkleRoot(leaves.slice(0, size))));
    }
  });

  test("is not parsed from bytes that are damaged or too short", () => {
    const tree = createTree();
    tree.append(Buffer.concat(leaves.slice(0, 7)));
    const bytes = serializeRange(tree.range());
    expect(parseRange(bytes)?.size).toBe(7);
    for (let length = 0; length < bytes.length; length++) {
      expect(parseRange(bytes.subarray(0, length))).toBeUndefined();
    }
    expect(parseRange(Uint8Array.from([...bytes, 0]))).toBeUndefined();
    expect(parseRange(new Uint8Array(8).fill(255))).toBeUndefined();
  });

  test("matches a tree head of the same size and root only", () => {
    const tree = createTree();
    tree.append(Buffer.concat(leaves.slice(0, 6)));
    const rootHash = merkleRoot(leaves.slice(0, 6));
    expect(matchesHead(tree.range(), { size: 6, rootHash })).toBe(true);
    expect(matchesHead(tree.range(), { size: 7, rootHash })).toBe(false);
    expect(matchesHead(tree.range(), { size: 6, rootHash: merkleRoot(leaves.slice(0, 5)) })).toBe(false);
  });

  test("follows from the tiles at the right edge of a tree", () => {
    for (const size of [0, 1, 255, 256, 257, 511, 512, 513, 700]) {
      const contents = rightEdgeTiles(size).map(({ level, index, width }) => {
        const hashes = level === 0 ? leaves : tileHashes(leaves);
        return Buffer.concat(hashes.slice(index * tileWidth, index * tileWidth + width));
      });
      const range = rangeFromTiles(size, contents)!;
      expect(hex(rootOf(range))).toBe(hex(merkleRoot(leaves.slice(0, size))));
      expect(range.size).toBe(size);
    }
    expect(rightEdgeTiles(70_000)).toEqual([
      { level: 2, index: 0, width: 1 },
      { level: 1, index: 1, width: 17 },
      { level: 0, index: 273, width: 112 },
    ]);
    expect(rangeFromTiles(3, [Buffer.concat(leaves.slice(0, 2))])).toBeUndefined();
    expect(rangeFromTiles(3, [])).toBeUndefined();
  });

  test("follows from the inclusion proof of the last leaf", () => {
    for (const size of [1, 2, 3, 4, 7, 8, 100, 255, 256, 257, 700]) {
      const part = leaves.slice(0, size);
      const range = rangeFromInclusion(size, part.at(-1)!, auditPath(size - 1, part))!;
      expect(hex(rootOf(range))).toBe(hex(merkleRoot(part)));
    }
    expect(rangeFromInclusion(7, leaves[6]!, auditPath(6, leaves.slice(0, 7)).slice(1))).toBeUndefined();
    expect(rangeFromInclusion(0, leaves[0]!, [])).toBeUndefined();
  });
});

describe("a tree head", () => {
  const origin = "log.example/2026h2";
  const head: TreeHead = {
    size: 7,
    rootHash: merkleRoot(leaves.slice(0, 7)),
    timestamp: Date.UTC(2026, 4, 1),
  };

  for (const type of ["ecdsa", "rsa"] as const) {
    test(`is accepted in both protocols if the log signed it with its ${type} key`, () => {
      const signer = createLogSigner(type);
      const verifier = createTreeHeadVerifier({ key: signer.key, origin });
      expect(verifier.checkpoint(Buffer.from(signer.checkpoint(origin, head)))).toEqual(head);
      expect(verifier.signedTreeHead(Buffer.from(signer.signedTreeHead(head)))).toEqual(head);
    });
  }

  test("is accepted among signatures of witnesses and of other keys with the log's name", () => {
    const [signer, other] = [createLogSigner(), createLogSigner()];
    const own = signer.checkpoint(origin, head);
    const line = other.checkpoint(origin, head).split("\n\n")[1]!;
    const note = own.replace("\n\n", `\n\n— grease.invalid lbCd1oRYil3zhIcUyx7k\n${line}`);
    expect(createTreeHeadVerifier({ key: signer.key, origin }).checkpoint(Buffer.from(note))).toEqual(head);
  });

  const signer = createLogSigner();
  const verifier = createTreeHeadVerifier({ key: signer.key, origin });
  const note = signer.checkpoint(origin, head);
  const rejected: [string, string, LogErrorKind][] = [
    ["of another log", signer.checkpoint("other.example", head), "signature"],
    ["with the signature of another key", createLogSigner().checkpoint(origin, head), "signature"],
    ["with a changed size", note.replace("\n7\n", "\n8\n"), "signature"],
    ["with a changed root", note.replace(/\n7\n.{4}/, "\n7\nAAAA"), "signature"],
    ["with an extension line", note.replace("\n\n", "\nextension\n\n"), "response"],
    ["without signatures", note.split("\n\n")[0]!, "response"],
    ["whose last line is cut", note.slice(0, -1), "response"],
    ["with a size that has a leading zero", note.replace("\n7\n", "\n07\n"), "response"],
    ["with a size beyond the limit", note.replace("\n7\n", "\n9999999999999999\n"), "response"],
    ["with a root of a wrong length", note.replace(/\n7\n.{4}/, "\n7\n"), "response"],
    ["that is HTML", "<!doctype html><p>Not found</p>\n\nSee /help\n", "response"],
    ["that is empty", "", "response"],
    ["that is too large", note + "— a b\n".repeat(treeHeadBytesMax / 8), "response"],
    ["with a signature line without a name", note + "— \n", "response"],
  ];
  for (const [what, text, kind] of rejected) {
    test(`is rejected as a checkpoint ${what}`, () => {
      expect(kindOf(() => verifier.checkpoint(Buffer.from(text)))).toBe(kind);
    });
  }

  const sth = signer.signedTreeHead(head);
  const rejectedHeads: [string, string, LogErrorKind][] = [
    ["with a changed size", sth.replace(`"tree_size":7`, `"tree_size":8`), "signature"],
    ["with a changed time", sth.replace(/"timestamp":\d/, `"timestamp":9`), "signature"],
    ["with a fractional size", sth.replace(`"tree_size":7`, `"tree_size":7.5`), "response"],
    ["with a size beyond the limit", sth.replace(`"tree_size":7`, `"tree_size":1e300`), "response"],
    ["without a root", sth.replace("sha256_root_hash", "root"), "response"],
    ["with a signature that is no base64", sth.replace(`_signature":"`, `_signature":"!`), "response"],
    ["that is null", "null", "response"],
    ["that is HTML", "<html>", "response"],
  ];
  for (const [what, text, kind] of rejectedHeads) {
    test(`is rejected as a response to get-sth ${what}`, () => {
      expect(kindOf(() => verifier.signedTreeHead(Buffer.from(text)))).toBe(kind);
    });
  }

  test("is rejected or the same, wherever a bit of a checkpoint is flipped", () => {
    const bytes = Buffer.from(note);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(kindOf(() => verifier.checkpoint(changed))).toMatch(/^(response|signature)$/);
    }
  });

  test("cannot be verified with a key that logs do not use", () => {
    const p384 = "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE" + "A".repeat(128);
    for (const key of ["", "!", "AAAA", p384]) {
      expect(kindOf(() => createTreeHeadVerifier({ key, origin }))).toBe("signature");
    }
  });
});

function tileHashes(hashes: readonly Uint8Array[]): Uint8Array[] {
  return Array.from({ length: Math.floor(hashes.length / 256) }, (_, index) =>
    tileHash(Buffer.concat(hashes.slice(index * 256, (index + 1) * 256))),
  );
}

/** Returns the kind of the error; throws any other error again. */
function kindOf(action: () => unknown): LogErrorKind | "none" {
  try {
    action();
    return "none";
  } catch (error) {
    if (error instanceof LogError) return error.kind;
    throw error;
  }
}
