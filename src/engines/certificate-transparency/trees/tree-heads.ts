/** Tree heads of logs: checkpoints (static-ct-api) and responses to get-sth (RFC 6962, section 4.3). */
import { verify } from "node:crypto";
import { parseJson } from "../../../platform/lib/json.ts";
import { LogError, type CertificateLog, type TreeHead } from "../log.ts";
import { hashBytes, sha256, treeSizeMax } from "./hashes.ts";
import { importLogKey, strictBase64, type LogKey } from "./log-key.ts";

/** A tree head with a signature that is not verified yet. */
interface Claim {
  head: TreeHead;
  /** hash algorithm ‖ signature algorithm ‖ length of the signature ‖ signature */
  signature: Uint8Array;
}

/** A checkpoint has about 250 bytes, and 150 more for each witness. */
export const treeHeadBytesMax = 64 * 1024;
const timestampMax = 8.64e15;
const sha256Number = 4;
/** Signature type of RFC 6962 tree heads in signed notes (c2sp.org/static-ct-api). */
const noteSignatureType = 5;
const keyIdBytes = 4;
const timestampBytes = 8;

/**
 * Verifies tree heads of one log. Both methods throw `LogError`: `response` for a wrong form, else `signature`.
 * Returns the verifier of a log. Throws `LogError` if the log's key cannot be used.
 */
export function createTreeHeadVerifier(log: Pick<CertificateLog, "key" | "origin">) {
  const key = importLogKey(log.key);
  const keyId = noteKeyId(log.origin, key.logId);
  return {
    /** Verifies the content of `<monitoring URL>checkpoint`. */
    checkpoint: (bytes: Uint8Array) => verified(readCheckpoint(bytes, { origin: log.origin, keyId }), key),

    /** Verifies the body of a response to get-sth. */
    signedTreeHead: (bytes: Uint8Array) => verified(readSignedTreeHead(bytes), key),
  };
}

/** Returns the ID that signatures of a log with this origin start with in its checkpoints. */
export function noteKeyId(origin: string, logId: Uint8Array): Uint8Array {
  const identity = Buffer.concat([Buffer.from(`${origin}\n`), Uint8Array.of(noteSignatureType), logId]);
  return sha256(identity).subarray(0, keyIdBytes);
}

/** Returns what a log signs for a tree head: the TreeHeadSignature of RFC 6962, section 3.5. */
export function signedBytes({ size, rootHash, timestamp }: TreeHead): Uint8Array {
  const bytes = new Uint8Array(2 + 8 + 8 + hashBytes);
  const view = new DataView(bytes.buffer);
  bytes[1] = 1;
  view.setBigUint64(2, BigInt(timestamp));
  view.setBigUint64(10, BigInt(size));
  bytes.set(rootHash, 18);
  return bytes;
}

function verified({ head, signature }: Claim, key: LogKey): TreeHead {
  const length = signature.length < 4 ? -1 : signature[2]! * 256 + signature[3]!;
  if (length !== signature.length - 4) throw malformed("has a signature of a wrong length");
  if (signature[0] !== sha256Number || signature[1] !== key.algorithm) {
    throw new LogError("signature", "the tree head is signed with another algorithm than the log's");
  }
  if (!isSignedBy(key, head, signature.subarray(4))) {
    throw new LogError("signature", "the log's key did not sign the tree head");
  }
  return head;
}

function isSignedBy(key: LogKey, head: TreeHead, signature: Uint8Array): boolean {
  try {
    return verify("sha256", signedBytes(head), key.publicKey, signature);
  } catch {
    return false;
  }
}

/**
 * Reads the three lines of a checkpoint and the log's own signature. Signatures of others, such as witnesses, are ignored:
 * they have another name or key ID.
 */
function readCheckpoint(bytes: Uint8Array, log: { origin: string; keyId: Uint8Array }): Claim {
  const text = decoded(bytes);
  const [head, signatures, ...rest] = text.split("\n\n");
  if (head === undefined || signatures === undefined || rest.length > 0 || !signatures.endsWith("\n")) {
    throw malformed("is not a signed note");
  }
  const [origin, size, root, ...extensions] = head.split("\n");
  if (size === undefined || root === undefined || extensions.length > 0) {
    throw malformed("does not have exactly three lines");
  }
  if (!/^(0|[1-9]\d{0,15})$/.test(size)) throw malformed("has no valid size");
  const lines = signatures.slice(0, -1).split("\n").map(readSignatureLine);
  if (origin !== log.origin) throw new LogError("signature", "the tree head belongs to another log");
  for (const { name, signature } of lines) {
    const isOwn = Buffer.compare(signature.subarray(0, keyIdBytes), log.keyId) === 0;
    if (name !== log.origin || !isOwn) continue;
    if (signature.length < keyIdBytes + timestampBytes) throw malformed("has a signature of a wrong length");
    const timestamp = Number(Buffer.from(signature).readBigUInt64BE(keyIdBytes));
    return {
      head: treeHead(Number(size), root, timestamp),
      signature: signature.subarray(keyIdBytes + timestampBytes),
    };
  }
  throw new LogError("signature", "the tree head has no signature of the log's key");
}

/** Reads `— <name> <base64>`. */
function readSignatureLine(line: string): { name: string; signature: Uint8Array } {
  const [dash, name, base64 = "", ...more] = line.split(" ");
  const signature = strictBase64(base64);
  if (dash !== "—" || !name || signature === undefined || more.length > 0) {
    throw malformed("has a malformed signature");
  }
  if (signature.length < keyIdBytes) throw malformed("has a signature of a wrong length");
  return { name, signature };
}

function readSignedTreeHead(bytes: Uint8Array): Claim {
  const value = parseJson(decoded(bytes)) as Partial<Record<string, unknown>> | null | undefined;
  if (value === undefined) throw malformed("is not JSON");
  const { tree_size, timestamp, sha256_root_hash, tree_head_signature } = value ?? {};
  if (typeof tree_size !== "number" || typeof timestamp !== "number") throw malformed("has no size and time");
  if (typeof sha256_root_hash !== "string") throw malformed("has no valid root hash");
  const signature = typeof tree_head_signature === "string" ? strictBase64(tree_head_signature) : undefined;
  if (signature === undefined) throw malformed("has a malformed signature");
  return { head: treeHead(tree_size, sha256_root_hash, timestamp), signature };
}

function treeHead(size: number, root: string, timestamp: number): TreeHead {
  if (!Number.isInteger(size) || size < 0 || size > treeSizeMax) throw malformed("has no valid size");
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp > timestampMax) {
    throw malformed("has no valid time");
  }
  const rootHash = strictBase64(root);
  if (rootHash?.length !== hashBytes) throw malformed("has no valid root hash");
  return { size, rootHash: new Uint8Array(rootHash), timestamp };
}

function decoded(bytes: Uint8Array): string {
  if (bytes.length > treeHeadBytesMax) throw malformed(`has more than ${treeHeadBytesMax} bytes`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed("is not UTF-8");
  }
}

function malformed(what: string): LogError {
  return new LogError("response", `the tree head ${what}`);
}
