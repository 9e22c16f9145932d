import type { Needs } from "../../platform/database/needs.ts";
import type { Page } from "../lookups/page/page-lookup.ts";
import type { ScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import type { RegistrationResult } from "../lookups/registration/registration-values.ts";
import type { Inspector } from "../inspection/model/inspector.ts";
import type { OriginalLook, Originals } from "../inspection/originals/open-originals.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { ScreenshotKind } from "../../platform/vocabulary/inspections.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import { changesBetween, threatFactsOf } from "./facts/fact-changes.ts";
import { hostAddressesOf, type Facts } from "./facts/facts.ts";
import { mergeFacts, withShown, type AddressNetwork } from "./facts/merge-facts.ts";
import { withScreenshot } from "./facts/screenshot-facts.ts";
import { type RunJob, guardedLookup } from "./jobs/worker.ts";
import type { Lookups } from "../lookups/lookups.ts";
import { brandNamesOf, mayBeRegistered, nextRegistration, rankOf, ranks, wantsNetworks } from "./plan.ts";
import type { LookupQueue } from "./queues.ts";
import type { RegistrationResponses } from "./registration-responses.ts";
import type { Due, EnrichmentStore, Subject } from "./store.ts";

/** A lookup of a threat that a check asks for, and that has a queue of its own because it takes longer. */
export interface FurtherLookup<Found> {
  /** Returns what looks it up; undefined if it is no longer wanted. */
  plan(subject: Subject): ((signal: AbortSignal) => Promise<Found>) | undefined;
  /** Returns the facts with what was found, and when to look again. Runs in the transaction that saves both. */
  record(subject: Subject, found: Found, now: Instant): { facts: Facts; next: Due | undefined };
}

/** The lookups have time limits of their own; this applies if one of them does not hold. */
const timeoutMs = 90_000;
/** Facts that a power failure loses are determined again. */
const background = { relaxed: true, patient: true };
const screenshotRetryDelaysMs = [10 * 60_000, 2 * 3_600_000];

/** Creates the job of a further lookup: looks up one threat, saves the facts, and its next place in the queue. */
export function createFurtherJob<Found>(
  {
    clock,
    database,
    queue,
    store,
    threats,
  }: Needs<"clock" | "database"> & {
    queue: LookupQueue;
    store: EnrichmentStore;
    threats: Pick<Threats, "updateFacts">;
  },
  { plan, record }: FurtherLookup<Found>,
): RunJob {
  return async (threatSeq, signal) => {
    const subject = store.find(threatSeq);
    if (subject === undefined) return;
    const lookUp = plan(subject);
    if (lookUp === undefined) return database.write(() => queue.save(subject, undefined), background);
    const found = await lookUp(signal);
    await database.write(() => {
      // Read again: a check may have changed it since.
      const present = store.find(threatSeq);
      if (present === undefined) return;
      const now = clock.now();
      const { facts, next } = record(present, found, now);
      threats.updateFacts(present.id, threatFactsOf(facts, now), changesBetween(present.facts, facts));
      store.saveFacts(threatSeq, facts);
      queue.save(present, next);
    }, background);
  };
}

interface RegistrationLookupOptions extends Needs<"log"> {
  lookUp: Lookups["registration"];
  responses: Pick<RegistrationResponses, "save">;
}

/** Looks up the registration data of a domain. */
export function registrationLookup(options: RegistrationLookupOptions): FurtherLookup<RegistrationResult> {
  const { log, lookUp, responses } = options;
  const unknown = (reason: string) => ({ ok: false as const, reason });
  return {
    plan({ domain, facts, registrationRank, status }) {
      const isWanted = status !== "false_positive" && mayBeRegistered(facts);
      if (registrationRank === null || (!isWanted && registrationRank !== ranks.requested)) return undefined;
      return (signal) => guardedLookup(lookUp(domain), { log, signal, timeoutMs, unknown });
    },
    record({ facts, registrationFailures, registrationRank, threatSeq }, registration, now) {
      if (registration.ok) responses.save(threatSeq, registration.raw, now);
      const next = nextRegistration(registration, registrationFailures, now);
      const rank = registrationRank ?? ranks.recheck;
      return { facts: mergeFacts(facts, { registration }, now), next: next && { rank, ...next } };
    },
  };
}

/** Looks up the networks of a domain's addresses. */
export function networkLookup({
  clock,
  log,
  lookUp,
}: Needs<"clock" | "log"> & { lookUp: Lookups["network"] }): FurtherLookup<AddressNetwork[]> {
  return {
    plan({ facts, networkRank, status }) {
      const addresses = hostAddressesOf(facts);
      const isWanted = networkRank === ranks.requested || wantsNetworks(facts, status, clock.now());
      if (networkRank === null || !isWanted || addresses.length === 0) return undefined;
      const unknown = (reason: string) =>
        addresses.map((address) => ({ address, result: { ok: false as const, reason } }));
      const all = () => addresses.map(async (address) => ({ address, result: await lookUp(address) }));
      return (signal) => guardedLookup(Promise.all(all()), { log, signal, timeoutMs, unknown });
    },
    record({ facts, networkFailures, networkRank }, networks, now) {
      const failed = networks.map(({ result }) => result).filter((result) => !result.ok);
      // A server that demands a pause decides when the next attempt makes sense.
      const decisive = failed.find(({ retryAfterMs }) => retryAfterMs !== undefined) ?? failed[0];
      const next = decisive && nextRegistration(decisive, networkFailures, now);
      const rank = networkRank ?? ranks.recheck;
      return { facts: mergeFacts(facts, { networks }, now), next: next && { rank, ...next } };
    },
  };
}

/**
 * The page as the browser showed it, with the perceptual hash of its screenshot, which is undefined for a blank page; or why
 * there is none.
 */
type Taken = { page: Page; hash: string | undefined; url: string } | { reason: string };

interface Seen {
  taken: Taken;
  keep: ScreenshotKind;
  looks: readonly OriginalLook[];
}

interface ScreenshotLookupOptions {
  inspector: Pick<Inspector, "inspect">;
  originals: Pick<Originals, "looksOf">;
  screenshotFiles: Pick<ScreenshotFiles, "remove" | "write">;
  screenshots: { readonly keep: ScreenshotKind };
}

/** Opens a page in a browser, and compares what it shows and its screenshot with the original pages. */
export function screenshotLookup(options: ScreenshotLookupOptions): FurtherLookup<Seen> {
  const { inspector, originals, screenshotFiles: files, screenshots } = options;
  async function take(subject: Subject, address: string, signal: AbortSignal): Promise<Taken> {
    const target = {
      address,
      protectedDomains: [subject.protectedDomain],
      brandNames: brandNamesOf(subject),
      browser: "always",
      isUrgent: subject.screenshotRank === ranks.requested,
    } as const;
    const result = await inspector.inspect(target, signal);
    if (!result.ok) return { reason: result.reason };
    const { fingerprint, noScreenshot, page, screenshot: webp, shownAt } = result;
    if (noScreenshot !== undefined) return { reason: noScreenshot };
    await (webp === undefined ? files.remove(subject.id) : files.write(subject.id, webp));
    return { page, hash: fingerprint.screenshot, url: shownAt ?? page.finalUrl };
  }

  return {
    plan(subject) {
      const { facts, protectedDomain, status } = subject;
      // Starts from the first URL, as a visitor does: a browser may be redirected elsewhere than we were.
      const url = facts.page?.firstUrl ?? facts.page?.finalUrl;
      if (url === undefined || status === "false_positive") return undefined;
      return async (signal) => {
        const { keep } = screenshots;
        const taken = await take(subject, url, signal);
        const isComparable = "hash" in taken && taken.hash !== undefined;
        return { taken, keep, looks: isComparable ? await originals.looksOf(protectedDomain, signal) : [] };
      };
    },
    record({ facts: before, protectedDomain, screenshotFailures, severity }, { taken, keep, looks }, now) {
      if (!("reason" in taken)) {
        const { hash, page, url } = taken;
        const shown = { hash, url, protectedDomain, keep, looks, at: now };
        return { facts: withScreenshot(withShown(before, page), shown), next: undefined };
      }
      const delayMs = screenshotRetryDelaysMs[screenshotFailures];
      const failures = screenshotFailures + 1;
      return {
        facts: { ...before, unknown: { ...before.unknown, screenshot: taken.reason } },
        next: delayMs === undefined ? undefined : { rank: rankOf(severity), dueAt: now + delayMs, failures },
      };
    },
  };
}
