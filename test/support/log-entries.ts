import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { leafHash, nodeHash, sha256 } from "../../src/engines/certificate-transparency/trees/hashes.ts";
import { noteKeyId, signedBytes } from "../../src/engines/certificate-transparency/trees/tree-heads.ts";
import type { TreeHead } from "../../src/engines/certificate-transparency/log.ts";
import { der, oid, sequence, time } from "./certificates.ts";

// Generates entries of certificate logs and signs tree heads. Certificates in logs are not verified by their readers, so
// these have a constant key and signature, and making one takes microseconds.

export interface CertificateOptions {
  /** dNSNames, as text in UTF-8 or as raw bytes. */
  names?: readonly (string | Uint8Array)[];
  /** Common names of the subject. Default: none. */
  commonNames?: readonly (string | Uint8Array)[];
  /** Common name of the issuer, whose organization is "Test CA". Default: "R1". */
  issuer?: string;
  /** Hexadecimal; its first bit must not be set. Default: "01". */
  serial?: string;
  /** Default: 2026-01-01. */
  notBefore?: number;
  /** Further parts of the SAN extension, as DER. */
  alternatives?: readonly Uint8Array[];
  /** Further extensions, as DER. */
  extensions?: readonly Uint8Array[];
}

const ninetyDaysMs = 90 * 86_400_000;
const signatureAlgorithm = sequence(oid("2a8648ce3d040302"));
// The public key of a P-256 key pair that was thrown away.
const publicKeyInfo = Buffer.from(
  "3059301306072a8648ce3d020106082a8648ce3d03010703420004" +
    "c4b42779166f1d9f67a480bd35eb56b98072bb30ba786565a0e32d57f8c1c200" +
    "2c61f8a704a374bee799c9e2168da69331e59205b5e99eab46e57f7c59fbdc0f",
  "hex",
);

const attribute = (type: string, value: string | Uint8Array) =>
  der(0x31, sequence(oid(type), der(0x0c, Buffer.from(value as string))));

/** Makes an extension from the hexadecimal form of its OID's content. */
export const extension = (id: string, value: Uint8Array) => sequence(oid(id), der(0x04, value));

/** Makes the SAN extension with these dNSNames and further GeneralNames. */
export function alternativeNames(
  names: readonly (string | Uint8Array)[],
  others: readonly Uint8Array[] = [],
): Uint8Array {
  const parts = names.map((name) => der(0x82, Buffer.from(name as string)));
  return extension("551d11", sequence(...parts, ...others));
}

/** Makes a TBSCertificate, as it is in the leaf of a precertificate's entry. */
export function tbsCertificate({
  names = [],
  commonNames = [],
  issuer = "R1",
  serial = "01",
  notBefore = Date.UTC(2026, 0, 1),
  alternatives = [],
  extensions = [],
}: CertificateOptions): Uint8Array {
  const all = [
    ...(names.length + alternatives.length === 0 ? [] : [alternativeNames(names, alternatives)]),
    ...extensions,
  ];
  return sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, Buffer.from(serial, "hex")),
    signatureAlgorithm,
    sequence(attribute("55040a", "Test CA"), attribute("550403", issuer)),
    sequence(time(notBefore), time(notBefore + ninetyDaysMs)),
    sequence(...commonNames.map((name) => attribute("550403", name))),
    publicKeyInfo,
    ...(all.length === 0 ? [] : [der(0xa3, sequence(...all))]),
  );
}

/** Makes a certificate; its signature is not valid. */
export function certificateDer(options: CertificateOptions): Uint8Array {
  return sequence(tbsCertificate(options), signatureAlgorithm, der(0x03, new Uint8Array(65)));
}

/** An entry of a log in the forms in which logs serve it. */
export interface LogEntry {
  /** MerkleTreeLeaf: `leaf_input` of get-entries. */
  leaf: Uint8Array;
  leafHash: Uint8Array;
  /** `extra_data` of get-entries. */
  extraData: Uint8Array;
  /** The entry in a data tile. */
  tileLeaf: Uint8Array;
  /** The line in a names tile, without its end. */
  namesLine: string;
}

export interface EntryOptions extends CertificateOptions {
  kind?: "certificate" | "precertificate";
  /** Milliseconds since the Unix epoch. Default: 2026-01-01. */
  timestamp?: number;
  /** Certificate or TBSCertificate instead of one with the other options. */
  bytes?: Uint8Array;
}

