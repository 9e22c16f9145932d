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
import { createCredibleDenials } from "./credible-denials.ts";
import { createResolverPool, type Resolver } from "./dns-resolvers.ts";
import { carryByTcp, createUdpTransport, type NameServer, type Transport } from "./dns-transport.ts";
import {
  checkResolver,
  denyingText,
  probeKnownNames,
  type Ask,
  type ResolverCheck,
} from "./resolver-check.ts";

export type { DnsAnswer, DnsRecord, DnsType } from "./dns-message.ts";
export type { NameServer } from "./dns-transport.ts";
export type { ResolverCheck } from "./resolver-check.ts";

export interface QueryOptions {
  /** Cancels the query: the result is then `unknown`. */
  signal?: AbortSignal | undefined;
}

/** Client for recursive resolvers. Opens no socket until it is used, and keeps none open. */
export interface DnsClient {
  /**
   * Never throws. If a resolver times out, refuses or fails, the next one is queried; if all do, the result is
   * `unknown`. A resolver that denies names that always exist counts as failing when it denies this one.
   * @param name lowercase, A-label form, without trailing dot.
   */
  query(name: string, type: DnsType, options?: QueryOptions): Promise<DnsAnswer>;
  /**
   * Checks each resolver with names that cannot exist and names that always do. Resolvers that resolve the former are
   * not used until a later check finds otherwise.
   */
  checkResolvers(options?: QueryOptions): Promise<ResolverCheck[]>;
  /**
   * Returns whether what resolvers have denied since the last call can be believed. If not, one of them has begun to
   * deny names that exist: names that were denied since then have to be queried again.
   */
  confirmDenials(options?: QueryOptions): Promise<boolean>;
}

export interface DnsClientDependencies {
  clock: Clock;
  fillRandom: FillRandom;
  /** Called again for each check. */
  resolvers: () => readonly NameServer[];
  /** Maximum number of queries per second, retries included. */
  queriesPerSecond: () => number;
  /** Timeout of one attempt. */
  timeoutMs?: number;
}

const timeoutMsDefault = 2_000;
const attemptsMax = 3;
/** Maximum number of queries in flight. A server buffers about 250 datagrams (Linux: 208 KiB, 768 bytes each). */
const inFlightMax = 200;
const idsAtOnce = 1_024;

export function createDnsClient(dependencies: DnsClientDependencies): DnsClient {
  const { clock, fillRandom, resolvers, queriesPerSecond, timeoutMs = timeoutMsDefault } = dependencies;
  const pool = createResolverPool({ clock, resolvers });
  const limit = createLimiter(inFlightMax);
  const bucket = createTokenBucket({ clock, perSecond: queriesPerSecond });
  const nextId = createIdSource(fillRandom);
  const carryByUdp = createUdpTransport();

  async function ask(
    name: string,
    type: DnsType,
    { server }: Resolver,
    { signal, edns = true }: AttemptOptions,
  ) {
    const query: DnsQuery = { id: nextId(), name, type };
    const sent = encodeQuery(query, { edns });
    const carry = async (transport: Transport) => {
      await bucket.take(signal);
      return exchange({ clock, transport, server, query, sent, timeoutMs, signal });
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

  const askOnce: Ask = (name, type, resolver) => attempt(name, type, resolver, {});
  const denials = createCredibleDenials(clock, async (resolver) => {
    const knowledge = await probeKnownNames(askOnce, resolver);
    if (knowledge !== "silent") pool.noteCheck(resolver, { denies: knowledge === "denies" });
    return knowledge;
  });

  /** One attempt, whose denial counts only if the resolver knows names that always exist. */
  async function attemptCredibly(name: string, type: DnsType, resolver: Resolver, options: QueryOptions) {
    const answer = await attempt(name, type, resolver, options);
    if (answer.outcome === "answer" || answer.outcome === "unknown") return answer;
    const isCredible = await unlessAborted(denials.isCredible(resolver), options.signal);
    if (isCredible === undefined) return givenUp;
    return isCredible ? answer : { outcome: "unknown" as const, reason: `the resolver ${denyingText}` };
  }

  async function askPool(name: string, type: DnsType, options: QueryOptions): Promise<DnsAnswer> {
    const asked: Resolver[] = [];
    let answer: DnsAnswer = { outcome: "unknown", reason: "there is no usable resolver" };
    for (let count = 0; count < attemptsMax; count++) {
      const resolver = pool.choose(asked);
      if (resolver === undefined) break;
      answer = await attemptCredibly(name, type, resolver, options);
      if (answer.outcome !== "unknown" || options.signal?.aborted === true) break;
      asked.push(resolver);
    }
    return answer;
  }

  async function check(resolver: Resolver, options: QueryOptions): Promise<ResolverCheck> {
    const askIt: Ask = (name, type) => attempt(name, type, resolver, options);
    const result = await checkResolver({ ask: askIt, fillRandom }, resolver);
    if (options.signal?.aborted === true) return result;
    const { verdict } = result;
    pool.noteCheck(resolver, { lies: verdict === "lying", denies: verdict === "denying" });
    if (verdict === "honest") denials.note(resolver, "knows");
    if (verdict === "denying") denials.note(resolver, "denies");
    return result;
  }

  return {
    query: (name, type, options = {}) =>
      options.signal?.aborted === true ? Promise.resolve(givenUp) : limit(() => askPool(name, type, options)),

    checkResolvers: (options = {}) => Promise.all(pool.reload().map((resolver) => check(resolver, options))),

    confirmDenials: async ({ signal } = {}) =>
      (await unlessAborted(denials.confirm(pool.truthful()), signal)) ?? true,
  };
}

/** Resolves with `work`, or with undefined as soon as `signal` aborts. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return work;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const giveUp = () => resolve(undefined);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

const givenUp: DnsAnswer = { outcome: "unknown", reason: "given up" };

interface AttemptOptions extends QueryOptions {
  edns?: boolean;
}

interface Exchange {
  clock: Clock;
  transport: Transport;
  server: NameServer;
  query: DnsQuery;
  sent: Uint8Array;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

type Outcome = Reply | { kind: "silence"; reason: string };

/** Sends the query once and waits for the matching reply or for the timeout. */
function exchange(given: Exchange): Promise<Outcome> {
  const { clock, transport, server, query, sent, timeoutMs, signal } = given;
  return new Promise((resolve) => {
    let close: (() => void) | undefined;
    let ended = false;
    const end = (reply: Outcome) => {
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
