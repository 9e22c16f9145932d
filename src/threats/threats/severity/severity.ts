import type { Presence } from "../../../platform/vocabulary/site.ts";
import type { Severity } from "../../../platform/vocabulary/threats.ts";
import { nameEvidence, namePoints, type LookAlike } from "./name-evidence.ts";
import { inspectedScore } from "./similarity-reasons.ts";
import { asksForSecrets, imitatesOriginal, looksLikeOriginal, type PageEvidence } from "./phishing-page.ts";
import type { SeverityReason } from "./severity-reasons.ts";

/** Facts about a suspicious domain beyond its name; absent or undefined: unknown. */
export interface SeverityFacts {
  /** Whether the name exists in DNS. */
  exists: Presence;
  /** Whether the name has an address or a mail server. */
  reachable?: boolean | undefined;
  /** Whether a mail server receives for it. */
  mail?: boolean | undefined;
  /** The page at the name; undefined: none or unknown. */
  page?: PageEvidence | undefined;
  /** Whether the site had a page and has none any more. */
  isDown?: boolean | undefined;
  /** Parking service that the name is parked with. */
  parked?: string | undefined;
  /** Sinkhole that took the name over. */
  sinkholed?: string | undefined;
  /** Whole days since registration, which determine the severity. */
  registeredDays?: number | undefined;
  /** Day of the registration, `2026-01-09`, which the reasons state: an age would be wrong a day later. */
  registeredOn?: string | undefined;
}

/** A severity and its reasons, the name first. */
export interface SeverityScore {
  severity: Severity;
  reasons: SeverityReason[];
}

interface Evidence {
  points: number;
  reason: SeverityReason;
}

const highFrom = 4;
const mediumFrom = 2;

const youngDaysMax = 30;
/** Phishing domains rarely live this long. Younger ones may redirect unwanted visitors to the original. */
const settledDaysMin = 365;
const oldDaysMin = 5 * 365;
const cloneFreshDaysMax = 7;
/** Score from which a page is certainly an imitation; below, other evidence decides whether the severity is high. */
const certainImitationFrom = 0.9;
const looksAlikePoints = 4;
const namesBrandPoints = 1;
/** Outweighs all other points. */
const decisive = 100;

/**
 * Scores the severity of a threat: the name gives points and each fact adds or subtracts some; 4 and more are high,
 * 2 and more medium. No incriminating fact ever lowers the result and no exonerating one raises it. Without facts,
 * the name alone decides.
 *
 * | evidence | points |
 * |---|---|
 * | a copy of the page was seen in use | 6 |
 * | name, by what it shows: see `nameEvidence` | 4, 2 or 1 |
 * | page: looks like the original; asks for a password or card; names the brand | +4; +3; +1 |
 * | page imitates the brand, by an inspection: with a score of 0.9 or more; less; no longer. Looks and brand count toward it | 4; 3; 1 |
 * | a mail server receives for the name | +2 |
 * | registered at most 30 days ago; 5 years ago or more | +1; −1 |
 * | parked; no address and no mail server; the page is unrelated to the brand | −1 |
 * | redirects to the protected domain, as a defensive registration does: registered for a year or more; else | −3; −2 |
 * | not in DNS; in a sinkhole, without a page that asks for secrets or looks like the original | low, regardless |
 *
 * For a week after a copy was seen in use, exonerating facts are ignored: phishing kits show scanners a different
 * page than their victims, and internal names are not in public DNS.
 *
 * @param threat type, similarity and reasons as they are on record.
 * @param cloneSeenDays whole days since a visitor was shown a copy of the page; undefined: never.
 */
export function severityOf(
  threat: LookAlike,
  { facts, cloneSeenDays }: { facts?: SeverityFacts | undefined; cloneSeenDays?: number | undefined } = {},
): SeverityScore {
  const { type, reasons } = threat;
  const isInspected = inspectedScore(reasons) !== undefined;
  const isClone = cloneSeenDays !== undefined || (type === "cloned_site" && !isInspected);
  const seenRecently = cloneSeenDays !== undefined && cloneSeenDays <= cloneFreshDaysMax;
  const found = (facts === undefined ? [] : factEvidence(facts)).filter(
    ({ points: given }) => given > 0 || !seenRecently,
  );
  const first = isClone
    ? [cloneEvidence]
    : type === "cloned_site"
      ? inspectionEvidence(threat, facts)
      : [evidenceOf(threat)];
  const evidence = [...first, ...found];
  const points = evidence.reduce((sum, one) => sum + one.points, 0);
  return {
    severity: points >= highFrom ? "high" : points >= mediumFrom ? "medium" : "low",
    reasons: evidence.map(({ reason }) => reason),
  };
}

