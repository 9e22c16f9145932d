import type { Instant } from "../lib/clock.ts";
import type { Severity, Status } from "../vocabulary/threats.ts";
import { hasPage, hostingOf, type Facts } from "./facts/facts.ts";
import type { RegistrationResult } from "../lookups/registration/registration-lookup.ts";

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
const postponedMsMin = 1_000;
/** Registrations change seldom, and their servers allow few questions. */
const registrationAgeMs = 7 * dayMs;
/** A retry for one missing fact leaves the others alone. */
const freshMs = hourMs;
const screenshotAgeMs = 30 * dayMs;

/** Thousands of names of a feed are not registered, which DNS tells for nothing. */
export function isWorthAsking({ existence, registration }: Facts): boolean {
  return existence?.exists !== "no" || registration !== undefined;
}

/** @param retry whether the look is one more attempt at what another fact still lacks */
export function wantsRegistration(
  facts: Facts,
  before: Facts,
  { asked, retry, now }: { asked: boolean; retry: boolean; now: Instant },
): boolean {
  if (!isWorthAsking(facts)) return false;
  const old = facts.registrationAt === undefined || now - facts.registrationAt >= registrationAgeMs;
  if (asked || (old && !retry)) return true;
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
  // Words of a page that it is parked may be meant for us alone: a picture shows what there is to see.
  const toSee = hasPage(after) || after.page?.unseen !== undefined;
  if (status === "false_positive" || !toSee || hostingOf(after).parked !== undefined) return false;
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

/** @param news whether something changed that makes the next days interesting */
export function nextLook(
  { step, failures }: { step: number; failures: number },
  result: { complete: boolean; news: boolean },
  now: Instant,
): NextLook {
  const retryDelayMs = retryDelaysMs[failures];
  if (!result.complete && retryDelayMs !== undefined)
    return { dueAt: now + retryDelayMs, step, failures: failures + 1 };
  const at = result.news ? 0 : Math.min(step, intervalsMs.length - 1);
  return { dueAt: now + intervalsMs[at]!, step: Math.min(at + 1, intervalsMs.length - 1), failures: 0 };
}

/** When a registration is asked for again; undefined: not before a look wants it. */
export function nextRegistration(
  result: RegistrationResult,
  failures: number,
  now: Instant,
): { dueAt: Instant; failures: number } | undefined {
  if (result.ok || result.unregistered === true) return undefined;
  // A server that asks for more than a day is asked again when a look wants it.
  const retryAfterMs = Math.min(result.retryAfterMs ?? 0, dayMs);
  // To be sent back without having been heard is no failure.
  if (result.postponed === true) return { dueAt: now + Math.max(retryAfterMs, postponedMsMin), failures };
  const retryDelayMs = retryDelaysMs[failures];
  if (retryDelayMs === undefined) return undefined;
  return { dueAt: now + Math.max(retryDelayMs, retryAfterMs), failures: failures + 1 };
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
