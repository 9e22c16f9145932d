import type { Change } from "../../../threats/threats/triage/history.ts";
import { visualSimilarityText } from "../../../threats/threats/severity/phishing-page.ts";
import { hasPage, mailServersOf, networkName, parkedWith, type Facts, severityFactsOf } from "./facts.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { ThreatFacts } from "../../../threats/threats/update-facts.ts";
import { siteStateOf } from "./site-state.ts";

const notThere = null;

type Shown = (facts: Facts) => string | null;

/**
 * The facts whose changes are recorded, each as text; null if there is none, or if it is unknown. A change is recorded
 * if `compared` differs; by default, the text.
 */
const fields: readonly [field: string, text: Shown, compared?: Shown][] = [
  ["in DNS", ({ existence }) => existence?.exists ?? notThere],
  ["addresses", ({ existence }) => listed(existence?.addresses)],
  ["mail servers", (facts) => listed(mailServersOf(facts))],
  ["name servers", ({ existence }) => listed(existence?.nameServers)],
  ["parked", (facts) => parkedWith(facts) ?? notThere],
  ["sinkhole", ({ existence }) => existence?.sinkholed ?? notThere],
  ["registrar", ({ registration }) => registration?.registrar ?? notThere],
  ["registered", ({ registration }) => registration?.created_at ?? notThere],
  ["registration status", ({ registration }) => listed(registration?.status)],
  ["network", ({ networks }) => listed([...new Set(networks?.map(networkName))])],
  ["page", ({ page }) => (page === undefined ? notThere : `${page.status} ${page.finalUrl}`)],
  ["page title", ({ page }) => page?.title || notThere],
  ["page asks for", ({ page }) => listed(secrets(page))],
  ["page names the brand", (facts) => yesIf(facts, facts.page?.namesBrand)],
  ["page leads to the original", (facts) => yesIf(facts, facts.page?.redirectsToProtected)],
  ["page looks like the original", similarity, similarityInTens],
  ["certificate issuer", ({ page }) => page?.certificate?.issuer ?? notThere],
];

/** Returns the changes between two checks. The order of addresses and servers rotates, and does not count. */
export function changesBetween(before: Facts, after: Facts): Change[] {
  return fields.flatMap(([field, text, compared = text]) =>
    compared(before) === compared(after) ? [] : [{ field, before: text(before), after: text(after) }],
  );
}

/**
 * Returns whether a domain that was known to be dead (not in DNS, parked or in a sinkhole) is in use again. A domain
 * that was never known to be dead cannot come back.
 */
export function cameBackToLife(before: Facts, after: Facts): boolean {
  if (after.existence?.exists !== "yes" || after.existence.sinkholed !== undefined) return false;
  if (before.existence?.exists === "no") return true;
  const wasIdle = parkedWith(before) !== undefined || before.existence?.sinkholed !== undefined;
  return wasIdle && parkedWith(after) === undefined && hasPage(after);
}

function listed(texts: readonly string[] | undefined): string | null {
  return texts === undefined || texts.length === 0 ? notThere : texts.toSorted().join(", ");
}

function secrets(page: Facts["page"]): string[] {
  if (page === undefined) return [];
  return [page.asksForPassword ? "password" : "", page.asksForCard ? "card" : ""].filter(Boolean);
}

function yesIf(facts: Facts, value: boolean | undefined): string | null {
  return hasPage(facts) && value === true ? "yes" : notThere;
}

function similarity({ screenshot }: Facts): string | null {
  return screenshot?.visualSimilarity === undefined
    ? notThere
    : visualSimilarityText(screenshot.visualSimilarity);
}

/** Two screenshots of the same page are never quite equal, so smaller differences are not changes. */
function similarityInTens({ screenshot }: Facts): string | null {
  return screenshot?.visualSimilarity === undefined
    ? notThere
    : String(Math.round(screenshot.visualSimilarity * 10));
}

/** Returns the facts that are stored with the threat. */
export function threatFactsOf(facts: Facts, now: Instant): ThreatFacts {
  return {
    ipAddress: facts.existence?.addresses[0] ?? null,
    registrar: facts.registration?.registrar ?? null,
    nameServer: nameServersOf(facts).toSorted()[0] ?? null,
    whois: facts.registration ?? {},
    siteState: siteStateOf(facts, now),
    evidence: severityFactsOf(facts, now),
  };
}

/** Returns the name servers of the zone, or if they are not known, of the registry. */
function nameServersOf({ existence, registration }: Facts): string[] {
  const fromZone = existence?.nameServers ?? [];
  return fromZone.length > 0 ? fromZone : (registration?.name_servers ?? []);
}
