import {
  createTree,
  rootOf,
  type Tree,
} from "../../../src/engines/certificate-transparency/trees/compact-range.ts";
import { tileHash, tileWidth } from "../../../src/engines/certificate-transparency/trees/right-edge.ts";
import type {
  CompactRange,
  LogProtocol,
  TreeHead,
} from "../../../src/engines/certificate-transparency/log.ts";
import {
  createLogSigner,
  dataTile,
  extension,
  getEntriesBody,
  logEntry,
  type LogEntry,
} from "../../../test/support/log-entries.ts";
import type { Random } from "../random.ts";

// Certificate logs of any size whose entries repeat after some blocks. All responses are made in advance, so that serving
// them takes hardly any processor time, and the tree of a log is one of blocks.

/** Consecutive entries, as both protocols serve them. */
export interface LogBlock {
  tile: Uint8Array<ArrayBuffer>;
  response: Uint8Array<ArrayBuffer>;
  /** 32 bytes for each entry, one after another. */
  leafHashes: Uint8Array;
  hash: Uint8Array;
  /** Range of all entries but the last one. */
  beforeLast: CompactRange;
  lastEntry: object;
}

export interface BlockLog {
  readonly name: string;
  readonly protocol: LogProtocol;
  readonly key: string;
  /** Adds full blocks, and signs a tree head. */
  grow(blocks: number): void;
  size(): number;
  respond(path: string, query: URLSearchParams): Response;
}

/** Sizes of the parts of real entries. */
const poisonBytes = 900;
const chainBytes = 1_800;
const secondNameShare = 0.5;

/** Makes blocks of entries with these names, one or two in each certificate. */
export function createBlocks(names: readonly string[], random: Random): LogBlock[] {
  const { fill } = random;
  const bytes = (length: number) => {
    const filled = new Uint8Array(length);
    fill(filled);
    return filled;
  };
  const chain = bytes(chainBytes);
  const timestamp = Date.now();
  return Array.from({ length: Math.floor(names.length / tileWidth) }, (_, block) => {
    const entries = names.slice(block * tileWidth, (block + 1) * tileWidth).map((name, index): LogEntry => {
      const entry = logEntry(index, {
        kind: random.below(2) === 0 ? "certificate" : "precertificate",
        names: random.unit() < secondNameShare ? [name, `www.${name}`] : [name],
        commonNames: [name],
        serial: `01${Buffer.from(bytes(15)).toString("hex")}`,
        timestamp,
        extensions: [extension("2b06010401d679020402", bytes(poisonBytes))],
      });
      return { ...entry, extraData: Buffer.concat([entry.extraData, chain]) };
    });
    return blockOf(entries);
  });
}

function blockOf(entries: readonly LogEntry[]): LogBlock {
  const body = getEntriesBody(entries);
  const leafHashes = Buffer.concat(entries.map((entry) => entry.leafHash));
  const tree = createTree();
  tree.append(leafHashes.subarray(0, -32));
  return {
    tile: Bun.gzipSync(dataTile(entries), { level: 1 }),
    response: Bun.gzipSync(Uint8Array.from(Buffer.from(body)), { level: 1 }),
    leafHashes,
    hash: tileHash(leafHashes),
    beforeLast: tree.range(),
    lastEntry: (JSON.parse(body) as { entries: object[] }).entries.at(-1)!,
  };
}

const notFound = () => new Response("not found", { status: 404 });

/** @param url of the log, with a slash at its end */
export function createBlockLog({
  name,
  protocol,
  url,
  blocks,
}: {
  name: string;
  protocol: LogProtocol;
  url: string;
  blocks: readonly LogBlock[];
}): BlockLog {
  const signer = createLogSigner();
  const origin = url.slice("http://".length, -1);
  const tree: Tree = createTree();
  /** Hashes of the nodes that each cover 256, 65,536 … entries. */
  const levels: Uint8Array[][] = [[]];
  let head: TreeHead = { size: 0, rootHash: rootOf(tree.range()), timestamp: Date.now() };
  let rangeBeforeLast: CompactRange = tree.range();
  const blockAt = (index: number) => blocks[index % blocks.length]!;
  const gzip = (body: Uint8Array<ArrayBuffer>, type: string) =>
    new Response(body, { headers: { "content-encoding": "gzip", "content-type": type } });

  function tile(rest: string): Response {
    const [, kind = "", groups = "", partial] =
      /^(\d+|data)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(rest) ?? [];
    if (kind === "") return notFound();
    const index = Number(groups.replaceAll(/[x/]/g, ""));
    const width = Number(partial ?? tileWidth);
    if (kind === "data" || kind === "0") {
      if ((index + 1) * tileWidth > head.size || partial !== undefined) return notFound();
      const { leafHashes, tile: data } = blockAt(index);
      return kind === "0"
        ? new Response(Uint8Array.from(leafHashes))
        : gzip(data, "application/octet-stream");
    }
    const hashes = levels[Number(kind) - 1]?.slice(index * tileWidth, index * tileWidth + width) ?? [];
    return hashes.length < width ? notFound() : new Response(Uint8Array.from(Buffer.concat(hashes)));
  }

  function entries(query: URLSearchParams): Response {
    const start = Number(query.get("start"));
    const index = Math.floor(start / tileWidth);
    // A log that cuts at multiples: everything is asked for in whole blocks after the first response.
    if (start % tileWidth !== 0 || start >= head.size) return new Response("bad range", { status: 400 });
    return gzip(blockAt(index).response, "application/json");
  }

  function entryAndProof(query: URLSearchParams): Response {
    if (Number(query.get("leaf_index")) !== head.size - 1) return new Response("unknown", { status: 400 });
    const { beforeLast, lastEntry } = blockAt(head.size / tileWidth - 1);
    const path = [...rangeBeforeLast.hashes, ...beforeLast.hashes].toReversed();
    return Response.json({
      ...lastEntry,
      audit_path: path.map((hash) => Buffer.from(hash).toString("base64")),
    });
  }

  return {
    name,
    protocol,
    key: signer.key,
    size: () => head.size,
    grow(count) {
      const first = tree.size;
      for (let index = first; index < first + count; index++) {
        if (index === first + count - 1) rangeBeforeLast = tree.range();
        const { hash } = blockAt(index);
        tree.append(hash);
        levels[0]!.push(hash);
        for (let level = 0; levels[level]!.length % tileWidth === 0; level++) {
          levels[level + 1] ??= [];
          levels[level + 1]!.push(tileHash(Buffer.concat(levels[level]!.slice(-tileWidth))));
        }
      }
      head = { size: tree.size * tileWidth, rootHash: rootOf(tree.range()), timestamp: Date.now() };
    },
    respond(path, query) {
      if (protocol === "static") {
        if (path === "checkpoint") return new Response(signer.checkpoint(origin, head));
        return path.startsWith("tile/") ? tile(path.slice("tile/".length)) : notFound();
      }
      if (path === "ct/v1/get-sth") return new Response(signer.signedTreeHead(head));
      if (path === "ct/v1/get-entries") return entries(query);
      return path === "ct/v1/get-entry-and-proof" ? entryAndProof(query) : notFound();
    },
  };
}
