import { parseJson } from "../../../platform/lib/json.ts";
import { LogError, type EntryBlock, type LogReader, type CompactRange } from "../log.ts";
import { hashBytes, leafHash, nodeHash } from "../trees/hashes.ts";
import { tileWidth, rangeFromInclusion } from "../trees/right-edge.ts";
import { createTreeHeadVerifier, treeHeadBytesMax } from "../trees/tree-heads.ts";
import { describeContent } from "./content.ts";
import { createTiles, type ReaderDependencies } from "./tiles.ts";

/** Deepest possible proof in a tree of 2^48 entries. */
const proofHashesMax = 48;
const leafMark = Buffer.from('"leaf_input"');

/** How long data tiles are not requested after a log turned out not to serve them. */
const tilesRetryMs = 24 * 3_600_000;

/**
 * Reads a log by RFC 6962, sections 4.3 to 4.8.
 * @param mayHaveTiles whether to read full data tiles as in static-ct-api, if the log serves them too
 */
export function createRfc6962Reader(dependencies: ReaderDependencies, mayHaveTiles: boolean): LogReader {
  const { log, request, limits, close } = dependencies;
  const verifier = createTreeHeadVerifier(log);
  const tileWith = createTileReader(dependencies, mayHaveTiles);
  let batch = batchAtFirst;

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
      const place = { index: size - 1, treeSize: head.size };
      const inclusion = await request({
        path: `ct/v1/get-entry-and-proof?leaf_index=${place.index}&tree_size=${place.treeSize}`,
        timeoutMs: limits.entryTimeoutMs,
        // Nested arrays take many times the size of their text.
        bytesMax: limits.bytesMax,
        tolerated: [],
        signal,
        parse(bytes) {
          const { leaf_input, audit_path } = jsonObject(bytes);
          return inclusionOf(leafHash(base64Of(leaf_input)), hashesOf(audit_path), place);
        },
      });
      if (inclusion === undefined || Buffer.compare(inclusion.root, head.rootHash) !== 0) {
        throw new LogError("mismatch", "the log's inclusion proof contradicts its signed tree head");
      }
      return inclusion.range;
    },
  };
}

/** Returns a function that reads the full data tile with an entry; it returns undefined if the log does not have it. */
function createTileReader({ request, limits, clock }: ReaderDependencies, isEnabled: boolean) {
  const tiles = createTiles({ request, limits });
  let readFromMs = isEnabled ? 0 : Infinity;
  return async (entry: number, treeSize: number, signal: AbortSignal): Promise<EntryBlock | undefined> => {
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
  let at = text.indexOf(leafMark);
  for (; at >= 0 && count <= asked; at = text.indexOf(leafMark, at + leafMark.length)) count++;
  return count;
}

function jsonObject(bytes: Uint8Array): JsonObject {
  const value = parseJson(bytes);
  if (typeof value === "object" && value !== null) return value;
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

/** Maximum number of entries that are requested with get-entries. */
export const batchMax = 1_024;
/** Full responses in a row after which a larger batch is tried, because a log can change its maximum. */
const fullResponsesUntilLarger = 64;

/** Knowledge about how many entries a log returns at most. */
interface BatchSize {
  /** Entries to request; requests end at a multiple of it, as caches of logs expect. */
  size: number;
  /** Full responses since the size changed. */
  full: number;
  /** End of the last response, if it was short; otherwise -1. */
  cutAt: number;
}

export const batchAtFirst: BatchSize = { size: batchMax, full: 0, cutAt: -1 };

/** Returns the end (exclusive) of the next request. */
export function batchEnd({ size, cutAt }: BatchSize, { from, to }: { from: number; to: number }): number {
  // A whole batch from the place of a cut shows the log's maximum, whether it cuts at multiples or not.
  return Math.min(to, from === cutAt ? from + size : (Math.floor(from / size) + 1) * size);
}

/**
 * Returns what is known after a response with `count` of `asked` entries from index `from`. A log may return fewer entries
 * than requested (RFC 6962, section 4.6): some cut at their maximum, others at a multiple of it. Only a second short
 * response in a row changes the size: the first one can have begun between two multiples, or be an exception.
 */
export function afterResponse(
  { size, full, cutAt }: BatchSize,
  { from, asked, count }: { from: number; asked: number; count: number },
): BatchSize {
  if (count < asked) return { size: from === cutAt ? count : size, full: 0, cutAt: from + count };
  // A request that was small because of its place proves nothing.
  if (asked < size) return { size, full, cutAt: -1 };
  return full + 1 < fullResponsesUntilLarger
    ? { size, full: full + 1, cutAt: -1 }
    : { size: Math.min(batchMax, size * 2), full: 0, cutAt: -1 };
}

/** Returns a smaller batch, after a response that was too large. */
function halved({ size }: BatchSize): BatchSize {
  return { size: Math.max(1, Math.floor(size / 2)), full: 0, cutAt: -1 };
}

/** An inclusion proof whose root is to be compared with a tree head. */
interface Inclusion {
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
export function inclusionOf(
  leaf: Uint8Array,
  auditPath: readonly Uint8Array[],
  { index, treeSize }: { index: number; treeSize: number },
): Inclusion | undefined {
  let node = index;
  let last = treeSize - 1;
  let root = leaf;
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
  const range = last === 0 ? rangeFromInclusion(index + 1, leaf, left) : undefined;
  return range === undefined ? undefined : { root, range };
}
