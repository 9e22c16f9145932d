import type { Database } from "../database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import type { Browser } from "../lookups/browser/chromium.ts";
import { grayPixels } from "../lookups/page/gray-pixels.ts";
import { hashSide, perceptualHash } from "../lookups/page/perceptual-hash.ts";
import type { ScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import type { OriginalLook, Originals } from "../inspection/originals/open-originals.ts";
import { keptScreenshot } from "../lookups/pictures/kept-screenshot.ts";
import type { ScreenshotKind } from "../vocabulary/screenshots.ts";
import type { Threats } from "../threats/threats.ts";
import { changesBetween } from "./facts/fact-changes.ts";
import { withScreenshot } from "./facts/screenshot-facts.ts";
import { threatFactsOf } from "./facts/threat-facts.ts";
import { rankOf } from "./plan.ts";
import type { EnrichmentStore, Subject } from "./store.ts";
import type { RunJob } from "./jobs/worker.ts";

const retryDelaysMs = [10 * 60_000, 2 * 3_600_000];
/** Facts that a power failure loses are determined again. */
const background = { relaxed: true, patient: true };

/** A screenshot with its perceptual hash, which is undefined for a blank page; or why there is none. */
type Taken = { hash: string | undefined; webp: Uint8Array; url: string } | { reason: string };

interface ScreenshotJob {
  browser: Browser;
  clock: Clock;
  database: Database;
  files: ScreenshotFiles;
  kept: { readonly keep: ScreenshotKind };
  originals: Pick<Originals, "looksOf">;
  store: EnrichmentStore;
  threats: Pick<Threats, "updateFacts">;
}

/** Takes a screenshot of one threat's page, compares it with the original page, and saves the result. */
export function createScreenshotJob({
  browser,
  clock,
  database,
  files,
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
        : withScreenshot(before, { ...taken, protectedDomain, keep, looks, at: now });
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

  return async (threatSeq, signal) => {
    const subject = store.find(threatSeq);
    // Starts from the first URL, as a visitor does: a browser may be redirected elsewhere than we were.
    const url = subject?.facts.page?.firstUrl ?? subject?.facts.page?.finalUrl;
    if (subject === undefined || url === undefined || subject.status === "false_positive")
      return database.write(() => store.saveScreenshotDue(threatSeq, undefined), background);
    const taken = await take(browser, url, signal);
    const { keep } = kept;
    if (!("reason" in taken)) {
      const webp = await keptScreenshot(taken.webp, keep);
      await (webp === undefined ? files.remove(subject.id) : files.write(subject.id, webp));
    }
    const isComparable = "hash" in taken && taken.hash !== undefined;
    const looks = isComparable ? await originals.looksOf(subject.protectedDomain, signal) : [];
    await database.write(() => {
      // Read again: a check may have changed it meanwhile.
      const present = store.find(threatSeq);
      if (present !== undefined) save(present, taken, { keep, looks });
    }, background);
  };
}

async function take(browser: Browser, url: string, signal: AbortSignal): Promise<Taken> {
  const capture = await browser.takeScreenshot(url, signal);
  if (!capture.ok) return { reason: capture.reason };
  const { webp } = capture;
  try {
    return { hash: perceptualHash(await grayPixels(webp, hashSide)), webp, url: capture.url };
  } catch (error) {
    return { reason: `the screenshot cannot be decoded: ${messageOf(error)}` };
  }
}
