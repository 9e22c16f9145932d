import type { CampaignSummary } from "../../../../response/cases/campaigns/campaigns.ts";
import { dayMs } from "../../../../platform/lib/clock.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { PageHead, Time } from "../../kit/components.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { Name } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { campaignPath, campaignsPath } from "../../kit/paths.ts";
import { type Column, PagedTable } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { SeverityMark } from "../../threat-kit/severity.tsx";
import { ReasonText } from "./reason-text.tsx";

const perPage = 25;
const growthDays = 7;
const reasonsShownMax = 2;
const brandsShownMax = 2;

const columns: Column<CampaignSummary>[] = [
  {
    title: "Campaign",
    layout: "wide",
    fold: "title",
    cell: ({ name, number, reasons }) => (
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
    ),
  },
  {
    title: "Severity",
    fold: "state",
    cell: ({ highest }) => <SeverityMark severity={highest} />,
  },
  { title: "Threats", layout: "number", fold: "end", cell: ({ size }) => grouped(size) },
  {
    title: "Active",
    layout: "number",
    fold: "hidden",
    cell: ({ active }) => (active === 0 ? <span class="faint">0</span> : grouped(active)),
  },
  {
    title: "Sites up",
    layout: "number",
    fold: "hidden",
    cell: ({ down, up }) => (
      <>
        {up === 0 ? <span class="faint">0</span> : grouped(up)}
        {down === 0 ? null : <p>{grouped(down)} down</p>}
      </>
    ),
  },
  {
    title: "Reported",
    layout: "number",
    fold: "hidden",
    cell: ({ reported }) => (reported === 0 ? <span class="faint">0</span> : grouped(reported)),
  },
  {
    title: `New in ${growthDays} days`,
    layout: "number",
    fold: "hidden",
    cell: ({ recent }) => (recent === 0 ? <span class="faint">0</span> : `+${grouped(recent)}`),
  },
  { title: "Score", layout: "number", fold: "hidden", cell: ({ score }) => score },
  {
    title: "Protected domains",
    fold: "under",
    cell: ({ protectedDomains }) => {
      const names = protectedDomains.map(({ domain }) => visible(domain));
      const more = names.length - brandsShownMax;
      return `${names.slice(0, brandsShownMax).join(", ")}${more > 0 ? " and others" : ""}`;
    },
  },
  {
    title: "First and last seen",
    layout: "tight",
    fold: "hidden",
    cell: ({ firstSeen, lastSeen }) => (
      <>
        <Time at={lastSeen} relative />
        <p>
          since <Time at={firstSeen} relative="short" />
        </p>
      </>
    ),
  },
];

export function listCampaigns({ services, query, now }: Context<"campaigns">): PageResult {
  const { campaigns } = services;
  return page(
    "Campaigns",
    <>
      <PageHead
        title="Campaigns"
        lead="Threats that share what costs an attacker money, such as an address or a certificate."
      >
        <Help about="the score" manual="campaigns#score">
          How much the threats have in common, from 0 to 100. Addresses and name servers that serve many
          dissimilar names do not count.
        </Help>
      </PageHead>
      <PagedTable
        caption="Campaigns, those with active threats and sites that are up first"
        columns={columns}
        rowsIn={(range) => campaigns.list({ ...range, recentSince: now - growthDays * dayMs })}
        total={campaigns.total()}
        perPage={perPage}
        path={campaignsPath}
        query={query}
        empty="No campaigns yet. Threats are grouped here as soon as lookups find that they share an address, a certificate or something else that an attacker pays for."
      />
    </>,
  );
}
