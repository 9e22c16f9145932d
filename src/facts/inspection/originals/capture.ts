import type { Needs } from "../../../platform/database/needs.ts";
import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import type { Page } from "../../lookups/page/page-lookup.ts";
import type { ScreenshotFolder } from "../../lookups/page/screenshot-files.ts";
import type { InspectionResult, Inspector } from "../model/inspector.ts";
import { inTime } from "../inspector/render.ts";
import type { Brands } from "./brands.ts";
import { problemOf } from "./capture-problems.ts";
import { discoveredMax, discoverPages, type LinkedPage, pageNamesOf } from "../discovery/discover-pages.ts";
import type { OriginalStore, OwnedOriginal } from "./store.ts";
import { noNames, type CaptureProblem, type PageNames } from "../model/original.ts";
import { completedFingerprint, nextStep, screenshotId, supersededBy } from "./version-steps.ts";

/** Captures one original page and saves what follows. Never throws for what a page or a server does. */
export type Capture = (original: OwnedOriginal, signal: AbortSignal) => Promise<void>;

/** The home page of a protected domain, as it was captured. */
export interface CapturedHome {
  protectedDomainSeq: number;
  domain: string;
  /** Undefined if the site did not show its page. */
  page: Page | undefined;
}

interface CaptureDependencies extends Needs<"clock" | "database"> {
  brands: Pick<Brands, "changed">;
  files: Pick<ScreenshotFolder, "write" | "remove">;
  inspect: Inspector["inspect"];
  /** Is called after each capture of a home page. */
  onHome: (home: CapturedHome, signal: AbortSignal) => Promise<void>;
  store: OriginalStore;
}

type Opened = Extract<InspectionResult, { ok: true }>;

/** A capture that a power failure loses is repeated. */
const background = { relaxed: true, patient: true };
/** A page that was discovered and cannot be opened is not an original after this many failures. */
const discoveryFailuresMax = 3;
/** A discovered page that has failed for this long makes room for another one. */
const failingMsMax = 7 * dayMs;

export function createCapture(dependencies: CaptureDependencies): Capture {
  const { clock, database, inspect, onHome, store } = dependencies;

  async function open({ role, chosenBy, address, domain }: OwnedOriginal, signal: AbortSignal) {
    const openPage = (target: string) =>
      inspect(
        { address: target, protectedDomains: [], browser: "always", isOwn: true, withView: true },
        signal,
      );
    if (role !== "home" || chosenBy === "person") return openPage(address);
    // A host name is opened by HTTPS first, then by HTTP. Some owners publish only the name with `www`.
    const result = await openPage(domain);
    if (result.ok || signal.aborted) return result;
    const other = await openPage(`www.${domain}`);
    return other.ok ? other : result;
  }

  async function save(original: OwnedOriginal, result: InspectionResult): Promise<boolean> {
    const problem = problemOf(result, original);
    if (problem !== undefined || !result.ok) {
      await database.write(() => saveProblem(dependencies, original.seq, problem!), background);
      return false;
    }
    const names = result.view === undefined ? noNames : pageNamesOf(result.view, original);
    const saved = await database.write(
      () => saveCapture(dependencies, original.seq, { result, names }),
      background,
    );
    await keepScreenshot(dependencies, saved, result.screenshot);
    if (saved.isOriginal && original.role === "home" && result.view !== undefined) {
      const { own } = discoverPages(result.view, original);
      await database.write(() => addDiscovered(store, original, own, clock.now()), background);
    }
    return saved.isOriginal;
  }

  return async (original, signal) => {
    const result = await inTime(clock, signal, (limit) => open(original, limit)).catch(
      (error: unknown): InspectionResult => ({ ok: false, reason: messageOf(error) }),
    );
    if (signal.aborted) return;
    const isOriginal = await save(original, result);
    const { domain, protectedDomainSeq, role } = original;
    const page = isOriginal && result.ok ? result.page : undefined;
    if (role === "home") await onHome({ protectedDomainSeq, domain, page }, signal);
  };
}

function saveProblem({ clock, store }: CaptureDependencies, seq: number, problem: CaptureProblem): void {
  const present = store.find(seq);
  if (present === undefined) return;
  const now = clock.now();
  const failures = present.failures + 1;
  const isMistaken = problem.code !== "unreachable" || failures >= discoveryFailuresMax;
  const isNew = store.comparedVersions(seq, 1).length === 0;
  if (present.chosenBy === "discovery" && present.role !== "home" && isNew && isMistaken)
    return store.delete(seq);
  store.update(seq, {
    failures,
    failingSince: present.failingSince ?? now,
    problem,
    dueAt: now + retryDelayMs(failures),
  });
}

/** Result of saving a capture. */
interface Saved {
  /** Version that the screenshot belongs to, if it has none yet. */
  lacksScreenshot: number | undefined;
  /** Versions that were deleted. */
  deleted: number[];
  /** Whether the page is what the site shows visitors, as far as is known. */
  isOriginal: boolean;
}

const nothingSaved: Saved = { lacksScreenshot: undefined, deleted: [], isOriginal: false };

