import type { Instant } from "../../lib/clock.ts";
import { isPhishingPage } from "../../threats/phishing-page.ts";
import type { SeverityFacts } from "../../threats/severity.ts";
import type { ThreatFacts } from "../../threats/update-facts.ts";
import type { Registration } from "../../vocabulary/registration.ts";
import type { Existence } from "../../lookups/dns/existence.ts";
import type { RegistrationResult } from "../../lookups/registration/registration-lookup.ts";
import type { Page, PageResult } from "../../lookups/page/page-lookup.ts";

/** What is known of a suspicious domain. What is absent was never found out; `unknown` says why, if that was tried. */
export interface Facts {
  /** The last sure answer of DNS. */
  existence?: KnownExistence;
  registration?: Registration;
  registrationAt?: Instant;
  /** The page that last answered; absent also once nothing has answered any more for several looks. */
  page?: Page;
  pageAt?: Instant;
  /** Looks in a row at which no page answered. */
  pageFailures?: number;
  screenshot?: Screenshot;
  /** Why the last attempt to find something out failed, in plain words. */
  unknown: Partial<Record<"existence" | "registration" | "page" | "screenshot", string>>;
}

export type KnownExistence = Omit<Existence, "exists" | "reason"> & { exists: "yes" | "no" };

export interface Screenshot {
  at: Instant;
  /** Perceptual hash, 16 hexadecimal digits; absent: the page shows nothing. */
  hash?: string;
  /** 0 to 1; absent: the original could not be captured. */
  visualSimilarity?: number;
  /** Whether a browser ended up at the protected domain; absent in what was captured before this was kept. */
  atOriginal?: boolean;
}

/** What one look found; absent: not looked for. */
export interface Look {
  existence?: Existence;
  registration?: RegistrationResult;
  page?: PageResult;
}

export const nothingKnown: Facts = { unknown: {} };

/** One missing answer is an outage; after so many the page is gone. */
export const pageFailuresMax = 3;
const dayMs = 86_400_000;

/** The facts after a look: what it found takes the place of what was known, what it could not find out leaves it. */
export function mergeLook(before: Facts, look: Look, now: Instant): Facts {
  const after: Facts = { ...before, unknown: { ...before.unknown } };
  if (look.existence !== undefined) mergeExistence(after, look.existence);
  if (look.registration !== undefined) mergeRegistration(after, look.registration, now);
  if (look.page !== undefined) mergePage(after, look.page, now);
  if (look.existence !== undefined && look.existence.exists !== "unknown" && isNowhere(after))
    dropPage(after);
  return after;
}

function mergeExistence(after: Facts, { exists, reason, ...records }: Existence): void {
  delete after.unknown.existence;
  if (exists === "unknown") after.unknown.existence = reason ?? "no sure answer";
  else after.existence = { ...records, exists };
}

function mergeRegistration(after: Facts, result: RegistrationResult, now: Instant): void {
  delete after.unknown.registration;
  if (result.ok) {
    after.registration = result.registration;
    after.registrationAt = now;
  } else {
    after.unknown.registration = result.reason;
    if (result.unregistered !== true) return;
    delete after.registration;
    after.registrationAt = now;
  }
}

function mergePage(after: Facts, result: PageResult, now: Instant): void {
  delete after.unknown.page;
  if (result.ok) {
    after.page = result.page;
    if (result.page.unseen !== undefined) after.unknown.page = result.page.unseen;
    after.pageAt = now;
    after.pageFailures = 0;
    return;
  }
  after.unknown.page = result.reason;
  after.pageFailures = (after.pageFailures ?? 0) + 1;
  if (after.pageFailures >= pageFailuresMax) dropPage(after);
}

function dropPage(after: Facts): void {
  delete after.page;
  delete after.pageAt;
}

/** Whether DNS surely leads to no host, so that there can be no page. */
function isNowhere({ existence }: Facts): boolean {
  return existence !== undefined && (existence.exists === "no" || existence.addresses.length === 0);
}

export function parkedWith(facts: Facts): string | undefined {
  return hostingOf(facts).parked ?? facts.page?.parked;
}

/**
 * Who holds the name, as its place in DNS tells. What a zone says of its own name servers is its holder's to say: where
 * the registry knows quite other ones, the claim to stand with a parking service or in a sinkhole is not believed.
 */
export function hostingOf({ existence, registration }: Facts): { parked?: string; sinkholed?: string } {
  const told = existence?.nameServers ?? [];
  const registered = registration?.name_servers ?? [];
  const contradicted =
    told.length > 0 && registered.length > 0 && !told.some((server) => registered.includes(server));
  if (existence === undefined || contradicted) return {};
  const { parked, sinkholed } = existence;
  return { ...(parked !== undefined && { parked }), ...(sinkholed !== undefined && { sinkholed }) };
}

/** A page of the host's own, as opposed to an error; a form that asks for secrets is one, whatever it calls itself. */
export function hasPage({ page }: Facts): boolean {
  if (page === undefined) return false;
  if (page.asksForPassword || page.asksForCard) return true;
  return page.status < 400 && (page.unseen === undefined || page.redirectsToProtected);
}

/** Returns whether the page poses as the protected brand and asks for secrets. */
export function showsPhishingPage(facts: Facts): boolean {
  const { page, screenshot } = facts;
  if (page === undefined || !hasPage(facts)) return false;
  return isPhishingPage({
    ...page,
    redirectsToOwner: page.redirectsToProtected,
    visualSimilarity: screenshot?.visualSimilarity,
  });
}

/** What we could not read a browser may have shown. */
function wasCaptured({ page, pageAt, screenshot }: Facts): boolean {
  return page?.unseen !== undefined && screenshot !== undefined && screenshot.at >= (pageAt ?? 0);
}

/** Null MX (RFC 7505) says that there is none. */
export function mailServersOf({ existence }: Facts): string[] {
  return (existence?.mailServers ?? []).filter((server) => server !== "" && server !== ".");
}

/** What the severity is judged by. */
export function evidenceOf(facts: Facts, now: Instant): SeverityFacts {
  const { existence, page, registration, screenshot } = facts;
  const mail = mailServersOf(facts).length > 0;
  const known = existence?.exists === "yes";
  return {
    exists: existence?.exists ?? "unknown",
    reachable: known ? mail || existence.addresses.length > 0 : undefined,
    mail: known ? mail : undefined,
    parked: parkedWith(facts),
    sinkholed: hostingOf(facts).sinkholed,
    registeredDays: daysSince(registration?.created_at, now),
    page:
      page === undefined || !(hasPage(facts) || wasCaptured(facts))
        ? undefined
        : {
            asksForPassword: page.asksForPassword,
            asksForCard: page.asksForCard,
            namesBrand: page.namesBrand,
            // Who sends us away and not a browser has something to hide.
            redirectsToOwner: page.redirectsToProtected && screenshot?.atOriginal !== false,
            visualSimilarity: screenshot?.visualSimilarity,
          },
  };
}

/** The part of the facts that every threat shows. */
export function threatFactsOf(facts: Facts, now: Instant): ThreatFacts {
  return {
    ipAddress: facts.existence?.addresses[0] ?? null,
    registrar: facts.registration?.registrar ?? null,
    whois: facts.registration ?? {},
    evidence: evidenceOf(facts, now),
  };
}

function daysSince(isoTime: string | undefined, now: Instant): number | undefined {
  const at = isoTime === undefined ? Number.NaN : Date.parse(isoTime);
  return Number.isNaN(at) || at > now ? undefined : Math.floor((now - at) / dayMs);
}
