import { delay, type Clock, type Instant } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import { describeSourceError } from "../../../platform/network/failure.ts";
import {
  type WebSocketClient,
  createWebSocketClient,
} from "../../../platform/network/websocket/websocket.ts";
import type { Tally } from "../tally.ts";
import { sumOf } from "../../../platform/lib/sums.ts";
import type { FeedDependencies, InspectFeed, SourceNeeds } from "../needs.ts";
import { locationOf, withQuery } from "../feeds/feed-url.ts";
import type { Source, SourceCheck, SourceKind } from "../source.ts";
import type { CertificateNames } from "./messages.ts";
import { createNameQueue, type NameQueue } from "./name-queue.ts";
import { createStreamConnection, messageBytesMax } from "./stream-connection.ts";
import type { FeedConfig } from "../../../platform/config/config.ts";
import { randomNumber } from "../../../platform/lib/ids.ts";

export const certstreamKind: SourceKind = "certstream";

/** How long dropped names are reported. */
const dropsShownMs = 10 * 60_000;
/** Delay until names are checked again after an error of the database. */
const retryMs = 5_000;
type Counts = Pick<Tally, "received" | "invalid" | "matched" | "created">;

/** Returns a function that creates a source for a feed of the type `certstream`. */
export function createCertstreamFeeds(
  dependencies: Omit<FeedDependencies, "database" | "yielder">,
): (feed: StreamFeedConfig) => Source {
  const { inspectFeed, pauses, resolveHost, turns, ...shared } = dependencies;
  return (feed) => {
    const { name, allowPrivateNetworks } = feed;
    const rules = { allowPrivateNetworks };
    return createCertstreamFeed({
      ...shared,
      feed,
      client: createWebSocketClient({ ...shared, resolveHost, rules, turns }),
      inspect: inspectFeed(feed, "certificate_transparency"),
      pausing: pauses.of({ kind: certstreamKind, name }),
    });
  };
}

type StreamFeedConfig = FeedConfig & { url: string };

/** Recognizes a feed that is read as a stream. */
export function isStreamFeed(feed: FeedConfig): feed is StreamFeedConfig {
  return feed.type === "certstream" && feed.url !== null;
}

interface CertstreamFeedDependencies extends SourceNeeds<
  "candidates" | "clock" | "fillRandom" | "log" | "pausing" | "userAgent"
> {
  feed: StreamFeedConfig;
  client: WebSocketClient;
  inspect: ReturnType<InspectFeed>;
}

/**
 * Receives the names of certificates from a certstream server. There is no position: what the server sends while there is
 * no connection is missed. The counts are those since the start.
 */
function createCertstreamFeed(dependencies: CertstreamFeedDependencies): Source {
  const { feed, client, clock, fillRandom, log, pausing, userAgent } = dependencies;
  const { name } = feed;
  const location = locationOf(feed.url);
  const request = { url: withQuery(feed.url, feed.query), headers: withUserAgent(feed.headers, userAgent) };
  const queue = createNameQueue({ clock });
  const checks = createNameChecks({ ...dependencies, queue });
  const arrivals = createArrivals({ queue, clock });
  let stopping = new AbortController();
  let running: Promise<unknown> | undefined;

  const connection = createStreamConnection({
    client,
    clock,
    random: () => randomNumber(fillRandom),
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
      const { received, ...counts } = checks.tally();
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
        amounts: arrivals.amounts(received),
        ...counts,
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

/** Checks the names in the queue. */
function createNameChecks({
  feed: { name },
  queue,
  candidates,
  clock,
  inspect,
  log,
}: Pick<CertstreamFeedDependencies, "candidates" | "clock" | "feed" | "inspect" | "log"> & {
  queue: NameQueue;
}) {
  let tally: Counts = { received: 0, invalid: 0, matched: 0, created: 0 };
  return {
    tally: () => tally,
    /** Runs until the signal is aborted, also after errors. */
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const before = tally;
        const add = (soFar: Readonly<Tally>) =>
          void (tally = sumOf([before, soFar], "received", "invalid", "matched", "created"));
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
    const { signal } = closing;
    await client.open({ url, headers, messageBytesMax, signal, onMessage: ignore, onEnd: ignore });
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
