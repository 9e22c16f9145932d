import { delay, type Clock, type Instant } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import { describeSourceError } from "../../../platform/network/failure.ts";
import {
  type WebSocketClient,
  createWebSocketClient,
} from "../../../platform/network/websocket/websocket.ts";
import type { Tally } from "../tally.ts";
import type { Candidates } from "../candidates.ts";
import type { InspectFeed } from "../feeds/feed-reader.ts";
import { locationOf, withQuery } from "../feeds/feed-url.ts";
import type { SourcePausing, SourcePauses } from "../pauses/source-pauses.ts";
import type { Source, SourceCheck, SourceKind } from "../source.ts";
import type { CertificateNames } from "./messages.ts";
import { createNameQueue, type NameQueue } from "./name-queue.ts";
import { createStreamConnection, messageBytesMax } from "./stream-connection.ts";
import type { FeedConfig } from "../../../platform/config/config.ts";
import { randomNumber } from "../../../platform/lib/ids.ts";
import type { ResolveHost } from "../../../platform/network/resolve.ts";
import type { Turns } from "../../../platform/network/turns.ts";

/** A certstream server as the configuration declares it. */
export interface CertstreamFeed {
  name: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Secret `name=value`, added to the query. */
  query: string | null;
  /** Queues the pages of the names for inspection; undefined: they are not inspected. */
  inspect: ReturnType<InspectFeed>;
}

export const certstreamKind: SourceKind = "certstream";

/** How long dropped names are reported. */
const dropsShownMs = 10 * 60_000;
/** Delay until names are checked again after an error of the database. */
const retryMs = 5_000;
const noCounts = { received: 0, invalid: 0, matched: 0, created: 0 };

interface CertstreamFeedDependencies extends Needs<"clock" | "log"> {
  feed: CertstreamFeed;
  candidates: Candidates;
  client: WebSocketClient;
  pausing: SourcePausing;
  /** Returns a number from 0 to below 1. */
  random: () => number;
  userAgent: string;
}

/**
 * Receives the names of certificates from a certstream server. There is no position: what the server sends while there is
 * no connection is missed. The counts are those since the start.
 */
function createCertstreamFeed(dependencies: CertstreamFeedDependencies): Source {
  const { feed, candidates, client, clock, log, pausing, random, userAgent } = dependencies;
  const { name } = feed;
  const location = locationOf(feed.url);
  const request = { url: withQuery(feed.url, feed.query), headers: withUserAgent(feed.headers, userAgent) };
  const queue = createNameQueue({ clock });
  const checks = createNameChecks({ ...feed, queue, candidates, clock, log });
  const arrivals = createArrivals({ queue, clock });
  let stopping = new AbortController();
  let running: Promise<unknown> | undefined;

  const connection = createStreamConnection({
    client,
    clock,
    random,
    request,
    onNames: arrivals.add,
    onUnusable: arrivals.addUnusable,
    onChange({ isConnected, problem }) {
      if (!isConnected) log.event("certstream.disconnected", { feed: name, reason: problem });
      else if (problem === null) log.event("certstream.connected", { feed: name });
    },
  });

  async function run(): Promise<void> {
    const signal = AbortSignal.any([stopping.signal, pausing.signal()]);
    await Promise.all([connection.run(signal), checks.run(signal)]);
  }

  function startRun(): void {
    if (stopping.signal.aborted || pausing.isPaused()) return;
    // After a pause, the run before may still be ending.
    running = Promise.resolve(running).then(run);
  }

  return {
    name,
    kind: certstreamKind,
    declaredAs: "[[feeds]]",
    pausing,
    start() {
      stopping = new AbortController();
      pausing.onResume(startRun);
      startRun();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    check: () => checkServer(client, { ...request, location }),
    status() {
      const { isConnected, problem: failure } = connection.state();
      const tally = checks.tally();
      return {
        name,
        location,
        state: pausing.isPaused()
          ? "paused"
          : isConnected
            ? "watching"
            : failure === null
              ? "waiting"
              : "unavailable",
        problem: failure ?? arrivals.problem(),
        overdue: null,
        latest: arrivals.latest(),
        lastReadAt: null,
        amounts: arrivals.amounts(tally.received),
        invalid: tally.invalid,
        matched: tally.matched,
        created: tally.created,
      };
    },
  };
}

/** Queues the names that arrive, and counts them. */
function createArrivals({ queue, clock }: { queue: NameQueue; clock: Clock }) {
  let certificates = 0;
  let unusable = 0;
  let dropped = 0;
  let latest: { name: string; at: Instant } | null = null;
  let droppedAtMs: number | undefined;
  return {
    add(certificate: CertificateNames, at: Instant): void {
      certificates++;
      latest = { name: visible(certificate.names[0]!), at };
      if (queue.add(certificate)) return;
      dropped += certificate.names.length;
      droppedAtMs = clock.monotonicMs();
    },
    addUnusable: () => void unusable++,
    latest: () => latest,
    problem(): string | null {
      if (droppedAtMs === undefined || clock.monotonicMs() - droppedAtMs > dropsShownMs) return null;
      return `${grouped(dropped)} names dropped: they arrive faster than they can be checked`;
    },
    /** @param checked number of names that were checked. */
    amounts: (checked: number) => [
      { count: certificates, unit: "certificate" },
      { count: checked, unit: "name" },
      ...(dropped > 0 ? [{ count: dropped, unit: "dropped name" }] : []),
      ...(unusable > 0 ? [{ count: unusable, unit: "unusable message" }] : []),
    ],
  };
}

interface NameChecksDependencies extends Needs<"clock" | "log"> {
  name: string;
  queue: NameQueue;
  candidates: Candidates;
  inspect: ReturnType<InspectFeed>;
}

/** Checks the names in the queue. */
function createNameChecks({ name, queue, candidates, clock, inspect, log }: NameChecksDependencies) {
  /** Counts of the runs before the present one. */
  let before = noCounts;
  let tally = noCounts;
  return {
    tally: () => tally,
    /** Runs until the signal is aborted, also after errors. */
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const add = (soFar: Readonly<Tally>) => void (tally = sum(before, soFar));
        try {
          await candidates.process(queue.batches(signal), {
            source: "certificate_transparency",
            origin: { kind: certstreamKind, name },
            inspect,
            signal,
            onCommit: (_, soFar) => add(soFar),
            onProgress: add,
          });
        } catch (error) {
          logDropped(log, error, "certstream.names_not_recorded");
          await delay(clock, retryMs, signal);
        }
        before = tally;
      }
    },
  };
}

