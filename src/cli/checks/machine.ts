import type { Config } from "../../platform/config/config.ts";
import { toPlainTime, type Instant } from "../../platform/lib/clock.ts";
import { bytesText, spanText } from "../../platform/lib/durations.ts";
import { descriptorLimit, descriptorsRecommended } from "../../platform/network/descriptors.ts";
import { memoryLimitBytes } from "../../web/http/body/body-budget.ts";
import { statOf } from "./file-access.ts";
import { resultsOf, type CheckResult } from "./result.ts";

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
  const results = resultsOf("open-files", "open files");
  if (limit === null) return results.ok("not limited");
  const needed = Math.max(descriptorsRecommended, descriptorsNeeded(config));
  if (limit >= needed) return results.ok(`at most ${limit}`);
  const effect =
    needed === descriptorsRecommended
      ? "so few webhook deliveries and connections run at a time"
      : `fewer than the ${needed} that the configured endpoints and certificate logs can use at a time`;
  return results.warning(
    `at most ${limit}, ${effect}`,
    `raise the hard limit (ulimit -Hn, or LimitNOFILE of systemd) to ${needed} or more`,
  );
}

/** A server with everything enabled took at most 281 MiB. */
const serverBytes = 384 * 2 ** 20;
/** One Chromium at a time, with a heavy page. */
const chromiumBytes = 384 * 2 ** 20;

/** @param takesScreenshots whether Chromium is available */
export function memory(takesScreenshots: boolean, limitBytes = memoryLimitBytes()): CheckResult {
  const results = resultsOf("memory", "memory", takesScreenshots ? "scan.screenshots" : undefined);
  const neededBytes = serverBytes + (takesScreenshots ? chromiumBytes : 0);
  const detail = `at most ${bytesText(limitBytes)}`;
  if (limitBytes >= neededBytes) return results.ok(detail);
  const server = takesScreenshots ? "server with Chromium" : "server";
  const more = "give the machine or container more memory";
  return results.warning(
    `${detail}, but a busy ${server} needs ${bytesText(neededBytes)}: the system may end it`,
    takesScreenshots ? `set it to "off", which needs ${bytesText(serverBytes)}, or ${more}` : more,
  );
}

/** Tolerated difference of clocks. */
const futureMsMax = 120_000;

/**
 * Compares the clock with the past: with the build of the program and with what the database has recorded. That needs
 * no network, and finds a clock that is behind. A clock that is ahead cannot be found without another clock.
 * @param known times that have certainly passed, each with what happened then
 */
export function clock(now: Instant, known: readonly { what: string; at: Instant }[]): CheckResult {
  const [latest] = known.filter(({ at }) => at > now + futureMsMax).sort((left, right) => right.at - left.at);
  const results = resultsOf("clock", "clock");
  const detail = toPlainTime(now);
  if (latest === undefined) return results.ok(detail);
  const { at, what } = latest;
  return results.error(
    `${detail}, but ${what} is of ${toPlainTime(at)}: the clock is at least ${spanText(at - now)} behind, or it was ahead before`,
    "set the clock and synchronize it (NTP), for example with 'timedatectl set-ntp true'",
  );
}

/** Returns the times at which the files of the database were changed. */
export function fileTimes(path: string): { what: string; at: Instant }[] {
  return [path, `${path}-wal`].flatMap((file) => {
    const at = statOf(file)?.mtimeMs;
    return at === undefined ? [] : [{ what: `the last change of ${file}`, at }];
  });
}
