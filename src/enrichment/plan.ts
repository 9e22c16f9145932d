import type { Instant } from "../lib/clock.ts";
import type { Severity, Status } from "../threats/values.ts";
import { hasPage, parkedWith, type Facts } from "./facts.ts";

/** What the configuration lets the appliance ask the outside. */
export interface Abilities {
  /** DNS and web pages. */
  names: boolean;
  /** RDAP and WHOIS. */
  registration: boolean;
  screenshots: boolean;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Growing intervals between looks; the last one from then on. */
export const intervalsMs: readonly number[] = [1, 2, 4, 8, 16, 30].map((days) => days * dayMs);
/** After a look that could not find out all it wanted; then the interval's turn comes all the same. */
export const retryDelaysMs: readonly number[] = [5 * 60_000, 30 * 60_000, 2 * hourMs];
/** Registrations change seldom, and their servers allow few questions. */
const registrationAgeMs = 7 * dayMs;
/** A retry for one missing fact leaves the others alone. */
const freshMs = hourMs;
const screenshotAgeMs = 30 * dayMs;

/** Whether a fact that is looked up after DNS has answered is to be looked up. */
export function wantsRegistration(facts: Facts, before: Facts, asked: boolean, now: Instant): boolean {
  // Thousands of names of a feed are not registered, which DNS tells for nothing.
  if (facts.existence?.exists === "no" && facts.registration === undefined) return false;
  if (asked || facts.registrationAt === undefined || now - facts.registrationAt >= registrationAgeMs)
    return true;
  const [was, is] = [before.existence, facts.existence];
  return was?.exists !== is?.exists || servers(before) !== servers(facts);
}

export function wantsPage(facts: Facts, asked: boolean, now: Instant): boolean {
  if (facts.existence?.exists !== "yes" || facts.existence.addresses.length === 0) return false;
  return asked || facts.pageAt === undefined || now - facts.pageAt >= freshMs;
}

/** A picture for each page that is somebody's own, and a new one when the page became another. */
export function wantsScreenshot(
  before: Facts,
  after: Facts,
  { asked, status, now }: { asked: boolean; status: Status; now: Instant },
): boolean {
  if (status === "false_positive" || !hasPage(after) || parkedWith(after) !== undefined) return false;
  const { screenshot } = after;
  if (asked || screenshot === undefined || now - screenshot.at >= screenshotAgeMs) return true;
  return appearance(before) !== appearance(after);
}

/** When a threat is looked at again. */
export interface NextLook {
  dueAt: Instant;
  /** How far the intervals have grown. */
  step: number;
  /** Incomplete looks in a row. */
  failures: number;
}

/**
 * @param news whether something changed that makes the next days interesting
 * @param retryAfterMs what a server asked to wait
 */
export function nextLook(
  { step, failures }: { step: number; failures: number },
  result: { complete: boolean; news: boolean; retryAfterMs?: number | undefined },
  now: Instant,
): NextLook {
  const retryDelayMs = retryDelaysMs[failures];
  if (!result.complete && retryDelayMs !== undefined) {
    // A server that asks for more than a day gets it by way of the intervals.
    const delayMs = Math.min(Math.max(retryDelayMs, result.retryAfterMs ?? 0), dayMs);
    return { dueAt: now + delayMs, step, failures: failures + 1 };
  }
  const at = result.news ? 0 : Math.min(step, intervalsMs.length - 1);
  return { dueAt: now + intervalsMs[at]!, step: Math.min(at + 1, intervalsMs.length - 1), failures: 0 };
}

/** Lower comes first. */
export const ranks = { asked: 0, high: 1, medium: 2, low: 3, watch: 4 } as const;

export function rankOf(severity: Severity): number {
  return ranks[severity];
}

function servers({ existence }: Facts): string {
  return (existence?.nameServers ?? []).toSorted().join();
}

function appearance({ page }: Facts): string {
  return JSON.stringify([page?.finalUrl, page?.title, page?.faviconHash, page?.asksForPassword]);
}
