import { dayMs, startOfDay } from "../../../../platform/lib/clock.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { ActivityOfDay, NameOrigin } from "../../../../intake/sources/activity/source-activity.ts";
import { feedKind } from "../../../../intake/sources/source.ts";
import { Card, DeclaredMark, Facts, PageHead, Section, Time } from "../../kit/components.tsx";
import { Note } from "../../kit/marks.tsx";
import { formatDay } from "../../kit/fields.ts";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, type PageResult } from "../../kit/page-result.ts";
import { keysPath, originIn, originPath, scansPath, sourcesPath, trapsPath } from "../../kit/paths.ts";
import { column, Empty, Table, type Column, Amount } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { inspectionsFrom } from "../inspections/request-query.ts";
import { DailySum } from "./amounts.tsx";
import { CertificateLogsDetail } from "./certificate-logs.tsx";
import { FeedFiles } from "./feed-files.tsx";
import { healthOf } from "./health.ts";
import type { Origin } from "./origins.ts";
import { PauseButton } from "./pausing.tsx";
import { sourceFacts, SourceState, titleOf } from "./source-parts.tsx";

const shownDaysChoices = [30, 90];

/** Shows an origin of names: a source with its state, or another part of phishwatch with what it found. */
export function showOrigin(
  given: Context<"activity" | "certificateLogs" | "feeds" | "inspections" | "sources">,
): PageResult {
  const { services, params, query, now } = given;
  const { activity, certificateLogs, feeds, inspections, sources } = services;
  const origin = originIn(params);
  const isThis = ({ kind, name }: { kind: string; name: string }) =>
    kind === origin.kind && name === origin.name;
  const source = sources.find(isThis);
  const shown = shownDaysChoices.find((count) => String(count) === query.get("days")) ?? shownDaysChoices[0]!;
  const days = activity.since(startOfDay(now) - (shown - 1) * dayMs).filter(isThis);
  if (source === undefined && !activity.totals().some(isThis))
    throw notFound("There is no source with this name.");
  const watched = source && { source, status: source.status() };
  const feed = origin.kind === feedKind ? feeds.status().find(({ name }) => name === origin.name) : undefined;
  const title = titleOf(origin);
  return page(
    title,
    <>
      <PageHead
        title={
          <>
            <Text text={title} charactersMax={120} />{" "}
            {watched === undefined || source?.declaredAs === null ? null : <SourceState watched={watched} />}
          </>
        }
        crumbs={[{ label: "Sources", path: sourcesPath }]}
      >
        {source === undefined ? undefined : <PauseButton source={source} from="detail" />}
      </PageHead>
      {watched === undefined ? <RelatedPage kind={origin.kind} /> : <Watched watched={watched} />}
      <InspectedPages origin={origin} count={inspections.list({ origin }, { page: 1, perPage: 1 }).total} />
      {feed === undefined ? null : <FeedFiles feed={feed} query={query} />}
      {certificateLogs === undefined || !isThis(certificateLogs) ? null : (
        <CertificateLogsDetail source={certificateLogs} />
      )}
      <Days path={originPath(origin)} days={days} shown={shown} today={startOfDay(now)} />
    </>,
  );
}

function Watched({ watched: { source, status } }: { watched: NonNullable<Origin["watched"]> }) {
  const { now } = usePage();
  if (source.declaredAs === null) return <RelatedPage kind={source.kind} />;
  const { tone, problem } = healthOf(status, source.pausing?.current(), now);
  return (
    <>
      {problem === null ? null : (
        <Note tone={tone === "bad" ? "bad" : "warn"} title={<bdi>{problem.what}</bdi>}>
          {problem.advice ?? undefined}
        </Note>
      )}
      <Card title="Details">
        <Facts facts={[...sourceFacts(status), ["Declared", <DeclaredMark where={source.declaredAs} />]]} />
      </Card>
    </>
  );
}

/** Leads to the inspections of the addresses that an origin named, if there are any. */
function InspectedPages({ origin, count }: { origin: NameOrigin; count: number }) {
  return count === 0 ? null : (
    <p>
      <a href={inspectionsFrom(origin)}>
        {counted(count, "inspection of its addresses", "inspections of its addresses")}
      </a>
    </p>
  );
}

/** Leads from an origin that is no declared source to the page where its names are listed. */
function RelatedPage({ kind }: { kind: string }) {
  const related: Record<string, { path: string; label: string }> = {
    import: { path: `${sourcesPath}#imports`, label: "All imports" },
    submission: { path: keysPath, label: "All API keys" },
    scan: { path: scansPath, label: "All scans" },
    beacon: { path: trapsPath("beacon"), label: "All beacons" },
  };
  const found = related[kind];
  return found === undefined ? (
    <p class="hint">The configuration file does not declare it.</p>
  ) : (
    <p>
      <a href={found.path}>{found.label}</a>
    </p>
  );
}

const dayColumns: Column<ActivityOfDay>[] = [
  column("Day", "tight title", ({ day }) => formatDay(day)),
  column("Names", "number state", ({ names }) => <Amount count={names} unit="name" />),
  column("Rejected", "number hidden", ({ invalid }) => grouped(invalid)),
  column("Matches", "number under", ({ matched }) => <Amount count={matched} unit="match" units="matches" />),
  column("New threats", "number end", ({ created }) => <Amount count={created} unit="new threat" />),
  column("Last names", "tight hidden", ({ lastAt }) => <Time at={lastAt} />),
];

/** The counts of each day: as charts, and as the table of their numbers. */
function Days(props: { path: string; days: readonly ActivityOfDay[]; shown: number; today: number }) {
  const { path, days, shown, today } = props;
  const valuesOf = (key: "names" | "matched" | "created") => {
    const byDay = new Map(days.map((day) => [day.day, day[key]]));
    return Array.from({ length: shown }, (_, index) => byDay.get(today - (shown - 1 - index) * dayMs) ?? 0);
  };
  const other = shownDaysChoices.find((count) => count !== shown)!;
  return (
    <Section
      title={`Names by day (UTC), last ${shown} days`}
      aside={
        <a class="s" href={`${path}?days=${other}`}>
          Show {other} days
        </a>
      }
    >
      {days.length === 0 ? (
        <Empty>No names in the last {shown} days.</Empty>
      ) : (
        <>
          <div class="cols cols-3">
            <DailySum title="Names" values={valuesOf("names")} />
            <DailySum title="Matches" values={valuesOf("matched")} />
            <DailySum title="New threats" values={valuesOf("created")} />
          </div>
          <details class="more">
            <summary>As a table</summary>
            <Table
              caption="Names by day, without the days that have none"
              columns={dayColumns}
              rows={days.toReversed()}
              empty=""
            />
          </details>
        </>
      )}
    </Section>
  );
}
