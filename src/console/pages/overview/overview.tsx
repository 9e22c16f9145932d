import type { VNode } from "preact";
import { dayMs, startOfDay } from "../../../lib/clock.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import type { Scans } from "../../../scans/scans.ts";
import type { ThreatIndex } from "../../../threat-index/threat-index.ts";
import { severities, threatTypes, type Severity, type ThreatType } from "../../../vocabulary/threats.ts";
import { DaysChart, SeverityBar, severityLayers, totalOf } from "../../kit/charts.tsx";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { PageHead, Progress, Section, Time } from "../../kit/components.tsx";
import { formatDay } from "../../kit/fields.ts";
import { inWords } from "../../kit/labels.ts";
import { TypeName } from "../../threat-kit/threat-type.tsx";
import { Name } from "../../kit/name.tsx";
import { fragment, page, type PageResult } from "../../kit/page-result.ts";
import { overviewPath, runningScanPath, scansPath } from "../../kit/paths.ts";
import { Table } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { listPath } from "../../threat-kit/filters.ts";
import { Indicators, ThreatLink } from "../../threat-kit/marks.tsx";
import { concernsOf, type Concern } from "./attention.ts";
import { FirstSteps } from "./first-steps.tsx";
import { SeverityMark } from "../../threat-kit/severity.tsx";

/** Days for which an undecided high-severity threat counts as new. */
const newDays = 7;
const newestShownMax = 5;
const chartDaysChoices = [30, 90];

export async function showOverview({
  services,
  query,
  now,
}: Context<
  | "archive"
  | "databaseStatus"
  | "deliveries"
  | "domains"
  | "keys"
  | "readiness"
  | "scans"
  | "sources"
  | "threatIndex"
  | "untrustedProxy"
>): Promise<PageResult> {
  const { deliveries, domains, keys, readiness, scans, sources } = services;
  const search = services.threatIndex();
  await search.prepare();
  const from = startOfDay(now) - (newDays - 1) * dayMs;
  const high = { status: "active", severity: "high" } as const;
  const newestFirst = { key: "first_seen", descending: true } as const;
  const newest = await search.search(high, newestFirst, { page: 1, perPage: newestShownMax });
  const newHigh = await search.search({ ...high, from }, newestFirst, { page: 1, perPage: 1 });
  const days = chartDaysChoices.find((count) => String(count) === query.get("days")) ?? chartDaysChoices[0]!;
  const byDay = await search.byDay(startOfDay(now), days);
  const byKind = await search.byKind();
  const protectedDomains = domains.list();
  const keywords = new Map(protectedDomains.map((domain) => [domain.domain, domain.keywords]));
  const concerns = concernsOf({
    now,
    readiness: readiness(),
    untrustedProxy: services.untrustedProxy(),
    database: services.databaseStatus(),
    recipients: deliveries.recipients
      .listAll()
      .map((recipient) => ({ ...recipient, noun: deliveries.nounOf(recipient.channel) })),
    sources: sources.map((source) => ({
      kind: source.kind,
      pausedAt: source.pausing?.current()?.at ?? null,
      ...source.status(),
    })),
    keys: keys.list(),
    lastScan: scans.latestOutcome(),
    resolverProblem: scans.resolverHealth.latest()?.problem ?? null,
    archiveProblem: services.archive.status().problem,
  });
  const active = byKind.filter(({ status }) => status === "active");
  const isNew = byKind.length === 0 || !protectedDomains.some(({ enabled }) => enabled);
  return page(
    "Overview",
    <>
      <PageHead title="Overview" />
      {isNew ? <FirstSteps services={services} /> : null}
      <Attention concerns={concerns} newHigh={newHigh.total} from={from} hideCalm={isNew} />
      <RunningScan scans={scans} />
      <NewestThreats found={newest} keywords={keywords} />
      {byKind.length === 0 ? null : (
        <>
          <DailyThreats days={days} byDay={byDay} />
          <ByType active={active} />
        </>
      )}
    </>,
  );
}

