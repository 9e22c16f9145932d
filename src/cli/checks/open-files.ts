import type { Config } from "../../platform/config/config.ts";
import { descriptorLimit, descriptorsRecommended } from "../../platform/network/descriptors.ts";
import type { CheckResult } from "../check-results/check-result.ts";

/** Settings that determine how many connections are open at a time. */
interface ConnectingConfig {
  certificateLogs: Pick<Config["certificateLogs"], "enabled">;
  webhooks: {
    endpointConcurrency: number;
    /** `concurrency` null: `endpointConcurrency`. */
    endpoints: readonly { concurrency: number | null }[];
  };
}

/** Connections of API clients, lookups and the console at a busy time, and the files of the process itself. */
const descriptorsOfServer = 500;
/** A followed certificate log keeps a few connections open. All logs of the list are about 60. */
const descriptorsOfLogs = 300;

/** Returns how many files and connections a server with this configuration may have open at a busy time. */
function descriptorsNeeded({
  certificateLogs,
  webhooks: { endpoints, endpointConcurrency },
}: ConnectingConfig): number {
  const deliveries = endpoints.reduce(
    (sum, { concurrency }) => sum + (concurrency ?? endpointConcurrency),
    0,
  );
  return descriptorsOfServer + deliveries + (certificateLogs.enabled ? descriptorsOfLogs : 0);
}

/** Returns whether this process, and a server that is started in the same way, may open enough files. */
export function openFiles(config: ConnectingConfig, limit = descriptorLimit()): CheckResult {
  const base = { check: "open-files", what: "open files" } as const;
  if (limit === null) return { ...base, state: "ok", detail: "not limited" };
  const needed = Math.max(descriptorsRecommended, descriptorsNeeded(config));
  if (limit >= needed) return { ...base, state: "ok", detail: `at most ${limit}` };
  const effect =
    needed === descriptorsRecommended
      ? "so few webhook deliveries and connections run at a time"
      : `fewer than the ${needed} that the configured endpoints and certificate logs can use at a time`;
  return {
    ...base,
    state: "warning",
    detail: `at most ${limit}, ${effect}`,
    change: `raise the hard limit (ulimit -Hn, or LimitNOFILE of systemd) to ${needed} or more`,
  };
}
