import { notFound } from "../../../../platform/lib/errors.ts";
import { isId } from "../../../../platform/lib/ids.ts";
import { lifecycleOf } from "../../../../facts/enrichment/facts/lifecycle.ts";
import type { Place } from "../../../../threats/index/threat-index.ts";
import type { Threat } from "../../../../threats/threats/store/queries.ts";
import {
  hostingOf,
  type Facts,
  hasPage,
  mailServersOf,
  parkedWith,
  showsPhishingPage,
} from "../../../../facts/enrichment/facts/facts.ts";
import type { SiteState } from "../../../../platform/vocabulary/site.ts";
import { indicatorsIn } from "../../../../threats/threats/severity/indicators.ts";
import type { SeverityReason } from "../../../../threats/threats/severity/severity-reasons.ts";
import type { Status, ThreatType } from "../../../../platform/vocabulary/threats.ts";
import type { Context } from "../../shell/router.ts";
import advice from "./advice.json" with { type: "json" };
import { compareNames } from "../../threat-kit/compared-name.tsx";
import type { ListRequest } from "../../threat-kit/filters.ts";

/** Services with which the page and the panel of a threat are loaded. */
export type LoadServices = Context<
  "campaigns" | "cases" | "domains" | "enrichment" | "takedowns" | "threats" | "threatIndex"
>["services"];
export type ThreatContext = Context<keyof LoadServices | "config" | "deliveries" | "eventLog" | "traps">;

/** @throws PublicError `not_found` */
export function findThreat({ services, params }: Context<"threats">): Threat {
  const id = params["id"] ?? "";
  const threat = isId("threat", id) ? services.threats.get(id) : undefined;
  if (threat === undefined) throw notFound("There is no threat with this ID.");
  return threat;
}

/** Data that the page and the panel of a threat share. */
export type LoadedThreat = Awaited<ReturnType<typeof loadThreat>>;

/** @param given place in the view, if the caller knows it: finding it visits all threats of the view */
export async function loadThreat(
  services: LoadServices,
  threat: Threat,
  { filter, order, query: view }: ListRequest,
  given?: Place,
) {
  const { cases, domains, enrichment, threats } = services;
  const { id, domain, protectedDomain } = threat;
  const mark = threats.triage.mark();
  const known = enrichment.factsOf(id);
  const facts = known?.facts;
  const keywords = domains.list().find((one) => one.domain === protectedDomain)?.keywords;
  const history = threats.history(id);
  const origins = threats.origins(id);
  const reports = services.takedowns.ofThreat(id);
  const found = cases.of(id)!;
  const capture = await enrichment.screenshotOf(id);
  return {
    // Read after the mark, as another process may decide in between.
    threat: threats.get(id) ?? threat,
    /** Mark of the decisions that the page shows. */
    mark,
    found,
    assignees: cases.assignees(),
    siteFact: siteFactOf(found.siteState, { facts, looksUp: enrichment.enabledLookups.names }),
    known,
    keywords,
    comparison: compareNames(domain, protectedDomain, keywords),
    lifecycle: lifecycleOf({
      threat,
      facts,
      history,
      origins,
      reportedAt: reports.map(({ report }) => report.createdAt),
    }),
    /** Oldest first. */
    reports,
    /** Undefined if it belongs to none. */
    campaignTies: services.campaigns.tiesOf(id),
    history,
    origins,
    /** Place in the view that the threat was opened from. */
    place: given ?? (await services.threatIndex().around(filter, order, id)),
    /** Parameters of that view. */
    view,
    /** Why there is no screenshot of its page; undefined if there is one. */
    whyMissing: "why" in capture ? capture.why : undefined,
    /** Whether pages are looked up at all. */
    canInspect: enrichment.enabledLookups.names,
    hasRegistrationResponse: enrichment.registrationResponseOf(id) !== undefined,
  };
}

/** Returns the fact that the state of a site follows from, as a sentence. It contains text of strangers. */
function siteFactOf(
  state: SiteState | null,
  { facts, looksUp }: { facts: Facts | undefined; looksUp: boolean },
): string {
  if (state === null) {
    if (!looksUp) return "Not determined: lookups are off (lookups.enabled).";
    const reason = facts?.unknown.existence;
    return reason === undefined
      ? "Not determined yet: the first check is due."
      : `Not determined: ${reason}.`;
  }
  const { existence, page } = facts ?? {};
  const isPresent = existence?.exists === "yes";
  switch (state) {
    case "unregistered":
      return "The name is not in DNS, and no registration is known.";
    case "registered":
      if (isPresent) return "The name is in DNS, but serves no page of its own.";
      return "The name is registered, but not in DNS.";
    case "parked":
      return `A parking service shows its page: ${(facts && hostingOf(facts).parked) ?? page?.parked ?? "unknown"}.`;
    case "blocked":
      return blockingFact(facts);
    case "down":
      if (existence?.exists === "no") return "The name is no longer in DNS.";
      return page === undefined ? "Its page is gone." : `The page responds with HTTP ${page.status}.`;
    default:
      if (page === undefined) return "A visitor was shown a copy of your page (beacon).";
      return `The page responds with HTTP ${page.status}: ${page.title || page.finalUrl}`;
  }
}

function blockingFact(facts: Facts | undefined): string {
  const sinkhole = facts && hostingOf(facts).sinkholed;
  if (sinkhole !== undefined) return `The name is in a sinkhole: ${sinkhole}.`;
  if (facts?.page?.parked === "suspended") return "The hosting provider suspended the site.";
  return `The registration has the status ${(facts?.registration?.status ?? []).join(", ")}.`;
}

/** Returns recommended actions for a threat, most urgent first, one sentence each. */
export function adviceOn(given: {
  status: Status;
  type: ThreatType;
  /** May reveal a page without detailed facts, for example after lookups were disabled. */
  severityReasons: readonly SeverityReason[];
  facts: Facts | undefined;
  /** `detection.reactivate`. */
  reactivates: boolean;
  /** Whether names and pages are looked up at all. */
  looksUpNames: boolean;
  /** Whether a check has taken place, even without a result. */
  isChecked: boolean;
}): string[] {
  const { status, type, severityReasons, facts, reactivates, looksUpNames, isChecked } = given;
  if (status === "false_positive") return [advice.false_positive];
  if (status === "resolved") return [reactivates ? advice.resolved : advice.resolved_for_good];
  const isKnownHarmful = type === "cloned_site" || indicatorsIn(severityReasons).includes("asks_for_secrets");
  if (facts?.existence !== undefined) return activeAdvice({ ...facts, existence: facts.existence });
  if (isKnownHarmful) return [advice.report, advice.warn, advice.block];
  if (!looksUpNames) return [advice.name_only];
  return isChecked ? [advice.undetermined] : [advice.unchecked];
}

function activeAdvice(facts: Facts & Required<Pick<Facts, "existence">>): string[] {
  const { existence, page } = facts;
  if (existence.exists === "no") return [advice.not_in_dns, advice.register];
  if (existence.sinkholed !== undefined) return [advice.sinkholed];
  if (page !== undefined && hasPage(facts)) {
    if (page.redirectsToProtected) return [advice.redirects, advice.redirects_for_now];
    if (showsPhishingPage(facts) || page.imitation?.imitates === true)
      return [advice.report, advice.warn, advice.block];
  }
  if (mailServersOf(facts).length > 0) return [advice.mail, advice.block, advice.report];
  if (parkedWith(facts) !== undefined) return [advice.parked, advice.report];
  if (existence.addresses.length === 0) return [advice.no_server, advice.report];
  return [advice.review, advice.report];
}
