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
  /** Cancels the query: the result is then `unknown`. */
  signal?: AbortSignal | undefined;
}

/** Client for recursive resolvers. Opens no socket until it is used, and keeps none open. */
export interface DnsClient {
  /**
   * Never throws. If a resolver times out, refuses or fails, the next one is queried; if all do, the result is
   * `unknown`.
   * @param name lowercase, A-label form, without trailing dot.
   */
  query(name: string, type: DnsType, options?: QueryOptions): Promise<DnsAnswer>;
  /** Queries each resolver for names that cannot exist. Resolvers that resolve them are not used again. */
  checkResolvers(options?: QueryOptions): Promise<ResolverCheck[]>;
}

export interface ResolverCheck {
  server: NameServer;
  /**
   * `honest`: reports that a name does not exist. `lying`: returns an address for every name, as advertising and
   * captive portals do. `silent`: neither.
   */
  verdict: "honest" | "lying" | "silent";
  /** The response, or why there was none. */
  detail: string;
}

export interface DnsClientDependencies {
  clock: Clock;
  fillRandom: FillRandom;
  /** Called again for each check. */
  resolvers: () => readonly NameServer[];
  /** Maximum number of queries per second, retries included. */
  queriesPerSecond: number;
  /** Timeout of one attempt. */
  timeoutMs?: number;
}

const timeoutMsDefault = 2_000;
const attemptsMax = 3;
/** Maximum number of queries in flight. A server buffers about 250 datagrams (Linux: 208 KiB, 768 bytes each). */
const inFlightMax = 200;
const idsAtOnce = 1_024;
/** Suffixes for the check. Nobody has registered twenty random letters there. */
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
  const limit = createLimiter(inFlightMax);
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

  /** One attempt, reported to the pool, so that a dead resolver is not queried first again. */
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

/** Sends the query once and waits for the matching reply or for the timeout. */
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
    const timer = clock.after(timeoutMs, () => fail(`no response within ${timeoutMs} ms`));
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

/** Returns a source of unpredictable identifiers (RFC 5452 section 4.3). */
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

/** Returns a random label, which nobody has registered. */
export function randomLabel(fillRandom: FillRandom, length: number): string {
  const bytes = new Uint8Array(length);
  fillRandom(bytes);
  return Array.from(bytes, (byte) => labelLetters[byte % labelLetters.length]).join("");
}
