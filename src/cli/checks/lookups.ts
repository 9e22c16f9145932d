import { isIP } from "node:net";
import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { probeThread } from "../../facts/inspection/inspector/thread-inspector.ts";
import { describeProblem } from "../../facts/inspection/originals/capture-problems.ts";
import { type Clock, dayMs, toIsoTime } from "../../platform/lib/clock.ts";
import { spanText } from "../../platform/lib/durations.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { chooseChromium, type ChromiumChoice } from "../../facts/lookups/browser/shared-browser.ts";
import type { StartWorker } from "../../platform/vocabulary/threads.ts";
import { resultsOf, type CheckResult } from "./result.ts";

const adviceOffline =
  'set scan.resolvers, or scan.schedule = "" and lookups.enabled = false if there is no internet access';

/** A resolver that does not respond is not an error if nothing is looked up in the background. */
export async function resolvers(
  { dns }: Pick<App, "dns">,
  { scan, lookups }: Pick<Config, "scan" | "lookups">,
  offline: boolean,
): Promise<CheckResult[]> {
  if (offline) {
    const count = scan.resolvers.length;
    const detail =
      count === 0 ? "those of the system were not asked" : `${counted(count, "resolver")} not asked`;
    return [resultsOf("resolvers", "resolvers").skipped(detail)];
  }
  const isUsed = scan.schedule !== null || lookups.enabled;
  const state = isUsed ? "error" : "warning";
  const change = isUsed ? adviceOffline : "set it to resolvers that respond, before scans are turned on";
  const checks = await dns.checkResolvers();
  return checks.map(({ server: { address, port }, verdict, detail }) => {
    const host = isIP(address) === 6 ? `[${address}]` : address;
    const results = resultsOf("resolvers", `resolver ${host}:${port}`, "scan.resolvers");
    switch (verdict) {
      case "honest":
        return results.ok(detail);
      case "silent":
        return results[state](detail, change);
      case "denying":
        return results[state](`${detail}, so scans and lookups do not believe it`, change);
      case "lying":
        return results.error(
          `resolves names that do not exist (${detail}); scans do not use it`,
          'set it to resolvers that do not filter or redirect, such as ["192.0.2.53"]',
        );
    }
  });
}

/** Returns the Chromium that a server would use. */
export function chromiumOf({
  scan: { screenshots: setting },
  screenshots: { chromiumArgs: args },
}: Pick<Config, "scan" | "screenshots">): ChromiumChoice {
  const isRoot = process.getuid?.() === 0;
  return chooseChromium({ setting, args, which: (name) => Bun.which(name), isRoot });
}

export function screenshots(config: Pick<Config, "scan" | "screenshots">): CheckResult {
  const setting = config.scan.screenshots;
  const results = resultsOf("screenshots", "screenshots", "scan.screenshots");
  if (setting === "off") return results.ok("off");
  const choice = chromiumOf(config);
  if ("reason" in choice)
    return results[setting === "auto" ? "warning" : "error"](
      `not available: ${choice.reason}`,
      'install Chromium and set it to "auto" or to its path, or set it to "off"',
    );
  if (!choice.args.includes("--no-sandbox")) return results.ok(choice.path);
  return results.warning(
    `${choice.path} runs without its sandbox, although it opens hostile pages`,
    'remove "--no-sandbox", unless a container is the sandbox',
    "screenshots.chromium_args",
  );
}

/** Returns no result if there are no traps. */
export function trapsDeployed({ traps }: Pick<App, "traps">): CheckResult[] {
  const counts = traps.kinds.map((kind) => ({ kind: kind.name, count: traps.of(kind).list().length }));
  if (counts.every(({ count }) => count === 0)) return [];
  const totals = counts.map(({ kind, count }) => `${kind}s: ${count}`).join(", ");
  const results = resultsOf("traps", "traps", "traps.public_url");
  const detail = `${totals}; their URLs start with ${traps.publicUrl()}`;
  if (traps.publicUrl().startsWith("https:")) return [results.ok(detail)];
  return [
    results.warning(
      `${detail}; HTTPS pages do not load them: set traps.public_url to an https:// URL`,
      'set it to a URL such as "https://phishwatch.example.com"',
    ),
  ];
}

/** Maximum number of addresses that wait for an inspection that a check reads. */
export const waitingReadMax = 10_000;
/** Time after which an address that waits is a backlog. */
const backlogMs = dayMs;

/** Checks that pages can be read, which happens in a thread of its own. With `offline`, no page would be. */
export async function inspectionThread(
  { lookups }: Pick<Config, "lookups">,
  { clock, offline, startWorker }: { clock: Clock; offline: boolean; startWorker: StartWorker },
): Promise<CheckResult[]> {
  if (!lookups.enabled || offline) return [];
  const results = resultsOf("inspection", "thread that reads pages");
  const reason = await probeThread(startWorker, clock);
  return reason === undefined
    ? [results.ok("starts")]
    : [results.error(`does not start: ${reason}`, "give the service more memory, processes and open files")];
}