function NewestThreats({
  found: { threats, total },
  keywords,
}: {
  found: Awaited<ReturnType<ThreatIndex["search"]>>;
  /** Brand keywords by protected domain. */
  keywords: ReadonlyMap<string, readonly string[]>;
}) {
  if (threats.length === 0) return null;
  return (
    <Section title="Newest high-severity threats">
      <ul class="newest">
        {threats.map(({ id, domain, protectedDomain, severity, severityReasons, firstSeen }) => (
          <li>
            <span>
              <SeverityMark severity={severity} />
            </span>
            <span class="what">
              <ThreatLink id={id}>
                <ComparedName
                  name={domain}
                  comparison={compareNames(domain, protectedDomain, keywords.get(protectedDomain))}
                />
              </ThreatLink>{" "}
              <span class="hint">
                look-alike of <Name name={protectedDomain} />
              </span>
              <Indicators severityReasons={severityReasons} />
            </span>
            <Time at={firstSeen} relative />
          </li>
        ))}
      </ul>
      {total <= newestShownMax ? null : (
        <p class="prose">
          <a href={listPath(new URLSearchParams({ severity: "high", sort: "first_seen" }))}>
            View all {grouped(total)} active high-severity threats
          </a>
        </p>
      )}
    </Section>
  );
}

function DailyThreats({ days, byDay }: { days: number; byDay: Awaited<ReturnType<ThreatIndex["byDay"]>> }) {
  return (
    <Section title={`Threats first seen in the last ${days} days`}>
      <p class="hint">
        {counted(
          byDay.reduce((sum, day) => sum + totalOf(day), 0),
          "threat",
        )}
        , by day (UTC).{" "}
        {chartDaysChoices
          .filter((count) => count !== days)
          .map((count) => (
            <a href={`${overviewPath}?days=${count}`}>Show {count} days</a>
          ))}
      </p>
      <DaysChart
        caption="Threats by day"
        days={byDay}
        layers={severityLayers}
        dayPath={(day) => {
          const text = formatDay(day);
          return listPath(new URLSearchParams({ status: "all", from: text, to: text }));
        }}
      />
    </Section>
  );
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
  const view = new URLSearchParams({ severity: "high", from: formatDay(from), sort: "first_seen" });
  const text = `${counted(newHigh, "new high-severity threat")} to triage from the last ${newDays} days`;
  const all: Concern[] = [
    ...(newHigh === 0 ? [] : [{ tone: "bad" as const, path: listPath(view), text }]),
    ...concerns,
  ];
  if (all.length === 0) return hideCalm ? null : <p class="calm">Nothing needs attention.</p>;
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

export function showRunningScan({ services: { scans } }: Context<"scans">): PageResult {
  return fragment(<RunningScan scans={scans} />);
}

/** Progress of the running scan. Refreshes itself until the scan has finished. */
function RunningScan({ scans }: { scans: Scans }): VNode {
  const progress = scans.progress();
  if (progress === undefined) return <div id="scan-now" />;
  const { scan, msLeft } = progress;
  const left =
    msLeft === null ? "" : `, about ${counted(Math.max(1, Math.ceil(msLeft / 60_000)), "minute")} left`;
  return (
    <div id="scan-now" class="card" data-refresh={runningScanPath} data-refresh-ms="2000">
      <p>
        <a href={scansPath}>A scan is running</a>: {counted(scan.threatsFound, "threat")} found,{" "}
        {grouped(scan.threatsCreated)} new{left}
      </p>
      <Progress done={scan.candidates} total={scan.planned} label="names checked" />
    </div>
  );
}

function ByType({ active }: { active: Awaited<ReturnType<ThreatIndex["byKind"]>> }) {
  const counts = new Map<ThreatType, Record<Severity, number>>();
  for (const { type, severity, total } of active) {
    const row = counts.get(type) ?? { high: 0, medium: 0, low: 0 };
    row[severity] += total;
    counts.set(type, row);
  }
  const rows = threatTypes
    .flatMap((type) => (counts.has(type) ? [{ type, counts: counts.get(type)! }] : []))
    .sort((a, b) => totalOf(b.counts) - totalOf(a.counts));
  const maxTotal = Math.max(0, ...rows.map((row) => totalOf(row.counts)));
  return (
    <Section title="Active threats by type and severity">
      <Table
        caption="Active threats by type and severity"
        columns={[
          {
            title: "Type",
            layout: "tight",
            cell: ({ type }) => (
              <a href={listPath(new URLSearchParams({ type }))}>
                <TypeName type={type} />
              </a>
            ),
          },
          ...severities.map((severity) => ({
            title: inWords(severity),
            layout: "number" as const,
            cell: ({ type, counts: row }: (typeof rows)[number]) =>
              row[severity] === 0 ? (
                "0"
              ) : (
                <a href={listPath(new URLSearchParams({ severity, type }))}>{grouped(row[severity])}</a>
              ),
          })),
          {
            title: <span class="vh">Chart</span>,
            layout: "wide",
            cell: ({ counts: row }) => <SeverityBar counts={row} maxTotal={maxTotal} />,
          },
        ]}
        rows={rows}
        empty="No active threats."
      />
    </Section>
  );
}
