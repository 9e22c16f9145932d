import type { Instant } from "../../platform/lib/clock.ts";

/** Protocols of certificate logs: static-ct-api (C2SP) and RFC 6962. */
export type LogProtocol = "static" | "rfc6962";

/** A certificate log, as a log list or the configuration describes it. */
export interface CertificateLog {
  /** Base64 of the SHA-256 hash of the public key (RFC 6962 §3.2). Identifies the log. */
  logId: string;
  /** Text for people, such as "Google 'Argon2026h2' log". */
  description: string;
  operator: string;
  /** Base64 of the public key as SubjectPublicKeyInfo. */
  key: string;
  protocol: LogProtocol;
  /** Monitoring URL (static) or base URL (RFC 6962), with a slash at its end. */
  url: string;
  /** Name in the checkpoints of a static log: its submission URL without scheme and last slash. */
  origin: string;
  /** The operator of the appliance declared it: plain HTTP and private addresses are permitted. */
  isExtra: boolean;
  /** Size at which the log stopped growing, if the list says that it is read-only. */
  finalSize: number | null;
}

/** A signed statement of a log about its size and content, whose signature was verified. */
export interface TreeHead {
  size: number;
  /** Merkle tree hash of all entries, 32 bytes. */
  rootHash: Uint8Array;
  timestamp: Instant;
}

/**
 * Roots of the perfect subtrees that a tree of `size` leaves consists of, the largest one first: one for each bit that is
 * set in `size`. With it, a root is computed from new leaves without the old ones.
 */
export interface CompactRange {
  size: number;
  hashes: Uint8Array[];
}

/** Form in which a log serves entries. `names_tile` contains names only and cannot be verified. */
export type EntryEncoding = "data_tile" | "get_entries" | "names_tile";

/** Consecutive entries of a log, as it served them. */
export interface EntryBlock {
  encoding: EntryEncoding;
  /** Index of the first entry in `bytes`. May be lower than requested, because tiles are served as a whole. */
  firstIndex: number;
  /** Number of entries that a tile is said to hold; for `get_entries`, the maximum that was requested. */
  countMax: number;
  /** Body of the response, after the content encoding was removed; bounded by the reader. */
  bytes: Uint8Array;
  /** Size of the body on the wire. */
  wireBytes: number;
}

/** Reads one log. Every method throws only `LogError`, or the reason of an aborted signal. */
export interface LogReader {
  readonly log: CertificateLog;
  /** Reads the current tree head and verifies its signature. */
  treeHead(signal: AbortSignal): Promise<TreeHead>;
  /**
   * Reads entries from index `from`, at most up to `to` (exclusive), which must not exceed the size of a verified tree
   * head. May return fewer; never none.
   * @param options.namesOnly reads names tiles where the log serves them
   */
  entries(
    range: { from: number; to: number; treeSize: number },
    options: { namesOnly: boolean; signal: AbortSignal },
  ): Promise<EntryBlock>;
  /**
   * Reads the leaf hashes of the last, incomplete tile of a static log: those from the last multiple of 256 to `size`.
   * Verifies a checkpoint without reading the data of the incomplete tile. Null for RFC 6962.
   */
  partialLeafHashes(size: number, signal: AbortSignal): Promise<Uint8Array[] | null>;
  /**
   * Reads the compact range of the first `size` entries (default: all) of the tree with this head, and verifies it against
   * the root: where a log starts at its end, or entries are skipped.
   */
  compactRange(head: TreeHead, signal: AbortSignal, size?: number): Promise<CompactRange>;
  close(): void;
}

/**
 * - `network`: no connection, no response, an interrupted one, a timeout, an address that is not permitted
 * - `rate_limited`: 429 or 503 with or without Retry-After
 * - `status`: any other status than 200
 * - `response`: too large, or not in the form that the protocol requires
 * - `signature`: a tree head that the log's key did not sign
 * - `mismatch`: entries or hashes that contradict a signed tree head, or a tree that shrank
 */
export type LogErrorKind = "network" | "rate_limited" | "status" | "response" | "signature" | "mismatch";

/** A failure to read a log. The message is a phrase for the operator, without the name of the log. */
export class LogError extends Error {
  readonly kind: LogErrorKind;
  /** How long to send no request to the log, as it asked for or as repeated errors demand; null: no request failed. */
  readonly retryAfterMs: number | null;

  constructor(kind: LogErrorKind, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.name = "LogError";
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
