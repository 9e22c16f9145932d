import type { Clock } from "../../../platform/lib/clock.ts";
import { LogError, type CertificateLog, type EntryBlock, type LogReader } from "../log.ts";
import { hashBytes, leafHash } from "../trees/hashes.ts";
import { inclusionOf } from "../trees/inclusion.ts";
import { tileWidth } from "../trees/right-edge.ts";
import { createTreeHeadVerifier, treeHeadBytesMax } from "../trees/tree-heads.ts";
import { afterResponse, batchAtFirst, batchEnd, halved } from "./batch-size.ts";
import { describeContent } from "./content.ts";
import type { ReadLimits } from "./limits.ts";
import type { LogRequests } from "./log-requests.ts";
import { createTiles } from "./tiles.ts";

/** Deepest possible proof in a tree of 2^48 entries. */
const proofHashesMax = 48;
const leafMark = Buffer.from('"leaf_input"');

/** How long data tiles are not requested after a log turned out not to serve them. */
const tilesRetryMs = 24 * 3_600_000;

/**
 * Reads a log by RFC 6962, sections 4.3 to 4.8.
 * @param mayHaveTiles whether to read full data tiles as in static-ct-api, if the log serves them too
 */
export function createRfc6962Reader({
  log,
  request,
  limits,
  clock,
  mayHaveTiles,
  close,
}: {
  log: CertificateLog;
  request: LogRequests;
  limits: ReadLimits;
  clock: Pick<Clock, "monotonicMs">;
  mayHaveTiles: boolean;
  close: () => void;
}): LogReader {
  const verifier = createTreeHeadVerifier(log);
  const tileWith = createTileReader({ request, limits, clock, isEnabled: mayHaveTiles });
  let batch = batchAtFirst;

  /** Reads what `parse` finds in a JSON object. Nested arrays take many times the size of their text. */
  const read = async <T>(path: string, signal: AbortSignal, parse: (value: JsonObject) => T): Promise<T> =>
    request({
      path: `ct/v1/${path}`,
      timeoutMs: limits.entryTimeoutMs,
      bytesMax: limits.bytesMax,
      tolerated: [],
      signal,
      parse: (bytes) => parse(jsonObject(bytes)),
    });

  async function entries(
    { from, to }: { from: number; to: number },
    signal: AbortSignal,
  ): Promise<EntryBlock | "too_large"> {
    const asked = batchEnd(batch, { from, to }) - from;
    return request({
      path: `ct/v1/get-entries?start=${from}&end=${from + asked - 1}`,
      timeoutMs: limits.entryTimeoutMs,
      bytesMax: limits.bytesMax,
      // Fewer entries are a smaller response, except for a single one.
      ...(asked === 1 ? { largeBytesMax: limits.largeBytesMax } : {}),
      tolerated: asked === 1 ? [] : ["too_large"],
      signal,
      parse(bytes, wireBytes) {
        const count = countEntries(bytes, asked);
        if (count === 0)
          throw new LogError("response", `the response ${describeContent(bytes, "has no entries")}`);
        if (count > asked) throw new LogError("response", "the response has more entries than requested");
        batch = afterResponse(batch, { from, asked, count });
        return { encoding: "get_entries", firstIndex: from, countMax: asked, bytes, wireBytes } as const;
      },
    });
  }

  return {
    log,
    close,
    treeHead: (signal) =>
      request({
        path: "ct/v1/get-sth",
        timeoutMs: limits.headTimeoutMs,
        bytesMax: treeHeadBytesMax,
        tolerated: [],
        signal,
        parse: (bytes) => verifier.signedTreeHead(bytes),
      }),
    async entries(range, { signal }) {
      const whole = await tileWith(range.from, range.treeSize, signal);
      if (whole !== undefined) return whole;
      for (;;) {
        const block = await entries(range, signal);
        if (block !== "too_large") return block;
        batch = halved(batch);
      }
    },
    partialLeafHashes: () => Promise.resolve(null),
    async compactRange(head, signal, size = head.size) {
      if (size === 0) return { size, hashes: [] };
      const inclusion = await read(
        `get-entry-and-proof?leaf_index=${size - 1}&tree_size=${head.size}`,
        signal,
        (value) =>
          inclusionOf({
            index: size - 1,
            treeSize: head.size,
            leafHash: leafHash(base64Of(value["leaf_input"])),
            auditPath: hashesOf(value["audit_path"]),
          }),
      );
      if (inclusion === undefined || Buffer.compare(inclusion.root, head.rootHash) !== 0) {
        throw new LogError("mismatch", "the log's inclusion proof contradicts its signed tree head");
      }
      return inclusion.range;
    },
  };
}

/** Returns a function that reads the full data tile with an entry; it returns undefined if the log does not have it. */
function createTileReader({
  request,
  limits,
  clock,
  isEnabled,
}: {
  request: LogRequests;
  limits: ReadLimits;
  clock: Pick<Clock, "monotonicMs">;
  isEnabled: boolean;
}): (entry: number, treeSize: number, signal: AbortSignal) => Promise<EntryBlock | undefined> {
  const tiles = createTiles({ request, limits });
  let readFromMs = isEnabled ? 0 : Infinity;
  return async (entry, treeSize, signal) => {
    const index = Math.floor(entry / tileWidth);
    if (clock.monotonicMs() < readFromMs || (index + 1) * tileWidth > treeSize) return undefined;
    try {
      const block = await tiles.fullData(index, signal);
      if (block !== "missing") return block;
    } catch (error) {
      if (!(error instanceof LogError) || (error.kind !== "response" && error.kind !== "status")) throw error;
    }
    readFromMs = clock.monotonicMs() + tilesRetryMs;
    return undefined;
  };
}

type JsonObject = Partial<Record<string, unknown>>;

/** Counts the entries of a response without parsing it, up to one more than requested. */
function countEntries(bytes: Uint8Array, asked: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let count = 0;
  // A quotation mark within a JSON string is escaped, so the mark is found only as a key.
  for (
    let at = text.indexOf(leafMark);
    at >= 0 && count <= asked;
    at = text.indexOf(leafMark, at + leafMark.length)
  ) {
    count++;
  }
  return count;
}

function jsonObject(bytes: Uint8Array): JsonObject {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Reported below.
  }
  throw new LogError("response", `the response ${describeContent(bytes, "is not a JSON object")}`);
}

function base64Of(value: unknown): Uint8Array {
  if (typeof value !== "string") throw new LogError("response", "the response has no leaf");
  return Buffer.from(value, "base64");
}

function hashesOf(value: unknown): Uint8Array[] {
  if (!Array.isArray(value) || value.length > proofHashesMax) {
    throw new LogError("response", "the response has no valid proof");
  }
  return value.map((text) => {
    const hash = typeof text === "string" ? Buffer.from(text, "base64") : new Uint8Array(0);
    if (hash.length !== hashBytes) throw new LogError("response", "the response has no valid proof");
    return new Uint8Array(hash);
  });
}
