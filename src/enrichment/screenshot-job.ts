import type { Database } from "../database/database.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import { isAtOrBelow } from "../lib/host-names.ts";
import type { Browser } from "../lookups/browser/chromium.ts";
import { grayPixels } from "../lookups/page/gray-pixels.ts";
import { hashSide, perceptualHash, visualSimilarity } from "../lookups/page/perceptual-hash.ts";
import type { ScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import type { Threats } from "../threats/threats.ts";
import { changesBetween } from "./facts/fact-changes.ts";
import type { Facts } from "./facts/facts.ts";
import { threatFactsOf } from "./facts/threat-facts.ts";
import { rankOf } from "./plan.ts";
import type { EnrichmentStore, Subject } from "./store.ts";
import type { RunJob } from "./jobs/worker.ts";

const retryDelaysMs = [10 * 60_000, 2 * 3_600_000];
/** Facts that a power failure loses are determined again. */
const background = { relaxed: true, patient: true };
const originalMaxAgeMs = 24 * 3_600_000;
const originalRetryDelayMs = 3_600_000;

/** A screenshot with its perceptual hash, which is undefined for a blank page; or why there is none. */
type Taken = { hash: string | undefined; webp: Uint8Array; url: string } | { reason: string };

interface ScreenshotJob {
  browser: Browser;
  clock: Clock;
  database: Database;
  files: ScreenshotFiles;
  store: EnrichmentStore;
  threats: Pick<Threats, "updateFacts">;
}

/** Takes a screenshot of one threat's page, compares it with the original page, and saves the result. */
export function createScreenshotJob({
  browser,
  clock,
  database,
  files,
  store,
  threats,
}: ScreenshotJob): RunJob {
  const originalHashOf = createOriginalHashes({ browser, clock, files, store });

  function save(subject: Subject, taken: Taken, original: string | undefined): void {
    const now = clock.now();
    const after = factsAfter(subject, taken, original, now);
    threats.updateFacts(subject.id, threatFactsOf(after, now), changesBetween(subject.facts, after));
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
    if (!("reason" in taken)) await files.write(subject.id, taken.webp);
    const isComparable = "hash" in taken && taken.hash !== undefined;
    const original = isComparable ? await originalHashOf(subject, signal) : undefined;
    await database.write(() => {
      // Read again: a check may have changed it meanwhile.
      const present = store.find(threatSeq);
      if (present !== undefined) save(present, taken, original);
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

/** Returns the hashes of the protected domains' own pages, which are renewed once a day. */
function createOriginalHashes({
  browser,
  clock,
  files,
  store,
}: Pick<ScreenshotJob, "browser" | "clock" | "files" | "store">) {
  // One entry for each protected domain.
  const originals = new Map<string, { hash: string | undefined; untilMs: number }>();
  return async ({ id, protectedDomain }: Subject, signal: AbortSignal): Promise<string | undefined> => {
    const known = originals.get(protectedDomain);
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.hash;
    let taken = await take(browser, `https://${protectedDomain}/`, signal);
    if ("reason" in taken) taken = await take(browser, `http://${protectedDomain}/`, signal);
    const domainId = store.protectedDomainIdOf(id);
    if (!("reason" in taken) && domainId !== undefined) await files.write(domainId, taken.webp);
    const found = "reason" in taken ? undefined : taken.hash;
    const untilMs = clock.monotonicMs() + (found === undefined ? originalRetryDelayMs : originalMaxAgeMs);
    originals.set(protectedDomain, { hash: found ?? known?.hash, untilMs });
    return found ?? known?.hash;
  };
}

function factsAfter(
  { facts: before, protectedDomain }: Pick<Subject, "facts" | "protectedDomain">,
  taken: Taken,
  original: string | undefined,
  now: Instant,
): Facts {
  const { screenshot: _reason, ...unknown } = before.unknown;
  if ("reason" in taken) return { ...before, unknown: { ...unknown, screenshot: taken.reason } };
  const { hash } = taken;
  const host = URL.parse(taken.url)?.hostname;
  const isComparable = hash !== undefined && original !== undefined;
  return {
    ...before,
    unknown,
    screenshot: {
      at: now,
      ...(host === undefined ? {} : { atOriginal: isAtOrBelow(host, protectedDomain) }),
      ...(hash === undefined ? {} : { hash }),
      ...(isComparable ? { visualSimilarity: visualSimilarity(hash, original) } : {}),
    },
  };
}
