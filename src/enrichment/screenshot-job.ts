import type { Database } from "../database/database.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { isAtOrBelow } from "../lib/host-names.ts";
import { messageOf } from "../lib/errors.ts";
import type { Threats } from "../threats/threats.ts";
import { changesBetween } from "./facts/fact-changes.ts";
import type { Camera } from "../lookups/page/chromium.ts";
import type { EvidenceStore } from "./registration-responses.ts";
import { threatFactsOf, type Facts } from "./facts/facts.ts";
import { greyPixels } from "../lookups/page/gray-pixels.ts";
import { hashSide, perceptualHash, visualSimilarity } from "../lookups/page/perceptual-hash.ts";
import type { Pictures } from "../lookups/page/screenshot-files.ts";
import { rankOf } from "./plan.ts";
import type { EnrichmentStore, Subject } from "./store.ts";

/** Takes the screenshot of one threat's page, compares it with the original, and writes down what came of it. */
export type TakeScreenshot = (threatSeq: number, signal: AbortSignal) => Promise<void>;

const retryDelaysMs = [10 * 60_000, 2 * 3_600_000];
const originalAgeMs = 24 * 3_600_000;
const originalRetryMs = 3_600_000;

/** The hash of a page, undefined for one that shows nothing; or why there is none. */
type Hashed = { hash: string | undefined; webp: Uint8Array; url: string } | { reason: string };

export function createScreenshots({
  camera,
  clock,
  database,
  evidence,
  pictures,
  store,
  threats,
}: {
  camera: Camera;
  clock: Clock;
  database: Database;
  evidence: Pick<EvidenceStore, "protectedDomainOf">;
  pictures: Pictures;
  store: EnrichmentStore;
  threats: Pick<Threats, "updateFacts">;
}): TakeScreenshot {
  /** Hashes of the protected domains' own pages; as many as there are domains. */
  const originals = new Map<string, { hash: string | undefined; until: Instant }>();

  async function take(url: string, signal: AbortSignal): Promise<Hashed> {
    const capture = await camera.capture(url, signal);
    if (!capture.ok) return { reason: capture.reason };
    try {
      return {
        hash: perceptualHash(await greyPixels(capture.webp, hashSide)),
        webp: capture.webp,
        url: capture.url,
      };
    } catch (error) {
      return { reason: `the picture cannot be read: ${messageOf(error)}` };
    }
  }

  async function originalOf(
    { id, protectedDomain }: Subject,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const known = originals.get(protectedDomain);
    if (known !== undefined && clock.now() < known.until) return known.hash;
    let taken = await take(`https://${protectedDomain}/`, signal);
    if ("reason" in taken) taken = await take(`http://${protectedDomain}/`, signal);
    const domainId = evidence.protectedDomainOf(id);
    if (!("reason" in taken) && domainId !== undefined) await pictures.write(domainId, taken.webp);
    const found = "reason" in taken ? undefined : taken.hash;
    const until = clock.now() + (found === undefined ? originalRetryMs : originalAgeMs);
    originals.set(protectedDomain, { hash: found ?? known?.hash, until });
    return found ?? known?.hash;
  }

  function write(subject: Subject, taken: Hashed, original: string | undefined): void {
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
    // From the beginning, as a visitor comes: a browser may be led elsewhere than we were.
    const url = subject?.facts.page?.firstUrl ?? subject?.facts.page?.finalUrl;
    if (subject === undefined || url === undefined || subject.status === "false_positive")
      return store.saveScreenshotDue(threatSeq, undefined);
    const taken = await take(url, signal);
    if (!("reason" in taken)) await pictures.write(subject.id, taken.webp);
    const compared = "hash" in taken && taken.hash !== undefined;
    const original = compared ? await originalOf(subject, signal) : undefined;
    relaxedTransaction(database, () => {
      // Read again: a look may have been there meanwhile.
      const present = store.find(threatSeq);
      if (present !== undefined) write(present, taken, original);
    });
  };
}

function factsAfter(
  { facts: before, protectedDomain }: Pick<Subject, "facts" | "protectedDomain">,
  taken: Hashed,
  original: string | undefined,
  now: Instant,
): Facts {
  const { screenshot: _reason, ...unknown } = before.unknown;
  if ("reason" in taken) return { ...before, unknown: { ...unknown, screenshot: taken.reason } };
  const { hash } = taken;
  const host = URL.parse(taken.url)?.hostname;
  const compared = hash !== undefined && original !== undefined;
  return {
    ...before,
    unknown,
    screenshot: {
      at: now,
      ...(host === undefined ? {} : { atOriginal: isAtOrBelow(host, protectedDomain) }),
      ...(hash === undefined ? {} : { hash }),
      ...(compared ? { visualSimilarity: visualSimilarity(hash, original) } : {}),
    },
  };
}
