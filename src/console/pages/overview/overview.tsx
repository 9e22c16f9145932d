import type { VNode } from "preact";
import { threatTypes } from "../../../vocabulary/threats.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import type { Scans } from "../../../scans/scans.ts";
import type { ThreatSearch } from "../../../threat-index/search.ts";
import { severities, type Severity, type ThreatType } from "../../../vocabulary/threats.ts";
import { fragment, page, type PageResult } from "../../kit/page-result.ts";
import { concernsOf, type Concern } from "./attention.ts";
import { DaysChart, SeverityBar, severityLayers, totalOf } from "../../kit/charts.tsx";
import { compareNames, ComparedName } from "../../kit/compared-name.tsx";
import { dayText } from "../../kit/fields.ts";
import { FirstSteps } from "./first-steps.tsx";
import { PageHead, Progress, Section, StateBadge, Time } from "../../kit/kit.tsx";
import { Name } from "../../kit/name.tsx";
import { overviewPath, scansPath } from "../../kit/paths.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { Table } from "../../kit/table.tsx";
import { listPath } from "../threats/threat-filters.ts";
import { Indicators, ThreatLink } from "../threats/threat-rows.tsx";
import { inWords } from "../../kit/labels.ts";

const scanNowPath = `${overviewPath}/overview/scan`;
const dayMs = 86_400_000;
/** A high threat is new for so long, unless it is decided before. */
const newDays = 7;
const newestShown = 5;
const chartDays = [30, 90];

const serviceNames = [
  "domains",
  "keys",
  "readiness",
  "scans",
  "sources",
  "threatSearch",
  "webhooks",
] as const;
type OverviewService = (typeof serviceNames)[number];

/** Where one begins: what wants to be looked at now, and how things go. */
export const overviewPages = pageGroup({
  nav: { section: "main", label: "Overview", path: overviewPath },
  services: serviceNames,
  routes: [
    { method: "GET", path: overviewPath, permission: "read", run: showOverview },
    {
      method: "GET",
      path: scanNowPath,
      permission: "read",
      run: ({ services: { scans } }) => fragment(<ScanNow scans={scans} />),
    },
  ],
});

async function showOverview({ services, query, now }: Context<OverviewService>): Promise<PageResult> {
  const { domains, keys, readiness, scans, sources, webhooks } = services;
  const search = services.threatSearch();
  await search.prepare();
  const from = startOfDay(now) - (newDays - 1) * dayMs;
  const high = { status: "active", severity: "high" } as const;
  const newestFirst = { key: "first_seen", descending: true } as const;
  const newest = await search.search(high, newestFirst, { page: 1, perPage: newestShown });
  const newHigh = await search.search({ ...high, from }, newestFirst, { page: 1, perPage: 1 });
  const days = chartDays.find((count) => String(count) === query.get("days")) ?? chartDays[0]!;
  const byDay = await search.byDay(startOfDay(now), days);
  const byKind = await search.byKind();
  const protectedDomains = domains.list();
  const keywords = new Map(protectedDomains.map((domain) => [domain.domain, domain.keywords]));
  const concerns = concernsOf({
    now,
    readiness: readiness(),
    endpoints: webhooks.endpoints.list(),
    sources: sources.map((source) => ({ kind: source.kind, ...source.status() })),
    keys: keys.list(),
    lastScan: scans.list(1)[0],
  });
  const active = byKind.filter(({ status }) => status === "active");
  const isNew = byKind.length === 0 || !protectedDomains.some(({ enabled }) => enabled);
  return page(
    "Overview",
    <>
      <PageHead title="Overview" />
      {isNew ? <FirstSteps services={services} /> : null}
      <Attention concerns={concerns} newHigh={newHigh.total} from={from} hideCalm={isNew} />
      <ScanNow scans={scans} />
      {newest.threats.length === 0 ? null : (
        <Section title="Newest high threats">
          <ul class="newest">
            {newest.threats.map(({ id, domain, protectedDomain, severity, severityReasons, firstSeen }) => (
              <li>
                <span>
                  <StateBadge state={severity} />
                </span>
                <span class="what">
                  <ThreatLink id={id}>
                    <ComparedName
                      name={domain}
                      comparison={compareNames(domain, protectedDomain, keywords.get(protectedDomain))}
                    />
                  </ThreatLink>{" "}
                  <span class="hint">
                    imitates <Name name={protectedDomain} />
                  </span>
                  <Indicators severityReasons={severityReasons} />
                </span>
                <Time at={firstSeen} relative />
              </li>
            ))}
          </ul>
          {newest.total <= newestShown ? null : (
            <p class="prose">
              <a href={listPath(new URLSearchParams({ severity: "high", sort: "first_seen" }))}>
                All {newest.total.toLocaleString("en")} that wait for a decision
              </a>
            </p>
          )}
        </Section>
      )}
      {byKind.length === 0 ? null : (
        <>
          <Section title={`Threats first seen in the last ${days} days`}>
            <p class="hint">
              {counted(
                byDay.reduce((sum, day) => sum + totalOf(day), 0),
                "threat",
              )}
              , by day (UTC).{" "}
              {chartDays
                .filter((count) => count !== days)
                .map((count) => (
                  <a href={`${overviewPath}?days=${count}`}>The last {count} days</a>
                ))}
            </p>
            <DaysChart
              caption="Threats by day"
              days={byDay}
              layers={severityLayers}
              dayPath={(day) => {
                const text = dayText(day);
                return listPath(new URLSearchParams({ status: "all", from: text, to: text }));
              }}
            />
          </Section>
          <ByType active={active} />
        </>
      )}
    </>,
  );
}

