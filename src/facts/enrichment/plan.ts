import type { Instant } from "../../platform/lib/clock.ts";
import type { RegistrationResult } from "../lookups/registration/registration-values.ts";
import type { SiteState } from "../../platform/vocabulary/site.ts";
import type { Severity, Status } from "../../platform/vocabulary/threats.ts";
import { hasPage, hostAddressesOf, hostingOf, parkedWith, type Facts } from "./facts/facts.ts";
import { looksChanged } from "./facts/rendered-page.ts";

/** Lookups that the configuration enables. */
export interface EnabledLookups {
  /** DNS and web pages. */
  names: boolean;
  /** RDAP and WHOIS. */
  registration: boolean;
}

export function looksUpAnything({ names, registration }: EnabledLookups): boolean {
  return names || registration;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Growing intervals between checks. The last one repeats. */
export const intervalsMs: readonly number[] = [1, 2, 4, 8, 16, 30].map((days) => days * dayMs);
/** Maximum interval between checks of a site that was taken down, so that its return is noticed. */
const goneIntervalMsMax = 7 * dayMs;
/**
 * Maximum interval between checks of a site that was reported, and of a site whose page did not respond at the last
 * check: three such checks in a row mean that it is down.
 */
const watchedIntervalMsMax = 4 * hourMs;
/** Delays after a check that was incomplete. After the last one, the next check follows its interval. */
export const retryDelaysMs: readonly number[] = [5 * 60_000, 30 * 60_000, 2 * hourMs];
const postponedMsMin = 1_000;
/** Registrations rarely change, and their servers allow few queries. */
const registrationAgeMs = 7 * dayMs;
/** Contacts of networks rarely change. */
const networkAgeMs = 30 * dayMs;
/** A page that is younger than this is not fetched again by a retry for another fact. */
const freshMs = hourMs;
const screenshotAgeMs = 30 * dayMs;

/** Returns false for a name that DNS denies: thousands of names of a feed are not registered. */
export function mayBeRegistered({ existence, registration }: Facts): boolean {
  return existence?.exists !== "no" || registration !== undefined;
}

/**
 * @param requested whether a person requested the check.
 * @param retry whether the check is one more attempt at a fact that is missing.
 */
export function wantsRegistration(
  facts: Facts,
  before: Facts,
  { requested, retry, now }: { requested: boolean; retry: boolean; now: Instant },
): boolean {
  if (!mayBeRegistered(facts)) return false;
  const old = facts.registrationAt === undefined || now - facts.registrationAt >= registrationAgeMs;
  if (requested || (old && !retry)) return true;
  const [was, is] = [before.existence, facts.existence];
  return was?.exists !== is?.exists || servers(before) !== servers(facts);
}

/**
 * Returns whether the networks of a live page are unknown, old, or of former addresses. Without a page, there is nothing
 * to ask the hosting provider for.
 */
export function wantsNetworks(facts: Facts, status: Status, now: Instant): boolean {
  const { networksAt } = facts;
  if (status !== "active" || !hasPage(facts) || parkedWith(facts) !== undefined) return false;
  const old = networksAt === undefined || now - networksAt >= networkAgeMs;
  return lacksNetworks(facts) || (old && hostAddressesOf(facts).length > 0);
}

/** Returns whether the network of one of the present addresses is unknown. */
export function lacksNetworks(facts: Facts): boolean {
  const known = new Set(facts.networks?.flatMap(({ addresses }) => addresses));
  return hostAddressesOf(facts).some((address) => !known.has(address));
}

export function wantsPage(facts: Facts, requested: boolean, now: Instant): boolean {
  if (facts.existence?.exists !== "yes" || facts.existence.addresses.length === 0) return false;
  return requested || facts.pageAt === undefined || now - facts.pageAt >= freshMs;
}

/** Returns whether a page with content of its own has no screenshot yet, an old one, or has changed since. */
export function wantsScreenshot(
  before: Facts,
  after: Facts,
  { requested, status, now }: { requested: boolean; status: Status; now: Instant },
): boolean {
  // A page may show its parking notice only to us: a screenshot shows what a browser is shown.
  const hasContent = hasPage(after) || after.page?.unseen !== undefined;
  if (status === "false_positive" || !hasContent || hostingOf(after).parked !== undefined) return false;
  const { screenshot } = after;
  if (requested || screenshot === undefined || now - screenshot.at >= screenshotAgeMs) return true;
  return looksChanged(before, after);
}

/** When a threat is checked again. */
export interface NextCheck {
  dueAt: Instant;
  /** Index of the interval after that. */
  step: number;
  /** Number of incomplete checks in a row. */
  failures: number;
}

/**
 * @param news whether something changed that makes the next days interesting
 * @param siteState state of the site after the check
 * @param isWatched whether the site was reported and is not down, or its page has just failed to respond
 */
export function nextCheck(
  { step, failures }: { step: number; failures: number },
  {
    complete,
    isWatched = false,
    news,
    siteState,
  }: { complete: boolean; isWatched?: boolean; news: boolean; siteState: SiteState | null },
  now: Instant,
): NextCheck {
  const retryDelayMs = retryDelaysMs[failures];
  if (!complete && retryDelayMs !== undefined)
    return { dueAt: now + retryDelayMs, step, failures: failures + 1 };
  const at = news ? 0 : Math.min(step, intervalsMs.length - 1);
  const isGone = siteState === "down" || siteState === "blocked";
  const intervalMsMax = isGone ? goneIntervalMsMax : isWatched ? watchedIntervalMsMax : Infinity;
  const intervalMs = Math.min(intervalsMs[at]!, intervalMsMax);
  return { dueAt: now + intervalMs, step: Math.min(at + 1, intervalsMs.length - 1), failures: 0 };
}

/** Returns when a registration is looked up again; undefined: only when a check needs it. */
export function nextRegistration(
  result: RegistrationResult,
  failures: number,
  now: Instant,
): { dueAt: Instant; failures: number } | undefined {
  if (result.ok || result.unregistered === true) return undefined;
  // A server that demands a pause of more than a day is queried again when a check needs the data.
  const retryAfterMs = Math.min(result.retryAfterMs ?? 0, dayMs);
  // A query that was never sent is not a failure.
  if (result.postponed === true) return { dueAt: now + Math.max(retryAfterMs, postponedMsMin), failures };
  const retryDelayMs = retryDelaysMs[failures];
  if (retryDelayMs === undefined) return undefined;
  return { dueAt: now + Math.max(retryDelayMs, retryAfterMs), failures: failures + 1 };
}

/** Order of jobs, the lowest first: requested by a person, new by severity, checked before. */
export const ranks = { requested: 0, high: 1, medium: 2, low: 3, recheck: 4 } as const;

/** Ranks of threats that were never checked, the most urgent first. */
export const newRanks = [ranks.high, ranks.medium, ranks.low];

interface BrandNamesOfOptions {
  keywords: readonly string[];
  protectedDomain: string;
}

/** Returns the names that pages use for the brand of a threat's protected domain. */
export function brandNamesOf({ keywords, protectedDomain }: BrandNamesOfOptions): string[] {
  return [protectedDomain.split(".")[0]!, ...keywords];
}

export function rankOf(severity: Severity): number {
  return ranks[severity];
}

function servers({ existence }: Facts): string {
  return (existence?.nameServers ?? []).toSorted().join();
}
