import type { Needs } from "../../platform/database/needs.ts";
import type { Page } from "../lookups/page/page-lookup.ts";
import type { ScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import type { Inspector } from "../inspection/model/inspector.ts";
import type { OriginalLook, Originals } from "../inspection/originals/open-originals.ts";
import type { ScreenshotKind } from "../../platform/vocabulary/inspections.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import { changesBetween, threatFactsOf } from "./facts/fact-changes.ts";
import { withShown } from "./facts/merge-facts.ts";
import { withScreenshot } from "./facts/screenshot-facts.ts";
import { brandNamesOf, rankOf, ranks } from "./plan.ts";
import type { EnrichmentStore, Subject } from "./store.ts";
import type { RunJob } from "./jobs/worker.ts";

const retryDelaysMs = [10 * 60_000, 2 * 3_600_000];
/** Facts that a power failure loses are determined again. */
const background = { relaxed: true, patient: true };

/**
 * The page as the browser showed it, with the perceptual hash of its screenshot, which is undefined for a blank page; or why
 * there is none.
 */
type Taken = { page: Page; hash: string | undefined; url: string } | { reason: string };

interface ScreenshotJob extends Needs<"clock" | "database"> {
  files: ScreenshotFiles;
  inspector: Pick<Inspector, "inspect">;
  kept: { readonly keep: ScreenshotKind };
  originals: Pick<Originals, "looksOf">;
  store: EnrichmentStore;
  threats: Pick<Threats, "updateFacts">;
}

/**
 * Opens one threat's page in a browser, compares what it shows and its screenshot with the original pages, and saves the
 * result.
 */
export function createScreenshotJob({
  clock,
  database,
  files,
  inspector,
  kept,
  originals,
  store,
  threats,
}: ScreenshotJob): RunJob {
  function save(
    subject: Subject,
    taken: Taken,
    { keep, looks }: { keep: ScreenshotKind; looks: readonly OriginalLook[] },
  ): void {
    const now = clock.now();
    const { facts: before, protectedDomain } = subject;
    const after =
      "reason" in taken
        ? { ...before, unknown: { ...before.unknown, screenshot: taken.reason } }
        : withScreenshot(withShown(before, taken.page), {
            hash: taken.hash,
            url: taken.url,
            protectedDomain,
            keep,
            looks,
            at: now,
          });
    threats.updateFacts(subject.id, threatFactsOf(after, now), changesBetween(before, after));
    store.saveFacts(subject.threatSeq, after);
    const failures = subject.screenshotFailures;
    const retryDelayMs = "reason" in taken ? retryDelaysMs[failures] : undefined;
    const rank = rankOf(subject.severity);
    store.saveScreenshotDue(
      subject.threatSeq,
      retryDelayMs === undefined ? undefined : { rank, dueAt: now + retryDelayMs, failures: failures + 1 },
    );
  }

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

  return async (threatSeq, signal) => {
    const subject = store.find(threatSeq);
    // Starts from the first URL, as a visitor does: a browser may be redirected elsewhere than we were.
    const url = subject?.facts.page?.firstUrl ?? subject?.facts.page?.finalUrl;
    if (subject === undefined || url === undefined || subject.status === "false_positive")
      return database.write(() => store.saveScreenshotDue(threatSeq, undefined), background);
    const { keep } = kept;
    const taken = await take(subject, url, signal);
    const isComparable = "hash" in taken && taken.hash !== undefined;
    const looks = isComparable ? await originals.looksOf(subject.protectedDomain, signal) : [];
    await database.write(() => {
      // Read again: a check may have changed it meanwhile.
      const present = store.find(threatSeq);
      if (present !== undefined) save(present, taken, { keep, looks });
    }, background);
  };
}
