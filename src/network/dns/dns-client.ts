import type { Clock } from "../../lib/clock.ts";
import type { FillRandom } from "../../lib/ids.ts";
import { createLimiter } from "../../lib/limiter.ts";
import { createTokenBucket } from "./token-bucket.ts";
import {
  encodeQuery,
  readReply,
  type DnsAnswer,
  type DnsQuery,
  type DnsType,
  type Reply,
} from "./dns-message.ts";
import { createResolverPool, type Resolver } from "./dns-resolvers.ts";
import { carryByTcp, createUdpTransport, type NameServer, type Transport } from "./dns-transport.ts";

export type { DnsAnswer, DnsRecord, DnsType } from "./dns-message.ts";
export type { NameServer } from "./dns-transport.ts";

export interface QueryOptions {
  /** Gives up: the answer is then `unknown`. */
  signal?: AbortSignal | undefined;
}

/** Asks recursive resolvers. Opens nothing until it is asked, and keeps nothing open. */
export interface DnsClient {
  /**
   * Never throws. A resolver that is silent, refuses or fails is followed by another, and only when all did
   * the answer is `unknown`.
   * @param name lower case, A-label form, without trailing dot
   */
  query(name: string, type: DnsType, options?: QueryOptions): Promise<DnsAnswer>;
  /** Asks each resolver for names that nobody can have registered; those that know them are not asked again. */
  checkResolvers(options?: QueryOptions): Promise<ResolverCheck[]>;
}

export interface ResolverCheck {
  server: NameServer;
  /**
   * `honest`: says that a name does not exist. `lying`: has an address for every name, as advertising and
   * captive portals do. `silent`: said neither.
   */
  verdict: "honest" | "lying" | "silent";
  /** What it answered, or why it did not. */
  detail: string;
}

export interface DnsClientDependencies {
  clock: Clock;
  fillRandom: FillRandom;
  /** Looked at anew for each check. */
  resolvers: () => readonly NameServer[];
  /** Most queries that are sent in a second, retries included. */
  queriesPerSecond: number;
  /** For one attempt. */
  timeoutMs?: number;
}

const timeoutMsDefault = 2_000;
const attemptsMax = 3;
/** A server has room for some 250 datagrams that it has not looked at yet (Linux: 208 KiB, 768 bytes for each). */
const underWayMax = 200;
const idsAtOnce = 1_024;
/** Where look-alikes are registered; nobody has registered twenty random letters. */
const probedSuffixes = ["com", "net", "org"];
const probeLabelLength = 20;