const cloneEvidence: Evidence = { points: 6, reason: { code: "copy_seen_in_use", params: {} } };

/** Returns the evidence for a cloned site that was found by an inspection, beyond what its page shows now. */
function inspectionEvidence(threat: LookAlike, facts: SeverityFacts | undefined): Evidence[] {
  const evidence: Evidence[] = [];
  const imitation = facts?.page?.imitation;
  for (const reason of threat.reasons) {
    if (reason.code === "name_resembles") evidence.push(evidenceOf({ ...threat, ...reason.params }));
    if (reason.code !== "page_imitates" || imitation?.imitates === true) continue;
    const isOver = imitation !== undefined || facts?.isDown === true;
    evidence.push(
      isOver
        ? { points: 1, reason: { code: "page_imitated_before", params: {} } }
        : imitationEvidence(reason.params.score),
    );
  }
  return evidence;
}

function imitationEvidence(score: number): Evidence {
  const points = score >= certainImitationFrom ? 4 : 3;
  return { points, reason: { code: "page_imitates", params: { score } } };
}

function evidenceOf(name: LookAlike): Evidence {
  const code = nameEvidence(name);
  return { points: namePoints[code], reason: { code, params: { similarity: name.similarity } } };
}

function factEvidence(facts: SeverityFacts): Evidence[] {
  if (facts.exists === "no") return [{ points: -decisive, reason: { code: "not_in_dns", params: {} } }];
  if (facts.sinkholed !== undefined && !isHarmful(facts.page))
    return [{ points: -decisive, reason: { code: "sinkholed", params: { by: facts.sinkholed } } }];
  const evidence: Evidence[] = [];
  const add = (points: number, reason: SeverityReason) => void evidence.push({ points, reason });
  if (facts.reachable === false) add(-1, { code: "leads_nowhere", params: {} });
  if (facts.mail === true) add(2, { code: "receives_mail", params: {} });
  if (facts.parked !== undefined) add(-1, { code: "parked", params: { with: facts.parked } });
  const { registeredDays: days } = facts;
  if (facts.page !== undefined) {
    const idle = facts.parked !== undefined || facts.sinkholed !== undefined;
    evidence.push(
      ...pageEvidence(facts.page, { idle, settled: days !== undefined && days >= settledDaysMin }),
    );
  }
  if (days !== undefined && days <= youngDaysMax)
    add(1, { code: "newly_registered", params: { days, on: facts.registeredOn } });
  if (days !== undefined && days >= oldDaysMin)
    add(-1, { code: "long_registered", params: { years: Math.floor(days / 365), on: facts.registeredOn } });
  return evidence;
}

/** Returns whether a page cannot be the page of a sinkhole. */
function isHarmful(page: PageEvidence | undefined): boolean {
  return (
    page !== undefined && (asksForSecrets(page) || (imitatesOriginal(page) && !page.redirectsToProtected))
  );
}

function pageEvidence(
  page: PageEvidence,
  { idle, settled }: { idle: boolean; settled: boolean },
): Evidence[] {
  // The visitor ends up on the owner's page, which names the brand and looks like itself. But a page that asks for
  // secrets before it redirects is not the owner's.
  if (page.redirectsToProtected && !asksForSecrets(page))
    return [{ points: settled ? -3 : -2, reason: { code: "redirects_to_protected", params: {} } }];
  const looksAlike = looksLikeOriginal(page) && !page.redirectsToProtected;
  const imitation =
    page.imitation?.imitates === true && !page.redirectsToProtected ? page.imitation : undefined;
  const evidence: Evidence[] = [];
  // The comparison takes looks and brand into account, which must not count twice.
  const counted = (looksAlike ? looksAlikePoints : 0) + (page.namesBrand ? namesBrandPoints : 0);
  if (imitation !== undefined) {
    const { points, reason } = imitationEvidence(imitation.score);
    evidence.push({ points: Math.max(0, points - counted), reason });
  }
  if (looksAlike)
    evidence.push({ points: looksAlikePoints, reason: { code: "looks_like_original", params: {} } });
  if (asksForSecrets(page)) {
    const params = { password: page.asksForPassword, card: page.asksForCard };
    evidence.push({ points: 3, reason: { code: "asks_for_secrets", params } });
  }
  if (page.namesBrand)
    evidence.push({ points: namesBrandPoints, reason: { code: "names_brand", params: {} } });
  if (evidence.length === 0 && !idle)
    evidence.push({ points: -1, reason: { code: "unrelated_page", params: {} } });
  return evidence;
}