/** Checks that addresses are inspected: lookups, budget, and what waits. */
export function inspectionResult(
  { inspection }: Pick<App, "inspection">,
  config: Pick<Config, "feeds" | "inspection" | "lookups" | "scan" | "screenshots">,
  now: number,
): CheckResult {
  const results = resultsOf("inspection", "inspection of pages");
  const feeds = config.feeds.filter(({ inspect }) => inspect).map(({ name }) => name);
  const { budget, disabled, oldestAt, waiting } = inspection.inspections.status();
  const count = waiting.person + waiting.submission + waiting.feed;
  const waits = count === 0 ? "no address waits" : `${countText(count)} wait`;
  const { max, used } = budget.day;
  const browser =
    config.inspection.browser === "if_needed" && "reason" in chromiumOf(config)
      ? "; without a Chromium, pages that consist of a picture or of scripts are not recognized"
      : "";
  const detail = `${waits}, ${grouped(used)} of ${grouped(max)} inspected today${browser}`;
  if (disabled !== null) {
    if (feeds.length === 0 && count === 0) return results.ok("off, as lookups.enabled is false");
    const wanted = feeds.length === 0 ? "" : `, and ${counted(feeds.length, "feed")} should be inspected`;
    const change = "set it to true, or set inspect = false for the feeds";
    return results.warning(`${disabled}; ${waits}${wanted}`, change, "lookups.enabled");
  }
  const late = oldestAt !== null && now - oldestAt > backlogMs;
  if (!late && (used < max || waiting.submission + waiting.feed === 0)) return results.ok(detail);
  return results.warning(
    late ? `${detail}; one has waited for ${spanText(now - oldestAt)}` : detail,
    "raise it and inspection.per_minute, or inspect fewer feeds",
    "inspection.per_day",
  );
}

/** Only some of those that wait are read. */
function countText(count: number): string {
  return count < waitingReadMax
    ? counted(count, "address", "addresses")
    : `${grouped(waitingReadMax)} or more addresses`;
}

/** Age of an original without a capture from which it is missing: the server captures new ones within minutes. */
const missingOriginalAgeMs = 3_600_000;
/** A site may be down for some hours. */
const failingOriginalAgeMs = dayMs;
const originalsShownMax = 5;

/** Checks that each protected domain has captured original pages, and that they are still captured. */
export function originalResults(
  { domains, inspection }: Pick<App, "domains" | "inspection">,
  { lookups }: Pick<Config, "lookups">,
  now: number,
): CheckResult[] {
  const enabled = domains.list().filter((domain) => domain.enabled);
  if (enabled.length === 0) return [];
  const all = resultsOf("originals", "original pages");
  const summaries = inspection.originals.summaries();
  const onRecord = summaries.filter(({ capturedAt }) => capturedAt !== null);
  if (!lookups.enabled) {
    const pages = counted(onRecord.length, "page");
    return [all.ok(`not captured, because lookups.enabled is false; ${pages} on record`)];
  }
  const captured = new Set(onRecord.map(({ domain }) => domain));
  const missing = enabled
    .filter(({ domain, updatedAt }) => !captured.has(domain) && now - updatedAt >= missingOriginalAgeMs)
    .map(({ domain }) => domain);
  const failing = summaries.filter(
    ({ failingSince }) => failingSince !== null && now - failingSince >= failingOriginalAgeMs,
  );
  const warning = (domain: string, detail: string, change: string) =>
    resultsOf("originals", `original pages of ${domain}`).warning(visible(detail, 500), change);
  const because = (problem: (typeof summaries)[number]["problem"] | undefined) =>
    problem === undefined || problem === null ? "" : `: ${describeProblem(problem)}`;
  const results = [
    ...missing.slice(0, originalsShownMax).map((domain) => {
      const found = summaries.find((one) => one.domain === domain && one.problem !== null);
      return warning(
        domain,
        `none was captured${because(found?.problem)}; pages cannot be compared with this brand`,
        "open its original pages in the console, which say what to do",
      );
    }),
    ...failing
      .slice(0, originalsShownMax)
      .filter(({ domain }) => !missing.includes(domain))
      .map(({ address, domain, failingSince, problem }) =>
        warning(
          domain,
          `${visible(address, 200)} is not captured since ${toIsoTime(failingSince!)}${because(problem)}`,
          "correct the site, or remove the page from the original pages",
        ),
      ),
  ];
  if (results.length > 0) return results;
  return [all.ok(`${counted(summaries.length, "page")} of ${counted(captured.size, "domain")}`)];
}