/** Makes the entry with this index. Static logs write the index into it; so do these entries. */
export function logEntry(index: number, options: EntryOptions): LogEntry {
  const { kind = "certificate", timestamp = Date.UTC(2026, 0, 1), names = [], commonNames = [] } = options;
  const isPrecertificate = kind === "precertificate";
  const body = options.bytes ?? (isPrecertificate ? tbsCertificate(options) : certificateDer(options));
  const extensions = Buffer.concat([Uint8Array.of(0, 0, 5), unsigned(index, 5)]);
  const signed = Buffer.concat([
    unsigned(timestamp, 8),
    unsigned(isPrecertificate ? 1 : 0, 2),
    ...(isPrecertificate ? [sha256(Buffer.from("issuer"))] : []),
    withLength(body, 3),
    withLength(extensions, 2),
  ]);
  const leaf = Buffer.concat([Uint8Array.of(0, 0), signed]);
  const precertificate = isPrecertificate ? withLength(body, 3) : new Uint8Array(0);
  const text = (name: string | Uint8Array) => Buffer.from(name as string).toString();
  return {
    leaf,
    leafHash: leafHash(leaf),
    extraData: Buffer.concat([precertificate, withLength(new Uint8Array(0), 3)]),
    tileLeaf: Buffer.concat([signed, precertificate, withLength(sha256(Buffer.from("issuer")), 2)]),
    namesLine: JSON.stringify({
      Timestamp: timestamp,
      Subject: { CommonName: commonNames[0] === undefined ? undefined : text(commonNames[0]) },
      DNS: names.map(text),
    }),
  };
}

export const dataTile = (entries: readonly LogEntry[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.concat(entries.map(({ tileLeaf }) => tileLeaf)));

export const namesTile = (entries: readonly LogEntry[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(entries.map(({ namesLine }) => `${namesLine}\n`).join("")));

/** Makes the body of a response to get-entries. */
export function getEntriesBody(entries: readonly LogEntry[]): string {
  return JSON.stringify({
    entries: entries.map(({ leaf, extraData }) => ({
      leaf_input: Buffer.from(leaf).toString("base64"),
      extra_data: Buffer.from(extraData).toString("base64"),
    })),
  });
}

/** Merkle tree hash as RFC 6962, section 2.1 defines it; the naive reference. */
export function merkleRoot(leafHashes: readonly Uint8Array[]): Uint8Array {
  if (leafHashes.length === 0) return sha256(new Uint8Array(0));
  if (leafHashes.length === 1) return leafHashes[0]!;
  const half = largestPowerBelow(leafHashes.length);
  return nodeHash(merkleRoot(leafHashes.slice(0, half)), merkleRoot(leafHashes.slice(half)));
}

/** Audit path of a leaf as RFC 6962, section 2.1.1 defines it. */
export function auditPath(index: number, leafHashes: readonly Uint8Array[]): Uint8Array[] {
  if (leafHashes.length <= 1) return [];
  const half = largestPowerBelow(leafHashes.length);
  const [left, right] = [leafHashes.slice(0, half), leafHashes.slice(half)];
  return index < half
    ? [...auditPath(index, left), merkleRoot(right)]
    : [...auditPath(index - half, right), merkleRoot(left)];
}

/** Key pair of a log. */
export interface LogSigner {
  /** Base64 of the SubjectPublicKeyInfo. */
  key: string;
  logId: string;
  /** Returns the checkpoint of a static log. */
  checkpoint(origin: string, head: TreeHead): string;
  /** Returns the body of a response to get-sth. */
  signedTreeHead(head: TreeHead): string;
}

export function createLogSigner(type: "ecdsa" | "rsa" = "ecdsa"): LogSigner {
  const { publicKey, privateKey } =
    type === "ecdsa"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const key = publicKey.export({ type: "spki", format: "der" });
  const logId = sha256(key);
  return {
    key: key.toString("base64"),
    logId: Buffer.from(logId).toString("base64"),
    checkpoint(origin, head) {
      const signature = Buffer.concat([
        noteKeyId(origin, logId),
        unsigned(head.timestamp, 8),
        digitallySigned(head, privateKey),
      ]).toString("base64");
      const root = Buffer.from(head.rootHash).toString("base64");
      return `${origin}\n${head.size}\n${root}\n\n— ${origin} ${signature}\n`;
    },
    signedTreeHead: (head) =>
      JSON.stringify({
        tree_size: head.size,
        timestamp: head.timestamp,
        sha256_root_hash: Buffer.from(head.rootHash).toString("base64"),
        tree_head_signature: digitallySigned(head, privateKey).toString("base64"),
      }),
  };
}

function digitallySigned(head: TreeHead, key: KeyObject): Buffer {
  const algorithm = key.asymmetricKeyType === "rsa" ? 1 : 3;
  return Buffer.concat([Uint8Array.of(4, algorithm), withLength(sign("sha256", signedBytes(head), key), 2)]);
}

function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

function withLength(bytes: Uint8Array, lengthBytes: number): Uint8Array {
  return Buffer.concat([unsigned(bytes.length, lengthBytes), bytes]);
}

/** Big-endian. */
function unsigned(value: number, bytes: number): Uint8Array {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer.subarray(8 - bytes);
}
