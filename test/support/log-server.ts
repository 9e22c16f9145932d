import type {
  CertificateLog,
  LogProtocol,
  TreeHead,
} from "../../src/engines/certificate-transparency/log.ts";
import { createTree, rootOf } from "../../src/engines/certificate-transparency/trees/compact-range.ts";
import { tileHash, tileWidth } from "../../src/engines/certificate-transparency/trees/right-edge.ts";
import {
  auditPath,
  createLogSigner,
  dataTile,
  getEntriesBody,
  logEntry,
  namesTile,
  type EntryOptions,
  type LogEntry,
  type LogSigner,
} from "./log-entries.ts";
import type { LogFault } from "./log-server-faults.ts";

// Certificate logs over loopback: both protocols, over entries that are made when they are requested.

export interface TestLogOptions {
  name: string;
  protocol: LogProtocol;
  /** Default: the name. */
  operator?: string;
  /** Content of an entry; called again whenever the entry is served, so it must return the same each time. */
  entryAt: (index: number) => EntryOptions;
  signer?: LogSigner;
  /** Maximum number of entries in a response to get-entries. Default: 256. */
  batch?: number;
  /** Cuts responses to get-entries at multiples of `batch`. */
  isAligned?: boolean;
  /** Whether the log serves names tiles. */
  hasNames?: boolean;
  /** Whether the log, although an RFC 6962 log, serves data tiles. */
  hasTiles?: boolean;
  /** Default: true. */
  isCompressed?: boolean;
}

export interface TestLog {
  /** The log as a declared one, so that readers may connect to loopback. */
  readonly log: CertificateLog;
  /** Size of the published tree head. */
  size(): number;
  /** Adds entries and publishes a tree head. */
  grow(count: number, timestamp?: number): void;
  /** Root of the published tree, or of one that was published before. */
  rootAt(size: number): Uint8Array;
  /** Publishes this instead of the tree head; undefined: the true one. */
  pretend(head: Partial<TreeHead> | undefined, signer?: LogSigner): void;
}

export interface LogServer {
  readonly url: string;
  add(options: TestLogOptions): TestLog;
  /** Paths that were requested, with their query, in order. */
  readonly requests: string[];
  /** Headers of the last request. */
  lastHeaders(): Headers;
  /** Number of requests whose path contains the text. */
  count(text: string): number;
  /**
   * Replaces responses by faulty ones.
   * @param matches text in the path, or a function of it
   * @param times number of responses; default: all from now on
   * @returns a function that ends the fault
   */
  fail(matches: string | ((path: string) => boolean), fault: LogFault, times?: number): () => void;
  /** Serves any other path, such as a log list. */
  serve(path: string, respond: (request: Request) => Response): void;
  /** Returns the response to another path, for a fault that swaps logs. */
  respond(path: string): Response;
  stop(): Promise<void>;
}

interface Fault {
  matches: (path: string) => boolean;
  fault: LogFault;
  remaining: number;
}

type Endpoint = (rest: string, query: URLSearchParams) => Response;

const notFound = () => new Response("not found", { status: 404 });
const json = (text: string) => new Response(text, { headers: { "content-type": "application/json" } });

/** Starts a server for any number of logs, each below the path of its name. */
export function startLogServer({ port = 0 }: { port?: number } = {}): LogServer {
  const logs = new Map<string, Endpoint>();
  const others = new Map<string, (request: Request) => Response>();
  const requests: string[] = [];
  let faults: Fault[] = [];
  let headers = new Headers();

  const respond = (path: string, request: Request): Response => {
    const other = others.get(path);
    if (other !== undefined) return other(request);
    const { pathname, searchParams } = new URL(path, "http://log.test");
    const [, name = "", rest = ""] = /^\/([^/]+)\/(.*)$/.exec(pathname) ?? [];
    return logs.get(name)?.(rest, searchParams) ?? notFound();
  };

  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const path = pathname + search;
      requests.push(path);
      headers = request.headers;
      const fault = faults.find(({ matches, remaining }) => remaining > 0 && matches(path));
      if (fault === undefined) return respond(path, request);
      fault.remaining--;
      return fault.fault(() => respond(path, request), path);
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;

  return {
    url,
    requests,
    lastHeaders: () => headers,
    count: (text) => requests.filter((path) => path.includes(text)).length,
    serve: (path, handler) => void others.set(path, handler),
    fail(matches, fault, times = Infinity) {
      const isMatch = typeof matches === "string" ? (path: string) => path.includes(matches) : matches;
      const added = { matches: isMatch, fault, remaining: times };
      faults = [...faults, added];
      return () => void (faults = faults.filter((other) => other !== added));
    },
    add(options) {
      const { testLog, endpoint } = createTestLog(options, url);
      logs.set(options.name, endpoint);
      return testLog;
    },
    respond: (path) => respond(path, new Request(url)),
    stop: () => server.stop(true),
  };
}