function startOfDay(at: number): number {
  return Math.floor(at / dayMs) * dayMs;
}

function Attention({
  concerns,
  newHigh,
  from,
  hideCalm,
}: {
  concerns: readonly Concern[];
  newHigh: number;
  from: number;
  hideCalm: boolean;
}) {
  const view = new URLSearchParams({ severity: "high", from: dayText(from), sort: "first_seen" });
  const text = `${counted(newHigh, "high threat")} of the last ${newDays} days ${newHigh === 1 ? "waits" : "wait"} for a decision`;
  const all: Concern[] = [
    ...(newHigh === 0 ? [] : [{ tone: "bad" as const, path: listPath(view), text }]),
    ...concerns,
  ];
  if (all.length === 0) return hideCalm ? null : <p class="calm">Nothing needs attention now.</p>;
  return (
    <Section title="Needs attention">
      <ul class="attention">
        {all.map(({ tone, path, text: what }) => (
          <li class={tone}>
            <a href={path}>
              <bdi>{what}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The scan that is under way; looks again by itself until it has ended. */
function ScanNow({ scans }: { scans: Scans }): VNode {
  const progress = scans.progress();
  if (progress === undefined) return <div id="scan-now" />;
  const { scan, msLeft } = progress;
  const left =
    msLeft === null ? "" : `, about ${counted(Math.max(1, Math.ceil(msLeft / 60_000)), "minute")} left`;
  return (
    <div id="scan-now" class="card" data-refresh={scanNowPath} data-refresh-ms="2000">
      <p>
        <a href={scansPath}>A scan is under way</a>: {counted(scan.threatsFound, "threat")} found,{" "}
        {grouped(scan.threatsCreated)} of them new{left}
      </p>
      <Progress done={scan.candidates} total={scan.planned} label="names looked up" />
    </div>
  );
}

function ByType({ active }: { active: Awaited<ReturnType<ThreatSearch["byKind"]>> }) {
  const counts = new Map<ThreatType, Record<Severity, number>>();
  for (const { type, severity, total } of active) {
    const row = counts.get(type) ?? { high: 0, medium: 0, low: 0 };
    row[severity] += total;
    counts.set(type, row);
  }
  const rows = threatTypes
    .flatMap((type) => (counts.has(type) ? [{ type, counts: counts.get(type)! }] : []))
    .sort((a, b) => totalOf(b.counts) - totalOf(a.counts));
  const most = Math.max(0, ...rows.map((row) => totalOf(row.counts)));
  return (
    <Section title="To be decided, by type and severity">
      <Table
        caption="Active threats by type and severity"
        columns={[
          {
            title: "Type",
            look: "tight",
            cell: ({ type }) => <a href={listPath(new URLSearchParams({ type }))}>{inWords(type)}</a>,
          },
          ...severities.map((severity) => ({
            title: inWords(severity),
            look: "number" as const,
            cell: ({ type, counts: row }: (typeof rows)[number]) =>
              row[severity] === 0 ? (
                "0"
              ) : (
                <a href={listPath(new URLSearchParams({ severity, type }))}>{grouped(row[severity])}</a>
              ),
          })),
          {
            title: <span class="unseen">As a bar</span>,
            look: "wide",
            cell: ({ counts: row }) => <SeverityBar counts={row} most={most} />,
          },
        ]}
        rows={rows}
        empty="Everything is decided."
      />
    </Section>
  );
}