/** Connects and closes the connection again. */
async function checkServer(
  client: WebSocketClient,
  { url, headers, location }: { url: string; headers: Record<string, string>; location: string },
): Promise<SourceCheck> {
  const closing = new AbortController();
  const ignore = () => {};
  try {
    await client.open({
      url,
      headers,
      messageBytesMax,
      signal: closing.signal,
      onMessage: ignore,
      onEnd: ignore,
    });
    return { level: "ok", detail: `${location}: accepts connections` };
  } catch (error) {
    return { level: "error", detail: `${location}: ${describeSourceError(error)}` };
  } finally {
    closing.abort();
  }
}

function withUserAgent(headers: Readonly<Record<string, string>>, userAgent: string): Record<string, string> {
  const isReplaced = Object.keys(headers).some((name) => name.toLowerCase() === "user-agent");
  return isReplaced ? { ...headers } : { ...headers, "User-Agent": userAgent };
}

function sum(a: typeof noCounts, b: typeof noCounts): typeof noCounts {
  return {
    received: a.received + b.received,
    invalid: a.invalid + b.invalid,
    matched: a.matched + b.matched,
    created: a.created + b.created,
  };
}

interface CertstreamFeedsDependencies extends Needs<"clock" | "fillRandom" | "log"> {
  candidates: Candidates;
  inspectFeed: InspectFeed;
  pauses: SourcePauses;
  resolveHost: ResolveHost;
  turns: Turns;
  userAgent: string;
}

/** Returns a function that creates a source for a feed of the type `certstream`. */
export function createCertstreamFeeds(
  dependencies: CertstreamFeedsDependencies,
): (feed: StreamFeedConfig) => Source {
  const { inspectFeed, pauses, resolveHost, turns, ...shared } = dependencies;
  const { clock, fillRandom } = shared;
  return (declared) => {
    const { name, url, headers, query, allowPrivateNetworks } = declared;
    const inspect = inspectFeed(declared, "certificate_transparency");
    const rules = { allowPrivateNetworks };
    return createCertstreamFeed({
      ...shared,
      feed: { name, url, headers, query, inspect },
      client: createWebSocketClient({ clock, fillRandom, resolveHost, rules, turns }),
      pausing: pauses.of({ kind: certstreamKind, name }),
      random: () => randomNumber(fillRandom),
    });
  };
}

type StreamFeedConfig = FeedConfig & { url: string };

/** Recognizes a feed that is read as a stream. */
export function isStreamFeed(feed: FeedConfig): feed is StreamFeedConfig {
  return feed.type === "certstream" && feed.url !== null;
}