function createTestLog(options: TestLogOptions, serverUrl: string): { testLog: TestLog; endpoint: Endpoint } {
  const { name, protocol, signer = createLogSigner(), isCompressed = true } = options;
  const url = `${serverUrl}${name}/`;
  const origin = url.slice("http://".length, -1);
  const tree = createTree();
  /** Hashes by level of tiles, one after another. */
  const levels: Uint8Array[][] = [[]];
  const heads = new Map<number, { head: TreeHead; proof: Uint8Array[] }>();
  let published: TreeHead = { size: 0, rootHash: rootOf(tree.range()), timestamp: 0 };
  let pretended: { head: Partial<TreeHead>; signer: LogSigner } | undefined;

  const compressed = (bytes: Uint8Array<ArrayBuffer>, type: string) =>
    isCompressed
      ? new Response(Bun.gzipSync(bytes), { headers: { "content-encoding": "gzip", "content-type": type } })
      : new Response(bytes, { headers: { "content-type": type } });
  const entries = (from: number, to: number): LogEntry[] =>
    Array.from({ length: to - from }, (_, offset) => logEntry(from + offset, options.entryAt(from + offset)));
  const currentHead = () => ({ ...published, ...pretended?.head });
  const currentSigner = () => pretended?.signer ?? signer;

  const append = (leafHash: Uint8Array) => {
    tree.append(leafHash);
    levels[0]!.push(leafHash);
    for (let level = 0; levels[level]!.length % tileWidth === 0; level++) {
      levels[level + 1] ??= [];
      levels[level + 1]!.push(tileHash(Buffer.concat(levels[level]!.slice(-tileWidth))));
    }
  };

  /** Serves a full tile, or an incomplete one whose size was published. */
  const tile = (path: string): Response => {
    const parsed = /^(\d+|data|names)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(path);
    if (parsed === null) return notFound();
    const [, kind = "", groups = "", partial] = parsed;
    const index = Number(groups.replaceAll(/[x/]/g, ""));
    const width = partial === undefined ? tileWidth : Number(partial);
    const from = index * tileWidth;
    if (/^\d+$/.test(kind)) {
      const hashes = levels[Number(kind)] ?? [];
      if (width < 1 || from + width > hashes.length) return notFound();
      return new Response(Uint8Array.from(Buffer.concat(hashes.slice(from, from + width))));
    }
    if (width < 1 || from + width > published.size) return notFound();
    if (partial !== undefined && !heads.has(from + width)) return notFound();
    if (kind === "data") return compressed(dataTile(entries(from, from + width)), "application/octet-stream");
    if (options.hasNames !== true) return notFound();
    return compressed(namesTile(entries(from, from + width)), "application/jsonl");
  };

  const getEntries = (query: URLSearchParams): Response => {
    const { batch = 256, isAligned = false } = options;
    const [start, end] = [Number(query.get("start")), Number(query.get("end"))];
    if (!(start <= end) || start >= published.size) return new Response("bad range", { status: 400 });
    const limit = isAligned ? (Math.floor(start / batch) + 1) * batch : start + batch;
    const stop = Math.min(end + 1, published.size, limit);
    return compressed(Uint8Array.from(Buffer.from(getEntriesBody(entries(start, stop)))), "application/json");
  };

  const getEntryAndProof = (query: URLSearchParams): Response => {
    const [index, size] = [Number(query.get("leaf_index")), Number(query.get("tree_size"))];
    const known = heads.get(size);
    if (known === undefined || !(index < size)) return new Response("unknown", { status: 400 });
    const { entries: [entry] = [] } = JSON.parse(getEntriesBody(entries(index, index + 1))) as {
      entries?: object[];
    };
    // The siblings of the last leaf are the perfect subtrees of the tree without it; others take a walk of the tree.
    const proof = index === size - 1 ? known.proof : auditPath(index, levels[0]!.slice(0, size));
    const path = proof.map((hash) => Buffer.from(hash).toString("base64"));
    return json(JSON.stringify({ ...entry, audit_path: path }));
  };

  const endpoint: Endpoint = (rest, query) => {
    if (protocol === "static") {
      if (rest === "checkpoint") return new Response(currentSigner().checkpoint(origin, currentHead()));
      return rest.startsWith("tile/") ? tile(rest.slice("tile/".length)) : notFound();
    }
    if (options.hasTiles === true && rest.startsWith("tile/data/")) return tile(rest.slice("tile/".length));
    if (rest === "ct/v1/get-sth") return json(currentSigner().signedTreeHead(currentHead()));
    if (rest === "ct/v1/get-entries") return getEntries(query);
    return rest === "ct/v1/get-entry-and-proof" ? getEntryAndProof(query) : notFound();
  };

  return {
    endpoint,
    testLog: {
      log: {
        logId: signer.logId,
        description: name,
        operator: options.operator ?? name,
        key: signer.key,
        protocol,
        url,
        origin,
        isExtra: true,
        finalSize: null,
      },
      size: () => published.size,
      grow(count, timestamp = published.timestamp + 1) {
        const to = tree.size + count;
        let proof: Uint8Array[] = [];
        for (let index = tree.size; index < to; index++) {
          // The siblings of the last leaf are the perfect subtrees of the tree without it.
          if (index === to - 1) proof = tree.range().hashes.toReversed();
          append(logEntry(index, options.entryAt(index)).leafHash);
        }
        published = { size: to, rootHash: rootOf(tree.range()), timestamp };
        heads.set(to, { head: published, proof });
      },
      rootAt: (size) => heads.get(size)!.head.rootHash,
      pretend: (head, other = signer) =>
        void (pretended = head === undefined ? undefined : { head, signer: other }),
    },
  };
}
