import { dayMs, type Instant } from "../../platform/lib/clock.ts";
import { createKeyedLimiter } from "../../platform/lib/limiter.ts";
import type { Log } from "../../platform/lib/log.ts";
import type { Existence } from "../lookups/dns/existence.ts";
import { applyResults, saveResults, type ResultWriter } from "./apply-results.ts";
import type { Facts } from "./facts/facts.ts";
import { mergeFacts, type CheckResults } from "./facts/merge-facts.ts";
import type { Handoff } from "./jobs/handoff.ts";
import type { Lookups } from "../lookups/lookups.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import { brandNamesOf, nextCheck, ranks, wantsPage, wantsScreenshot, type EnabledLookups } from "./plan.ts";
import type { EnrichmentStore, Subject } from "./store.ts";
import { type RunJob, guardedLookup } from "./jobs/worker.ts";

/** Each lookup has time limits of its own; these apply if one of them does not hold. */
const existenceTimeoutMs = 30_000;
const pageTimeoutMs = 60_000;
/** Parked names share few addresses, which must not be flooded. */
const pagesPerAddressMax = 2;

interface CheckJob extends ResultWriter {
  enabledLookups: EnabledLookups;
  hasBrowser: boolean;
  handoff: Handoff;
  log: Log;
  lookups: Lookups;
  threats: ResultWriter["threats"] & Pick<Threats, "addressToOpen">;
}

/** Checks one threat in DNS and on the web, saves the facts, and schedules what takes longer. */
export function createCheckJob(job: CheckJob): RunJob {
  const { clock, database, store } = job;
  const lookUp = createCheckLookups(job);
  return async (threatSeq, signal) => {
    const subject = store.find(threatSeq);
    if (subject === undefined) return;
    const requested = subject.rank === ranks.requested;
    if (subject.status === "false_positive" && !requested) {
      await database.write(() => postpone(store, subject, clock.now()), { relaxed: true, patient: true });
      return;
    }
    const results = await lookUp(subject, requested, signal);
    await saveResults(database, subject, () => saveCheck(job, { threatSeq, requested, results }));
  };
}

function createCheckLookups({ enabledLookups, clock, handoff, log, lookups, threats }: CheckJob) {
  const perAddress = createKeyedLimiter(pagesPerAddressMax);

  function lookUpPage(
    subject: Subject,
    facts: Facts,
    { isUrgent, signal }: { isUrgent: boolean; signal: AbortSignal },
  ) {
    const { domain, id, protectedDomain } = subject;
    const address = threats.addressToOpen(id) ?? domain;
    const target = { name: domain, address, protectedDomain, brandNames: brandNamesOf(subject) };
    return perAddress(facts.existence?.addresses[0] ?? domain, () =>
      lookups.page(target, { isUrgent, signal }),
    );
  }

  return async (subject: Subject, requested: boolean, signal: AbortSignal): Promise<CheckResults> => {
    if (!enabledLookups.names) return {};
    const { domain, facts: before, id } = subject;
    const results: CheckResults = {};
    results.existence =
      handoff.take(id) ??
      (await guardedLookup(lookups.existence(domain, { signal }), {
        log,
        signal,
        timeoutMs: existenceTimeoutMs,
        unknown: (reason) => ({ ...unknownExistence, reason }),
      }));
    const facts = mergeFacts(before, results, clock.now());
    if (wantsPage(facts, requested, clock.now()))
      results.page = await guardedLookup(lookUpPage(subject, facts, { isUrgent: requested, signal }), {
        log,
        signal,
        timeoutMs: pageTimeoutMs,
        unknown: (reason) => ({ ok: false as const, reason }),
      });
    return results;
  };
}

function saveCheck(
  job: CheckJob,
  { threatSeq, requested, results }: { threatSeq: number; requested: boolean; results: CheckResults },
): void {
  const { clock, enabledLookups, hasBrowser, store } = job;
  // Read again: a screenshot job or a person may have changed it since.
  const found = store.find(threatSeq);
  if (found === undefined) return;
  const now = clock.now();
  const { after, before, news, rank, siteState, subject } = applyResults(job, found, results, { requested });
  const complete = results.existence?.exists !== "unknown";
  store.saveCheck(threatSeq, now, {
    rank: ranks.recheck,
    ...nextCheck(
      subject,
      { complete, isWatched: subject.openTakedowns > 0 || isFailing(after), news, siteState },
      now,
    ),
  });
  const { status } = subject;
  // DNS and the web determine which page to take a screenshot of.
  const isWanted = hasBrowser && enabledLookups.names;
  if (isWanted && wantsScreenshot(before, after, { requested, status, now }))
    job.queues.screenshot.save(subject, {
      rank: requested ? ranks.requested : rank,
      dueAt: now,
      failures: 0,
    });
}

/** Returns whether the page that is known did not respond at the last check. */
function isFailing({ page, pageFailures = 0 }: Facts): boolean {
  return page !== undefined && pageFailures > 0;
}

/** Keeps a false positive in the queue without checking it: a person may change their mind. */
function postpone(store: EnrichmentStore, { threatSeq, step }: Subject, now: Instant): void {
  store.saveCheck(threatSeq, null, { rank: ranks.recheck, dueAt: now + dayMs, step, failures: 0 });
}

const unknownExistence: Existence = {
  exists: "unknown",
  addresses: [],
  mailServers: [],
  nameServers: [],
  wildcard: false,
};
