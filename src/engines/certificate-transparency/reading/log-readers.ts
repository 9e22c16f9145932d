import type { Clock } from "../../../platform/lib/clock.ts";
import { createLimiter } from "../../../platform/lib/limiter.ts";
import { createHttpClient } from "../../../platform/network/http/http-client.ts";
import type { ResolveHost } from "../../../platform/network/resolve.ts";
import { LogError, type CertificateLog, type LogReader } from "../log.ts";
import { createBreaker } from "./breaker.ts";
import { readLimits, type ReadLimits } from "./content.ts";
import { createLogRequests } from "./log-requests.ts";
import { createRequestBudgets, mayHaveDataTiles, operatorRate } from "./request-budget.ts";
import { createRfc6962Reader } from "./rfc6962-reader.ts";
import { createStaticReader } from "./static-reader.ts";

/** Readers of logs, which share the connections and the rates of their operators. */
export type LogReaders = ReturnType<typeof createLogReaders>;

interface LogReadersDependencies {
  clock: Clock;
  random: () => number;
  resolveHost: ResolveHost;
  userAgent: string;
  rates: readonly { operator: string; requestsPerSecond: number }[];
  limits?: ReadLimits;
}

/**
 * @param random returns a number from 0 to below 1, for jitter
 * @param rates of the configuration, which replace the built-in ones
 */
export function createLogReaders(dependencies: LogReadersDependencies) {
  const { clock, random, resolveHost, userAgent, rates, limits = readLimits } = dependencies;
  const clientFor = (allowPrivateNetworks: boolean) =>
    createHttpClient({ rules: { allowPrivateNetworks }, resolveHost });
  const clients = { listed: clientFor(false), extra: clientFor(true) };
  const budgetOf = createRequestBudgets(clock);
  const large = createLimiter(1);
  /** Number of open readers by operator. */
  const openReaders = new Map<string, number>();
  const keyOf = ({ operator, isExtra }: CertificateLog) => `${isExtra ? "extra" : "listed"} ${operator}`;
  const rateOf = ({ operator, isExtra }: CertificateLog) =>
    operatorRate({ operator, isExtra, configured: rates });
  const count = (key: string, change: number) => openReaders.set(key, (openReaders.get(key) ?? 0) + change);

  return {
    /** Returns a reader of the log. Throws `LogError` if the log's key or address cannot be used. */
    open(log: CertificateLog): LogReader {
      if (!log.isExtra && !log.url.startsWith("https://")) {
        throw new LogError("network", "the address of the log is not https://");
      }
      const key = keyOf(log);
      const request = createLogRequests({
        log,
        client: log.isExtra ? clients.extra : clients.listed,
        clock,
        budget: budgetOf(key, rateOf(log)),
        breaker: createBreaker(clock, random),
        large,
        userAgent,
      });
      let isOpen = true;
      const close = () => {
        if (isOpen) count(key, -1);
        isOpen = false;
      };
      const given = { log, request, limits, clock, close };
      const isStatic = log.protocol === "static";
      const reader = isStatic ? createStaticReader(given) : createRfc6962Reader(given, mayHaveDataTiles(log));
      count(key, 1);
      return reader;
    },

    /**
     * Returns the time until the next poll of the tree head, if all entries were read.
     * @param unchangedPolls number of polls since the size changed
     */
    pollMs: (log: CertificateLog, unchangedPolls: number) =>
      nextPollMs({
        unchangedPolls,
        logsOfOperator: Math.max(1, openReaders.get(keyOf(log)) ?? 0),
        requestsPerSecond: rateOf(log).requestsPerSecond,
        random,
      }),

    /** Closes idle connections. Readers must not be used afterward. */
    close() {
      clients.listed.close();
      clients.extra.close();
    },
  };
}

/** Time between two polls of a log that grows steadily. */
const pollMsBase = 15_000;
/** Time between two polls of a log that does not grow. */
const pollMsMax = 5 * 60_000;
const growth = 1.5;
/** Share of an operator's rate that polls may take; the rest is for entries. */
const pollShare = 0.25;
/** Largest relative deviation, so that the logs are not polled all at once. */
const jitter = 0.2;
const secondMs = 1_000;

interface NextPollMsOptions {
  /** Number of polls since the size changed. */
  unchangedPolls: number;
  logsOfOperator: number;
  requestsPerSecond: number;
  random: () => number;
}

/**
 * Returns the time until the next poll of a log whose entries were all read: longer while it does not grow, and for
 * operators with many logs or a low rate.
 * @param random returns a number from 0 to below 1
 */
export function nextPollMs(options: NextPollMsOptions): number {
  const { unchangedPolls, logsOfOperator, requestsPerSecond, random } = options;
  const ownMs = Math.min(pollMsMax, pollMsBase * growth ** Math.min(unchangedPolls, 20));
  const fairMs = (logsOfOperator / (requestsPerSecond * pollShare)) * secondMs;
  return Math.round(Math.max(ownMs, fairMs) * (1 + jitter * (2 * random() - 1)));
}
