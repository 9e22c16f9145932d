import { system } from "../../access/audit/actor.ts";
import type { DetectionSettings } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { Originals } from "../inspection/originals/open-originals.ts";
import { isSamePage } from "../inspection/queue/addresses.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { Existence } from "../lookups/dns/existence.ts";
import type { Page } from "../lookups/page/page-lookup.ts";
import type { ScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import type { ScreenshotKind } from "../../platform/vocabulary/inspections.ts";
import type { SiteState } from "../../platform/vocabulary/site.ts";
import { cameBackToLife, changesBetween, threatFactsOf } from "./facts/fact-changes.ts";
import type { Facts } from "./facts/facts.ts";
import { mergeFacts, type CheckResults } from "./facts/merge-facts.ts";
import { withScreenshot } from "./facts/screenshot-facts.ts";
import { rankOf, ranks, wantsNetworks, wantsRegistration, type EnabledLookups } from "./plan.ts";
import type { LookupQueues } from "./queues.ts";
import type { EnrichmentStore, Subject } from "./store.ts";

export interface ResultWriter extends Needs<"clock" | "database"> {
  enabledLookups: Pick<EnabledLookups, "registration">;
  detection: Pick<DetectionSettings, "reactivate">;
  queues: LookupQueues;
  store: EnrichmentStore;
  threats: Pick<Threats, "updateFacts" | "changeStatus">;
}

/** A threat after results of lookups were saved. */
export interface Applied {
  subject: Subject;
  before: Facts;
  after: Facts;
  /** Rank of the further lookups of the threat. */
  rank: number;
  /** Whether something changed that makes the next days interesting. */
  news: boolean;
  siteState: SiteState | null;
}

/**
 * Calls `save` in a transaction. Facts that a power failure loses are determined again; an event that it loses is not.
 * Whether there will be an event is known only inside, so a threat that could be reactivated takes the durable path.
 */
export async function saveResults(
  database: Database,
  { status }: Pick<Subject, "status">,
  save: () => void,
): Promise<void> {
  await database.write(save, { relaxed: status !== "resolved", patient: true });
}

/**
 * Saves results of lookups as facts of the threat, updates its severity, reactivates it if its domain came back to life,
 * and enqueues the registration lookup that they call for. Must run within a transaction.
 */
export function applyResults(
  { clock, detection, enabledLookups, queues, store, threats }: ResultWriter,
  given: Subject,
  results: CheckResults,
  { requested }: { requested: boolean },
): Applied {
  const now = clock.now();
  const { facts: before } = given;
  const after = mergeFacts(before, results, now);
  const { alive, isBack, updated } = writeFacts({ detection, store, threats }, given, after, now);
  const { siteState, previousSiteState } = updated ?? {};
  const rose = updated !== undefined && rankOf(updated.severity) < rankOf(updated.previousSeverity);
  const rank = rankOf(updated?.severity ?? given.severity);
  // A threat that is in the queue already keeps its time.
  const mayEnqueue = requested || given.registrationRank === null;
  if (
    enabledLookups.registration &&
    mayEnqueue &&
    wantsRegistration(after, before, { requested, retry: given.failures > 0, now })
  ) {
    const due = { rank: requested ? ranks.requested : rank, dueAt: now, failures: 0 };
    queues.registration.save(given, due);
  }
  const status = isBack ? "active" : given.status;
  if (enabledLookups.registration && given.networkRank === null && wantsNetworks(after, status, now))
    queues.network.save(given, { rank, dueAt: now, failures: 0 });
  const subject: Subject = { ...given, status };
  // A state that was never determined, as before an upgrade, is no news.
  const moved = siteState !== previousSiteState && (previousSiteState ?? null) !== null;
  return { subject, before, after, rank, news: rose || alive || moved, siteState: siteState ?? null };
}

/** Writes the facts of a threat, and reactivates it if its domain came back to life. Must run within a transaction. */
export function writeFacts(
  { detection, store, threats }: Pick<ResultWriter, "detection" | "store" | "threats">,
  { facts: before, id, status, threatSeq }: Pick<Subject, "facts" | "id" | "status" | "threatSeq">,
  after: Facts,
  now: Instant,
) {
  const updated = threats.updateFacts(id, threatFactsOf(after, now), changesBetween(before, after));
  store.saveFacts(threatSeq, after);
  const alive = cameBackToLife(before, after) || isBackUp(updated?.previousSiteState, updated?.siteState);
  const isBack = detection.reactivate && alive && status === "resolved";
  if (isBack) threats.changeStatus([id], "active", { by: system });
  return { alive, isBack, updated };
}

function isBackUp(before: SiteState | null | undefined, after: SiteState | null | undefined): boolean {
  return (before === "down" || before === "blocked") && after === "back";
}

const admittedPerTransactionMax = 200;

/** A threat that a scan or an inspection found, with what it knows about it. */
export interface KnownResult {
  threatId: string;
  existence: Existence;
  page?: Page;
  /** WebP, as far as it may be kept, with its perceptual hash unless it is blank. */
  screenshot?: { webp: Uint8Array | undefined; hash: string | undefined };
}

interface IntakeWriter extends ResultWriter {
  originals: Pick<Originals, "capturedLooksOf">;
  screenshotFiles: Pick<ScreenshotFiles, "remove" | "write">;
  screenshots: { readonly keep: ScreenshotKind };
}

/**
 * Returns a function that saves what a scan or an inspection knows as facts of the threat, independently of the enabled
 * lookups and of a running server.
 */
export function createIntake(writer: IntakeWriter): (result: KnownResult) => Promise<void> {
  const { clock, database, store } = writer;

  async function admitAll(): Promise<void> {
    while ((await store.admitNew(clock.now(), admittedPerTransactionMax)) > 0);
  }

  return async ({ threatId, existence, ...given }) => {
    let known = store.findById(threatId);
    if (known === undefined) {
      await admitAll();
      known = store.findById(threatId);
    }
    if (known === undefined) return;
    const { threatSeq } = known;
    const { page, screenshot } = isBesideImitation(known.facts, given.page) ? {} : given;
    if (screenshot !== undefined) await keepFile(writer, threatId, screenshot.webp);
    const results = {
      existence,
      page: page && { ok: true as const, page },
      isRendered: screenshot !== undefined || page?.from === "browser",
    };
    await saveResults(database, known, () => {
      // Read again: another process may have changed it since.
      const subject = store.find(threatSeq);
      if (subject === undefined) return;
      // The first check of a threat, which is due already, enqueues the registration lookup.
      const registration = writer.enabledLookups.registration && subject.rank === ranks.recheck;
      const changed = { ...writer, enabledLookups: { registration } };
      const { after } = applyResults(changed, subject, results, { requested: false });
      if (screenshot !== undefined && page !== undefined)
        saveScreenshot(writer, subject, { facts: after, hash: screenshot.hash, url: page.finalUrl });
      store.saveCheckedAt(threatSeq, clock.now());
    });
  };
}

/** Returns whether a page that imitates nothing is at another address of the host than the page on record, which imitates. */
function isBesideImitation({ page: known }: Facts, page: Page | undefined): boolean {
  if (known?.imitation?.imitates !== true || page === undefined || page.imitation?.imitates === true)
    return false;
  return known.firstUrl !== undefined && !isSamePage(known.firstUrl, page.firstUrl ?? "");
}

async function keepFile(
  { screenshotFiles: files }: IntakeWriter,
  threatId: string,
  webp: Uint8Array | undefined,
): Promise<void> {
  await (webp === undefined ? files.remove(threatId) : files.write(threatId, webp));
}

/** Compares the screenshot of an inspection with the originals, as the screenshot job does. */
function saveScreenshot(
  { clock, originals, screenshots, store, threats }: IntakeWriter,
  { id, protectedDomain, threatSeq }: Subject,
  { facts, hash, url }: { facts: Facts; hash: string | undefined; url: string },
): void {
  const now = clock.now();
  const looks = originals.capturedLooksOf(protectedDomain);
  const { keep } = screenshots;
  const after = withScreenshot(facts, { hash, url, protectedDomain, keep, looks, at: now });
  threats.updateFacts(id, threatFactsOf(after, now), changesBetween(facts, after));
  store.saveFacts(threatSeq, after);
}
