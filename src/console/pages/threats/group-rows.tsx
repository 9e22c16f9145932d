import type { VNode } from "preact";
import { counted, grouped } from "../../../lib/wording.ts";
import type { ThreatGroup } from "../../../threat-index/threat-index.ts";
import type { SiteState } from "../../../vocabulary/site.ts";
import { statuses } from "../../../vocabulary/threats.ts";
import { Time } from "../../kit/components.tsx";
import { inWords } from "../../kit/labels.ts";
import { Name } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { campaignPath } from "../../kit/paths.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { listPath } from "../../threat-kit/filters.ts";
import { SeverityMark } from "../../threat-kit/severity.tsx";
import { Thumbnail } from "../../threat-kit/shot.tsx";
import { SiteMark } from "../../threat-kit/site.tsx";
import { hasWork, WorkMarks } from "./case-marks.tsx";
import { Row, workOf, type RowsProps } from "./rows.tsx";

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

/** Campaigns, and threats without one, as rows with a checkbox each. */
export function GroupRows({ groups, ...common }: GroupProps & { groups: readonly ThreatGroup[] }) {
  const { now } = usePage();
  const worked = groups.some((group) =>
    hasWork(isCampaign(group) ? workOfGroup(group) : workOf(group.first), now),
  );
  return (
    <ul class={worked ? "rows threats worked" : "rows threats"} aria-label="Campaigns and threats">
      {groups.map((group) =>
        isCampaign(group) ? (
          <CampaignRow group={group} {...common} />
        ) : (
          <Row threat={group.first} {...common} />
        ),
      )}
    </ul>
  );
}

function workOfGroup({ dueAt }: ThreatGroup) {
  return { assignee: null, dueAt };
}

function CampaignRow({
  group,
  captures,
  keywordsOf,
  query,
  showStatus,
}: GroupProps & { group: CampaignGroup }) {
  const { campaignSeq, count, first, newestAt, severity } = group;
  const { domain, id, protectedDomain } = first;
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
            <ComparedName
              name={domain}
              comparison={compareNames(domain, protectedDomain, keywordsOf(protectedDomain))}
            />
          </a>
          <span class="more"> and {grouped(count - 1)} more</span>
        </div>
        <p>
          <a
            class="expand"
            data-expand=""
            href={listPath(query, { campaign: String(campaignSeq), group: "none" })}
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
