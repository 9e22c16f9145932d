import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import type { CertificateLog, LogReader, TreeHead } from "../../engines/certificate-transparency/log.ts";
import { createTree, rootOf } from "../../engines/certificate-transparency/trees/compact-range.ts";
import { leafHash } from "../../engines/certificate-transparency/trees/hashes.ts";
import { signedBytes } from "../../engines/certificate-transparency/trees/tree-heads.ts";
import type { Clock } from "../../platform/lib/clock.ts";
import { encodeEntry, type LogEntry, type LoggedCertificate } from "./entry.ts";

/** A certificate log in memory. An entry joins the tree when the sandbox's clock reaches its time. */
export interface SandboxLog {
  readonly log: CertificateLog;
  readonly reader: LogReader;
  /** Adds a certificate, now or at its time. */
  add(certificate: LoggedCertificate): void;
  /** Returns the index of a certificate; undefined before its time. */
  indexOf(certificate: LoggedCertificate): number | undefined;
  /** Certificates in the order of their entries, then those that are logged later. */
  certificates(): LoggedCertificate[];
  /** Responses of RFC 6962, sections 4.3 and 4.6. */
  signedTreeHead(): object;
  entries(start: number, end: number): object;
}

/** Public, as everything in the sandbox: it makes the tree heads verifiable. */
const privateKey = createPrivateKey(`-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgeaBLi9kw2uQYr7g8
s44iuUSgzPPanu+x2RoGjYbphTyhRANCAAT3RFZIxXGpsIUDvbp0rZ+jM3bq1Jyr
a+pzgL/VgcFIpktNyLuLm+uimAAJT1m76hn1hJcTl/ipvaZDeXo6lEGZ
-----END PRIVATE KEY-----`);
/** Maximum number of entries in a response. */
const entriesMax = 256;
const ecdsaWithSha256 = Uint8Array.of(4, 3);

/** @param url address below which the log is served, with a slash at its end */
export function createSandboxLog({
  clock,
  url,
  certificates,
}: {
  clock: Pick<Clock, "now">;
  url: string;
  certificates: readonly LoggedCertificate[];
}): SandboxLog {
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  const log: CertificateLog = {
    logId: createHash("sha256").update(spki).digest("base64"),
    description: "Sandbox log",
    operator: "Sandbox",
    key: spki.toString("base64"),
    protocol: "rfc6962",
    url,
    origin: "",
    isExtra: true,
    finalSize: null,
  };
  const tree = createTree();
  const logged: LoggedCertificate[] = [];
  const encoded: LogEntry[] = [];
  let waiting = [...certificates];

  function grow(): void {
    const now = clock.now();
    const due = waiting.filter(({ loggedAt }) => loggedAt <= now);
    waiting = waiting.filter(({ loggedAt }) => loggedAt > now);
    // Stable, so that certificates of the same time stay in their order.
    for (const one of due.sort((a, b) => a.loggedAt - b.loggedAt)) {
      const entry = encodeEntry(one);
      logged.push(one);
      encoded.push(entry);
      tree.append(leafHash(entry.leaf));
    }
  }

  function head(): TreeHead {
    grow();
    return { size: tree.size, rootHash: rootOf(tree.range()), timestamp: clock.now() };
  }

  function entries(start: number, end: number): object {
    const served = encoded.slice(start, Math.min(end + 1, start + entriesMax));
    return {
      entries: served.map(({ leaf, extraData }) => ({
        leaf_input: Buffer.from(leaf).toString("base64"),
        extra_data: Buffer.from(extraData).toString("base64"),
      })),
    };
  }

  return {
    log,
    add(certificate) {
      waiting.push(certificate);
      grow();
    },
    indexOf(certificate) {
      const index = logged.indexOf(certificate);
      return index < 0 ? undefined : index;
    },
    certificates: () => [...logged, ...waiting],
    signedTreeHead() {
      const signed = head();
      const signature = sign("sha256", signedBytes(signed), privateKey);
      const length = Uint8Array.of(signature.length >> 8, signature.length & 0xff);
      return {
        tree_size: signed.size,
        timestamp: signed.timestamp,
        sha256_root_hash: Buffer.from(signed.rootHash).toString("base64"),
        tree_head_signature: Buffer.concat([ecdsaWithSha256, length, signature]).toString("base64"),
      };
    },
    entries(start, end) {
      grow();
      return entries(start, end);
    },
    reader: {
      log,
      treeHead: async () => head(),
      async entries({ from, to }) {
        const bytes = Buffer.from(JSON.stringify(entries(from, to - 1)));
        const countMax = Math.min(entriesMax, to - from);
        return { encoding: "get_entries", firstIndex: from, countMax, bytes, wireBytes: bytes.length };
      },
      partialLeafHashes: async () => null,
      async compactRange({ size: whole }, _, size = whole) {
        const part = createTree();
        for (const { leaf } of encoded.slice(0, size)) part.append(leafHash(leaf));
        return part.range();
      },
      close() {},
    },
  };
}
