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
import { resultOf, type CheckResult } from "../check-results/check-result.ts";

const adviceOffline =
  'set scan.resolvers, or scan.schedule = "" and lookups.enabled = false if there is no internet access';

/** A resolver that does not respond is not an error if nothing is looked up in the background. */
export async function resolvers(
  { dns }: Pick<App, "dns">,
  { scan, lookups }: Pick<Config, "scan" | "lookups">,
  offline: boolean,
): Promise<CheckResult[]> {
  const check = "resolvers";
  if (offline) {
    const count = scan.resolvers.length;
    const detail =
      count === 0 ? "those of the system were not asked" : `${counted(count, "resolver")} not asked`;
    return [{ check, what: "resolvers", state: "skipped", detail }];
  }
  const isUsed = scan.schedule !== null || lookups.enabled;
  const state = isUsed ? "error" : "warning";
  const setting = "scan.resolvers";
  const change = isUsed ? adviceOffline : "set it to resolvers that respond, before scans are turned on";
  const checks = await dns.checkResolvers();
  return checks.map(({ server: { address, port }, verdict, detail }): CheckResult => {
    const base = {
      check,
      what: `resolver ${isIP(address) === 6 ? `[${address}]` : address}:${port}`,
    } as const;
    switch (verdict) {
      case "honest":
        return { ...base, state: "ok", detail };
      case "silent":
        return { ...base, state, detail, setting, change };
      case "denying":
        return {
          ...base,
          state,
          detail: `${detail}, so scans and lookups do not believe it`,
          setting,
          change,
        };
      case "lying": {
        const problem = `resolves names that do not exist (${detail}); scans do not use it`;
        const remedy = 'set it to resolvers that do not filter or redirect, such as ["192.0.2.53"]';
        return { ...base, state: "error", detail: problem, setting, change: remedy };
      }
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
  const base = { check: "screenshots", what: "screenshots" } as const;
  if (setting === "off") return { ...base, state: "ok", detail: "off" };
  const choice = chromiumOf(config);
  if ("reason" in choice)
    return {
      ...base,
      state: setting === "auto" ? "warning" : "error",
      detail: `not available: ${choice.reason}`,
      setting: "scan.screenshots",
      change: 'install Chromium and set it to "auto" or to its path, or set it to "off"',
    };
  if (choice.args.includes("--no-sandbox"))
    return {
      ...base,
      state: "warning",
      detail: `${choice.path} runs without its sandbox, although it opens hostile pages`,
      setting: "screenshots.chromium_args",
      change: 'remove "--no-sandbox", unless a container is the sandbox',
    };
  return { ...base, state: "ok", detail: choice.path };
}

/** Returns no result if there are no traps. */
export function trapsDeployed({ traps }: Pick<App, "traps">): CheckResult[] {
  const counts = traps.kinds.map((kind) => ({ kind: kind.name, count: traps.of(kind).list().length }));
  if (counts.every(({ count }) => count === 0)) return [];
  const totals = counts.map(({ kind, count }) => `${kind}s: ${count}`).join(", ");
  const base = { check: "traps", what: "traps" } as const;
  const detail = `${totals}; their URLs start with ${traps.publicUrl()}`;
  if (traps.publicUrl().startsWith("https:")) return [{ ...base, state: "ok", detail }];
  return [
    {
      ...base,
      state: "warning",
      detail: `${detail}; HTTPS pages do not load them: set traps.public_url to an https:// URL`,
      setting: "traps.public_url",
      change: 'set it to a URL such as "https://phishwatch.example.com"',
    },
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
  const base = { check: "inspection", what: "thread that reads pages" } as const;
  const reason = await probeThread(startWorker, clock);
  if (reason === undefined) return [{ ...base, state: "ok", detail: "starts" }];
  const change = "give the service more memory, processes and open files";
  return [{ ...base, state: "error", detail: `does not start: ${reason}`, change }];
}

/** Checks that addresses are inspected: lookups, budget, and what waits. */
export function inspectionResults(
  { inspection }: Pick<App, "inspection">,
  config: Pick<Config, "feeds" | "inspection" | "lookups" | "scan" | "screenshots">,
  now: number,
): CheckResult[] {
  const base = { check: "inspection", what: "inspection of pages" } as const;
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
  if (disabled !== null)
    return feeds.length === 0 && count === 0
      ? [{ ...base, state: "ok", detail: "off, as lookups.enabled is false" }]
      : [
          {
            ...base,
            state: "warning",
            detail: `${disabled}; ${waits}${feeds.length === 0 ? "" : `, and ${counted(feeds.length, "feed")} should be inspected`}`,
            setting: "lookups.enabled",
            change: "set it to true, or set inspect = false for the feeds",
          },
        ];
  const late = oldestAt !== null && now - oldestAt > backlogMs;
  return [
    resultOf(
      base,
      detail,
      late || (used >= max && waiting.submission + waiting.feed > 0)
        ? {
            state: "warning",
            detail: late ? `${detail}; one has waited for ${spanText(now - oldestAt)}` : detail,
            setting: "inspection.per_day",
            change: "raise it and inspection.per_minute, or inspect fewer feeds",
          }
        : undefined,
    ),
  ];
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
  const base = { check: "originals", what: "original pages" } as const;
  const enabled = domains.list().filter((domain) => domain.enabled);
  if (enabled.length === 0) return [];
  const summaries = inspection.originals.summaries();
  if (!lookups.enabled)
    return [
      {
        ...base,
        state: "ok",
        detail: `not captured, because lookups.enabled is false; ${counted(summaries.filter(({ capturedAt }) => capturedAt !== null).length, "page")} on record`,
      },
    ];
  const captured = new Set(
    summaries.filter(({ capturedAt }) => capturedAt !== null).map(({ domain }) => domain),
  );
  const missing = enabled.filter(
    ({ domain, updatedAt }) => !captured.has(domain) && now - updatedAt >= missingOriginalAgeMs,
  );
  const failing = summaries.filter(
    ({ failingSince }) => failingSince !== null && now - failingSince >= failingOriginalAgeMs,
  );
  const results = [
    ...missing.slice(0, originalsShownMax).map(({ domain }): CheckResult => {
      const problem = summaries.find((one) => one.domain === domain && one.problem !== null)?.problem;
      const why = problem === undefined || problem === null ? "" : `: ${describeProblem(problem)}`;
      return {
        ...base,
        what: `original pages of ${domain}`,
        state: "warning",
        detail: visible(`none was captured${why}; pages cannot be compared with this brand`, 500),
        change: "open its original pages in the console, which say what to do",
      };
    }),
    ...failing
      .slice(0, originalsShownMax)
      .flatMap(({ address, domain, failingSince, problem }): CheckResult[] =>
        missing.some((one) => one.domain === domain)
          ? []
          : [
              {
                ...base,
                what: `original pages of ${domain}`,
                state: "warning",
                detail: visible(
                  `${visible(address, 200)} is not captured since ${toIsoTime(failingSince!)}${problem === null ? "" : `: ${describeProblem(problem)}`}`,
                  500,
                ),
                change: "correct the site, or remove the page from the original pages",
              },
            ],
      ),
  ];
  if (results.length > 0) return results;
  return [
    {
      ...base,
      state: "ok",
      detail: `${counted(summaries.length, "page")} of ${counted(captured.size, "domain")}`,
    },
  ];
}
