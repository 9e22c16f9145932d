import { notFound } from "../../../../platform/lib/errors.ts";
import { isId } from "../../../../platform/lib/ids.ts";
import type { CampaignTies } from "../../../../response/cases/campaigns/campaigns.ts";
import type { ListedReport } from "../../../../response/cases/takedowns/lists.ts";
import type { Assignee, Case } from "../../../../response/cases/cases.ts";
import type { NameComparison } from "../../../../engines/detection/match/compare-names.ts";
import type { KnownFacts } from "../../../../facts/enrichment/store.ts";
import { lifecycleOf, type Lifecycle } from "../../../../facts/enrichment/facts/lifecycle.ts";
import type { Place } from "../../../../threats/index/threat-index.ts";
import type { Origins } from "../../../../threats/threats/store/origins.ts";
import type { Threat } from "../../../../threats/threats/store/queries.ts";
import type { DatedChange } from "../../../../threats/threats/triage/history.ts";
import type { Context } from "../../shell/router.ts";
import { compareNames } from "../../threat-kit/compared-name.tsx";
import { siteFactOf } from "../cases/site-fact.ts";
import type { ListRequest } from "../../threat-kit/filters.ts";

export const threatServices = [
  "campaigns",
  "cases",
  "config",
  "deliveries",
  "domains",
  "enrichment",
  "eventLog",
  "takedowns",
  "threatIndex",
  "threats",
  "traps",
] as const;
export type ThreatContext = Context<(typeof threatServices)[number]>;

/** @throws PublicError `not_found` */
export function findThreat({ services, params }: Context<"threats">): Threat {
  const id = params["id"] ?? "";
  const threat = isId("threat", id) ? services.threats.get(id) : undefined;
  if (threat === undefined) throw notFound("There is no threat with this ID.");
  return threat;
}

/** Data that the page and the panel of a threat share. */
export interface LoadedThreat {
  threat: Threat;
  /** Mark of the decisions that the page shows. */
  mark: number;
  found: Case;
  assignees: readonly Assignee[];
  siteFact: string;
  known: KnownFacts | undefined;
  comparison: NameComparison;
  lifecycle: Lifecycle;
  history: readonly DatedChange[];
  origins: Origins;
  /** Oldest first. */
  reports: readonly ListedReport[];
  /** Undefined if it belongs to none. */
  campaignTies: CampaignTies | undefined;
  /** Place in the view that the threat was opened from. */
  place: Place | undefined;
  /** Parameters of that view. */
  view: URLSearchParams;
  /** Why there is no screenshot of its page; undefined if there is one. */
  whyMissing: string | undefined;
  hasRegistrationResponse: boolean;
  /** Whether pages are looked up at all. */
  canInspect: boolean;
}

type LoadServices = Context<
  "campaigns" | "cases" | "domains" | "enrichment" | "takedowns" | "threats" | "threatIndex"
>["services"];

/** @param place place in the view, if the caller knows it: finding it visits all threats of the view */
export async function loadThreat(
  services: LoadServices,
  threat: Threat,
  { filter, order, query: view }: ListRequest,
  place?: Place,
): Promise<LoadedThreat> {
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
    mark,
    found,
    assignees: cases.assignees(),
    siteFact: siteFactOf(found.siteState, { facts, looksUp: enrichment.enabledLookups.names }),
    known,
    comparison: compareNames(domain, protectedDomain, keywords),
    lifecycle: lifecycleOf({
      threat,
      facts,
      history,
      origins,
      reportedAt: reports.map(({ report }) => report.createdAt),
    }),
    reports,
    campaignTies: services.campaigns.tiesOf(id),
    history,
    origins,
    place: place ?? (await services.threatIndex().around(filter, order, id)),
    view,
    whyMissing: "why" in capture ? capture.why : undefined,
    canInspect: enrichment.enabledLookups.names,
    hasRegistrationResponse: enrichment.registrationResponseOf(id) !== undefined,
  };
}
