import type { VNode } from "preact";
import { isId } from "../../../../platform/lib/ids.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { GroupedResult, ThreatGroup } from "../../../../threats/index/threat-index.ts";
import type { SiteState } from "../../../../platform/vocabulary/site.ts";
import { statuses } from "../../../../platform/vocabulary/threats.ts";
import { Time } from "../../kit/components.tsx";
import { inWords, Name } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { campaignPath } from "../../kit/paths.ts";
import { ComparedName } from "../../threat-kit/compared-name.tsx";
import type { Context } from "../../shell/router.ts";
import { listPath, type ListRequest } from "../../threat-kit/filters.ts";
import { SeverityMark, Thumbnail, SiteMark } from "../../threat-kit/threat-marks.tsx";
import { hasWork, WorkMarks, Members, Row, workOf, type MembersProps, type RowsProps } from "./rows.tsx";

/** States of the sites of a campaign by what the team has to know first. */
const siteStatesByUrgency: readonly SiteState[] = [
  "back",
  "up",
  "parked",
  "registered",
  "down",
  "blocked",
  "unregistered",
];

const domainsShownMax = 2;

type GroupProps = Omit<RowsProps, "threats">;
type CampaignGroup = ThreatGroup & { campaignSeq: number };

/** Returns whether a group is shown as a campaign: a single match is shown as the threat that it is. */
function isCampaign(group: ThreatGroup): group is CampaignGroup {
  return group.campaignSeq !== null && group.count > 1;
}

/** A campaign whose threats are shown below its row. */
export interface Expanded extends MembersProps {
  campaignSeq: number;
}

/** Returns the view of the threats of a campaign. */
function membersQuery(query: URLSearchParams, campaignSeq: number): URLSearchParams {
  const members = new URLSearchParams(query);
  members.set("group", "none");
  members.set("campaign", String(campaignSeq));
  return members;
}

/** Returns the threats of the campaign of a threat around it, to show them below the row of the campaign. */
export async function membersAround(
  { threats: { get }, threatIndex }: Context<"threats" | "threatIndex">["services"],
  { filter, order, query }: ListRequest,
  id: string,
  perPage: number,
) {
  const campaignSeq = isId("threat", id) ? get(id)?.campaignSeq : undefined;
  if (campaignSeq === undefined || campaignSeq === null) return undefined;
  const index = threatIndex();
  const members = { ...filter, campaignSeq };
  const { position = 1 } = (await index.around(members, order, id)) ?? {};
  const { threats, total } = await index.search(members, order, {
    page: Math.ceil(position / perPage),
    perPage,
  });
  if (!threats.some((threat) => threat.id === id)) return undefined;
  return { campaignSeq, threats, total, query: membersQuery(query, campaignSeq) };
}

/** Says what the rows are, since the other numbers of the page count threats. */
export function GroupNote({ campaignTotal, groupTotal }: GroupedResult) {
  if (campaignTotal === 0) return null;
  const others = groupTotal - campaignTotal;
  return (
    <p class="inset hint after">
      {counted(campaignTotal, "campaign")}
      {others === 0 ? "" : ` and ${counted(others, "threat")} without one`}
    </p>
  );
}

/** Campaigns, and threats without one, as rows with a checkbox each. */
export function GroupRows({
  groups,
  expanded,
  ...common
}: GroupProps & { groups: readonly ThreatGroup[]; expanded: Expanded | undefined }) {
  const { now } = usePage();
  const worked = groups.some((group) =>
    hasWork(isCampaign(group) ? workOfGroup(group) : workOf(group.first), now),
  );
  const label = groups.some(isCampaign) ? "Campaigns and threats" : "Threats";
  return (
    <ul class={worked ? "rows threats worked" : "rows threats"} aria-label={label}>
      {groups.map((group) =>
        !isCampaign(group) ? (
          <Row threat={group.first} {...common} />
        ) : group.campaignSeq !== expanded?.campaignSeq ? (
          <CampaignRow group={group} {...common} />
        ) : (
          <>
            <CampaignRow group={group} {...common} isExpanded />
            <Members {...expanded} />
          </>
        ),
      )}
    </ul>
  );
}

function workOfGroup({ dueAt }: ThreatGroup) {
  return { assignee: null, dueAt };
}

function CampaignRow(props: GroupProps & { group: CampaignGroup; isExpanded?: boolean }) {
  const { group, captures, keywordsOf, query, showStatus, isExpanded } = props;
  const { campaignSeq, count, first, newestAt, severity } = group;
  const { domain, id } = first;
  return (
    <li class="row" data-row="" data-id={`campaign-${campaignSeq}`} data-group={campaignSeq}>
      {usePage().may("decide") ? (
        <input
          type="checkbox"
          name="campaign"
          value={campaignSeq}
          data-count={count}
          aria-label={`Select ${counted(count, "threat")} of the campaign with ${domain}`}
        />
      ) : (
        <span />
      )}
      <SeverityMark severity={severity} word={false} />
      <Thumbnail threat={first} capturedAt={captures.get(id) ?? null} />
      <div class="main">
        <div>
          <a class="go" href={campaignPath(campaignSeq)}>
            <ComparedName {...first} keywords={keywordsOf(first.protectedDomain)} />
          </a>
          <span class="more"> and {grouped(count - 1)} more</span>
        </div>
        <p>
          <a
            class="expand"
            data-expand=""
            aria-expanded={isExpanded ? "true" : undefined}
            href={listPath(membersQuery(query, campaignSeq))}
          >
            Campaign of {counted(count, "threat")}
          </a>
          {showStatus ? ` · ${statusesInWords(group)}` : ""} · <Domains names={group.protectedDomains} />
        </p>
      </div>
      <WorkMarks {...workOfGroup(group)} />
      <div class="site">
        <SitesOf group={group} />
      </div>
      <Time at={newestAt} relative="short" />
    </li>
  );
}

function statusesInWords({ statuses: counts }: ThreatGroup): string {
  return statuses
    .flatMap((status) =>
      counts[status] === undefined ? [] : `${grouped(counts[status])} ${inWords(status)}`,
    )
    .join(", ");
}

function Domains({ names }: { names: readonly string[] }): VNode {
  const shown = names.slice(0, domainsShownMax);
  const others = names.length - shown.length;
  return (
    <>
      {shown.map((name, index) => (
        <>
          {index === 0 ? null : ", "}
          <Name name={name} />
        </>
      ))}
      {others === 0 ? null : ` and ${grouped(others)} more`}
    </>
  );
}

/** The most urgent state with the number of sites in it; all states are in its tooltip. */
function SitesOf({ group: { count, siteStates: counts } }: { group: ThreatGroup }) {
  const present = siteStatesByUrgency.filter((state) => counts[state] !== undefined);
  const [first] = present;
  if (first === undefined) return <SiteMark site={null} explained={false} />;
  const all = present.map((state) => `${grouped(counts[state]!)} ${inWords(state)}`).join(", ");
  return (
    <span title={all}>
      <SiteMark site={first} explained={false} />
      {counts[first] === count ? null : <span class="faint"> {grouped(counts[first]!)}</span>}
    </span>
  );
}
