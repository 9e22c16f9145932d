import type { CampaignSummary } from "../../../../response/cases/campaigns/campaigns.ts";
import { dayMs } from "../../../../platform/lib/clock.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { Time } from "../../kit/components.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { Name } from "../../kit/inline.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { campaignPath, assignCampaignPath, campaignsPath } from "../../kit/paths.ts";
import { column, type Column, PagedTable } from "../../kit/table.tsx";
import type { Context, PageGroup } from "../../shell/router.ts";
import { SeverityMark } from "../../threat-kit/threat-marks.tsx";
import { ReasonText } from "../../threat-kit/campaign-note.tsx";
import { assignCampaign, showCampaign } from "./detail.tsx";

/** Campaigns: what joins their threats, and decisions on all of them. */
export const campaignPages: PageGroup = {
  nav: { section: "main", label: "Campaigns", icon: "group", keys: "g c", path: campaignsPath },
  routes: [
    { method: "GET", path: campaignsPath, permission: "read", run: listCampaigns },
    { method: "GET", path: campaignPath(":number"), permission: "read", run: showCampaign },
    { method: "POST", path: assignCampaignPath(":number"), permission: "decide", run: assignCampaign },
  ],
};

const perPage = 25;
const growthDays = 7;
const reasonsShownMax = 2;
const brandsShownMax = 2;

const quietZero = (count: number, sign = "") =>
  count === 0 ? <span class="faint">0</span> : `${sign}${grouped(count)}`;

const columns: Column<CampaignSummary>[] = [
  column("Campaign", "wide title", ({ name, number, reasons }) => (
    <>
      <a class="ink" href={campaignPath(number)}>
        <Name name={name} />
      </a>
      {reasons.slice(0, reasonsShownMax).map((reason) => (
        <p>
          <ReasonText reason={reason} /> ({grouped(reason.threats)})
        </p>
      ))}
    </>
  )),
  column("Severity", "state", ({ highest }) => <SeverityMark severity={highest} />),
  column("Threats", "number end", ({ size }) => grouped(size)),
  column("Active", "number hidden", ({ active }) => quietZero(active)),
  column("Sites up", "number hidden", ({ down, up }) => (
    <>
      {quietZero(up)}
      {down === 0 ? null : <p>{grouped(down)} down</p>}
    </>
  )),
  column("Reported", "number hidden", ({ reported }) => quietZero(reported)),
  column(`New in ${growthDays} days`, "number hidden", ({ recent }) => quietZero(recent, "+")),
  column("Score", "number hidden", ({ score }) => score),
  column("Protected domains", "under", ({ protectedDomains }) => {
    const names = protectedDomains.map(({ domain }) => visible(domain));
    const more = names.length - brandsShownMax;
    return `${names.slice(0, brandsShownMax).join(", ")}${more > 0 ? " and others" : ""}`;
  }),
  column("First and last seen", "tight hidden", ({ firstSeen, lastSeen }) => (
    <>
      <Time at={lastSeen} relative />
      <p>
        since <Time at={firstSeen} relative="short" />
      </p>
    </>
  )),
];

function listCampaigns({ services, now }: Context<"campaigns">): PageResult {
  const { campaigns } = services;
  return page(
    {
      title: "Campaigns",
      lead: "Threats that share what costs an attacker money, such as an address or a certificate.",
      actions: <Help topic="campaign_score" />,
    },
    <PagedTable
      caption="Campaigns, those with active threats and sites that are up first"
      columns={columns}
      rowsIn={(range) => campaigns.list({ ...range, recentSince: now - growthDays * dayMs })}
      total={campaigns.total()}
      perPage={perPage}
      empty="No campaigns yet. Threats are grouped here as soon as lookups find that they share an address, a certificate or something else that an attacker pays for."
    />,
  );
}