export function createDnsClient({
  clock,
  fillRandom,
  resolvers,
  queriesPerSecond,
  timeoutMs = timeoutMsDefault,
}: DnsClientDependencies): DnsClient {
  const pool = createResolverPool({ clock, resolvers });
  const limit = createLimiter(underWayMax);
  const bucket = createTokenBucket({ clock, perSecond: queriesPerSecond });
  const nextId = createIdSource(fillRandom);
  const carryByUdp = createUdpTransport();

  async function ask(
    name: string,
    type: DnsType,
    resolver: Resolver,
    { signal, edns = true }: AttemptOptions,
  ) {
    const query: DnsQuery = { id: nextId(), name, type };
    const sent = encodeQuery(query, { edns });
    const carry = async (transport: Transport) => {
      await bucket.take(signal);
      return exchange({ clock, transport, server: resolver.server, query, sent, timeoutMs, signal });
    };
    const reply = await carry(carryByUdp);
    return reply.kind === "truncated" ? carry(carryByTcp) : reply;
  }

  /** One attempt, told to the pool, so that a dead resolver is not asked first again. */
  async function attempt(name: string, type: DnsType, resolver: Resolver, options: QueryOptions) {
    let reply = await ask(name, type, resolver, options);
    if (reply.kind === "without_edns") reply = await ask(name, type, resolver, { ...options, edns: false });
    if (options.signal?.aborted === true) return givenUp;
    pool.note(resolver, reply.kind === "silence" ? "silent" : "answered");
    if (reply.kind === "answer") return reply.answer;
    if (reply.kind === "silence") return { outcome: "unknown" as const, reason: reply.reason };
    return { outcome: "unknown" as const, reason: "the resolver does not understand the query" };
  }

  async function askPool(name: string, type: DnsType, options: QueryOptions): Promise<DnsAnswer> {
    const asked: Resolver[] = [];
    let answer: DnsAnswer = { outcome: "unknown", reason: "there is no resolver to ask" };
    for (let count = 0; count < attemptsMax; count++) {
      const resolver = pool.choose(asked);
      if (resolver === undefined) break;
      answer = await attempt(name, type, resolver, options);
      if (answer.outcome !== "unknown" || options.signal?.aborted === true) break;
      asked.push(resolver);
    }
    return answer;
  }

  async function check(resolver: Resolver, options: QueryOptions): Promise<ResolverCheck> {
    const { server } = resolver;
    const probes = await Promise.all(
      probedSuffixes.map(async (suffix) => {
        const name = `${randomLabel(fillRandom, probeLabelLength)}.${suffix}`;
        const answer = await attempt(name, "A", resolver, options);
        return { name, answer };
      }),
    );
    let silent: string | undefined;
    for (const { name, answer } of probes) {
      if (answer.outcome === "answer") {
        pool.note(resolver, "lying");
        const detail = `${name} is ${answer.records.map(({ data }) => String(data)).join(", ")}`;
        return { server, verdict: "lying", detail };
      }
      if (answer.outcome === "unknown") silent = answer.reason;
    }
    const denied = probes.some(({ answer }) => answer.outcome !== "unknown");
    return denied
      ? { server, verdict: "honest", detail: "says when a name does not exist" }
      : { server, verdict: "silent", detail: silent ?? "" };
  }

  return {
    query: (name, type, options = {}) =>
      options.signal?.aborted === true ? Promise.resolve(givenUp) : limit(() => askPool(name, type, options)),

    checkResolvers: (options = {}) => Promise.all(pool.reload().map((resolver) => check(resolver, options))),
  };
}

const givenUp: DnsAnswer = { outcome: "unknown", reason: "given up" };

interface AttemptOptions extends QueryOptions {
  edns?: boolean;
}

/** Sends once and waits for the reply that belongs to the query, or for the end of the time. */
function exchange({
  clock,
  transport,
  server,
  query,
  sent,
  timeoutMs,
  signal,
}: {
  clock: Clock;
  transport: Transport;
  server: NameServer;
  query: DnsQuery;
  sent: Uint8Array;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}): Promise<Reply | { kind: "silence"; reason: string }> {
  return new Promise((resolve) => {
    let close: (() => void) | undefined;
    let ended = false;
    const end = (reply: Reply | { kind: "silence"; reason: string }) => {
      if (ended) return;
      ended = true;
      timer.cancel();
      signal?.removeEventListener("abort", giveUp);
      close?.();
      resolve(reply);
    };
    const fail = (reason: string) => end({ kind: "silence", reason });
    const giveUp = () => fail("given up");
    const timer = clock.after(timeoutMs, () => fail(`no answer within ${timeoutMs} ms`));
    if (signal?.aborted === true) return giveUp();
    signal?.addEventListener("abort", giveUp);
    const onMessage = (message: Uint8Array) => {
      if (ended) return;
      const reply = readReply(message, query, sent);
      if (reply.kind !== "foreign") end(reply);
    };
    void transport({ server, message: sent, onMessage, onFailure: fail })
      .then((closeIt) => (ended ? closeIt() : void (close = closeIt)))
      .catch(() => fail("the server cannot be reached"));
  });
}

/** Identifiers that nobody can guess (RFC 5452 section 4.3). */
function createIdSource(fillRandom: FillRandom): () => number {
  const ids = new Uint16Array(idsAtOnce);
  let used = idsAtOnce;
  return () => {
    if (used === idsAtOnce) {
      fillRandom(new Uint8Array(ids.buffer));
      used = 0;
    }
    return ids[used++]!;
  };
}

const labelLetters = "abcdefghijklmnopqrstuvwxyz";

/** A label that nobody has registered. */
export function randomLabel(fillRandom: FillRandom, length: number): string {
  const bytes = new Uint8Array(length);
  fillRandom(bytes);
  return Array.from(bytes, (byte) => labelLetters[byte % labelLetters.length]).join("");
}
