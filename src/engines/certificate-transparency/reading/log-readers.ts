import type { Clock } from "../../../platform/lib/clock.ts";
import { createLimiter } from "../../../platform/lib/limiter.ts";
import { createHttpClient } from "../../../platform/network/http/http-client.ts";
import type { ResolveHost } from "../../../platform/network/resolve.ts";
import { LogError, type CertificateLog, type LogReader } from "../log.ts";
import { createBreaker } from "./breaker.ts";
import { readLimits, type ReadLimits } from "./limits.ts";
import { createLogRequests } from "./log-requests.ts";
import { mayHaveDataTiles, operatorRate } from "./operator-rates.ts";
import { nextPollMs } from "./polling.ts";
import { createRequestBudgets } from "./request-budget.ts";
import { createRfc6962Reader } from "./rfc6962-reader.ts";
import { createStaticReader } from "./static-reader.ts";
import { userAgentOf } from "./user-agent.ts";

/** Readers of logs, which share the connections and the rates of their operators. */
export interface LogReaders {
  /** Returns a reader of the log. Throws `LogError` if the log's key or address cannot be used. */
  open(log: CertificateLog): LogReader;
  /**
   * Returns the time until the next poll of the tree head, if all entries were read.
   * @param unchangedPolls number of polls since the size changed
   */
  pollMs(log: CertificateLog, unchangedPolls: number): number;
  /** Closes idle connections. Readers must not be used afterward. */
  close(): void;
}

/**
 * @param random returns a number from 0 to below 1, for jitter
 * @param rates of the configuration, which replace the built-in ones
 */
export function createLogReaders({
  clock,
  random,
  resolveHost,
  version,
  contact,
  rates,
  limits = readLimits,
}: {
  clock: Clock;
  random: () => number;
  resolveHost: ResolveHost;
  version: string;
  contact: string | null;
  rates: readonly { operator: string; requestsPerSecond: number }[];
  limits?: ReadLimits;
}): LogReaders {
  const clientFor = (allowPrivateNetworks: boolean) =>
    createHttpClient({ rules: { allowPrivateNetworks }, resolveHost });
  const clients = { listed: clientFor(false), extra: clientFor(true) };
  const budgetOf = createRequestBudgets({ clock });
  const large = createLimiter(1);
  const userAgent = userAgentOf({ version, contact });
  /** Number of open readers by operator. */
  const openReaders = new Map<string, number>();
  const keyOf = ({ operator, isExtra }: CertificateLog) => `${isExtra ? "extra" : "listed"} ${operator}`;
  const rateOf = ({ operator, isExtra }: CertificateLog) =>
    operatorRate({ operator, isExtra, configured: rates });
  const count = (key: string, change: number) => openReaders.set(key, (openReaders.get(key) ?? 0) + change);

  return {
    open(log) {
      if (!log.isExtra && !log.url.startsWith("https://")) {
        throw new LogError("network", "the address of the log is not https://");
      }
      const key = keyOf(log);
      const request = createLogRequests({
        log,
        client: log.isExtra ? clients.extra : clients.listed,
        clock,
        budget: budgetOf(key, rateOf(log)),
        breaker: createBreaker({ clock, random }),
        large,
        userAgent,
      });
      let isOpen = true;
      const close = () => {
        if (isOpen) count(key, -1);
        isOpen = false;
      };
      const reader =
        log.protocol === "static"
          ? createStaticReader({ log, request, limits, clock, close })
          : createRfc6962Reader({ log, request, limits, clock, mayHaveTiles: mayHaveDataTiles(log), close });
      count(key, 1);
      return reader;
    },
    pollMs: (log, unchangedPolls) =>
      nextPollMs({
        unchangedPolls,
        logsOfOperator: Math.max(1, openReaders.get(keyOf(log)) ?? 0),
        requestsPerSecond: rateOf(log).requestsPerSecond,
        random,
      }),
    close() {
      clients.listed.close();
      clients.extra.close();
    },
  };
}