function saveCapture(
  dependencies: CaptureDependencies,
  seq: number,
  { result, names }: { result: Opened; names: PageNames },
): Saved {
  const { brands, clock, store } = dependencies;
  // Read again: a person may have changed it since.
  const original = store.find(seq);
  if (original === undefined) return nothingSaved;
  const now = clock.now();
  const { fingerprint } = result;
  const secure = isSecure(result.page);
  const isDiscovered = original.chosenBy === "discovery" && original.role !== "home";
  if (isDiscovered && isDuplicate(store, original, fingerprint.address)) {
    store.delete(seq);
    brands.changed();
    return nothingSaved;
  }
  const versions = store.versions(seq);
  const step = nextStep({ versions, fingerprint, secure, now });
  if (step.kind === "insecure") {
    const detail = result.page.certificate?.fault ?? "HTTP";
    saveProblem(dependencies, seq, { code: "insecure", detail });
    return nothingSaved;
  }
  const isWaiting = step.kind === "wait" || step.kind === "wait_longer";
  store.update(seq, {
    capturedAt: now,
    failures: 0,
    failingSince: null,
    problem: null,
    dueAt: now + (isWaiting ? waitingDelayMs : nextCaptureMs(original.address, now)),
  });
  const isNew = step.kind === "accept" || step.kind === "wait";
  const version = isNew
    ? store.insertVersion({
        originalSeq: seq,
        state: step.kind === "accept" ? "accepted" : "waiting",
        firstSeenAt: now,
        lastSeenAt: now,
        sightings: 1,
        acceptedAt: step.kind === "accept" ? now : null,
        fingerprint,
        names,
        changes: step.changes,
        secure,
        hasScreenshot: false,
      })
    : versions.find((one) => one.seq === step.seq)!;
  const completed = step.kind === "same" ? completedFingerprint(version.fingerprint, fingerprint) : undefined;
  if (!isNew)
    store.updateVersion(version.seq, {
      lastSeenAt: now,
      sightings: version.sightings + 1,
      ...(step.kind === "accept_waiting" && ({ state: "accepted", acceptedAt: now } as const)),
      // The looks are the same; the names are the latest.
      ...(step.kind === "same" && { names, secure: version.secure || secure }),
      ...(completed !== undefined && { fingerprint: completed }),
    });
  const deleted = supersededBy(store.versions(seq), version);
  store.deleteVersions(deleted);
  const isAccepted = step.kind === "accept" || step.kind === "accept_waiting";
  if (isAccepted || completed !== undefined) brands.changed();
  return {
    lacksScreenshot: version.hasScreenshot ? undefined : version.seq,
    deleted,
    isOriginal: isAccepted || step.kind === "same",
  };
}

function isSecure({ certificate, finalUrl }: Page): boolean {
  return finalUrl.startsWith("https:") && certificate !== undefined && certificate.fault === undefined;
}

/** Returns whether another original of the domain ends up at the same address. */
function isDuplicate(
  store: OriginalStore,
  { protectedDomainSeq, seq }: OwnedOriginal,
  address: string,
): boolean {
  return store
    .list(protectedDomainSeq)
    .filter((other) => other.seq !== seq && other.enabled)
    .flatMap((other) => store.comparedVersions(other.seq, 1))
    .some((version) => store.fingerprint(version)?.address === address);
}

/** The file is written after the row: a process that ends in between leaves a version that lacks its screenshot. */
async function keepScreenshot(
  { database, files, store }: CaptureDependencies,
  { lacksScreenshot: seq, deleted }: Saved,
  webp: Uint8Array | undefined,
): Promise<void> {
  if (database.isShared) for (const one of deleted) await files.remove(screenshotId(one));
  if (seq === undefined || webp === undefined || !database.isShared) return;
  await files.write(screenshotId(seq), webp);
  await database.write(() => store.updateVersion(seq, { hasScreenshot: true }), background);
}

function addDiscovered(
  store: OriginalStore,
  { protectedDomainSeq }: OwnedOriginal,
  pages: readonly LinkedPage[],
  now: Instant,
): void {
  const present = store.list(protectedDomainSeq);
  const known = new Set(present.map(({ address }) => address));
  const counts = { sign_in: 0, payment: 0 };
  for (const { role, enabled, failingSince } of present)
    if (enabled && (role === "sign_in" || role === "payment"))
      if (failingSince === null || now - failingSince < failingMsMax) counts[role] += 1;
  for (const { url, role } of pages) {
    if (known.has(url) || counts[role] >= discoveredMax[role]) continue;
    counts[role] += 1;
    store.insert({
      protectedDomainSeq,
      address: url,
      role,
      chosenBy: "discovery",
      enabled: true,
      createdAt: now,
      dueAt: now,
    });
  }
}

const hourMs = 3_600_000;
/** Captures are spread over this part of a day, so that many domains are not captured at once. */
const spreadMs = 4 * hourMs;
const retryDelaysMs = [hourMs, 4 * hourMs, 12 * hourMs];
/** A page that looks entirely different is captured again soon, because it has to be seen several times. */
const waitingDelayMs = 8 * hourMs;

/** Returns the delay until the next capture: a day, give or take two hours. */
function nextCaptureMs(address: string, now: Instant): number {
  const share = (Bun.hash.xxHash32(`${address} ${Math.floor(now / dayMs)}`) % 1_000) / 1_000;
  return Math.round(dayMs + (share - 0.5) * spreadMs);
}

/** @param failures number of captures in a row that gave no version, at least 1 */
function retryDelayMs(failures: number): number {
  return retryDelaysMs[failures - 1] ?? dayMs;
}
