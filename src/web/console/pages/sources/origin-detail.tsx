import { basename } from "node:path";
import { dayMs, startOfDay } from "../../../../platform/lib/clock.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { ActivityOfDay, NameOrigin } from "../../../../intake/sources/activity/source-activity.ts";
import { feedKind } from "../../../../intake/sources/source.ts";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { FeedStatus } from "../../../../intake/sources/feeds/feed-status.ts";
import type { FeedFile } from "../../../../intake/sources/feeds/tables.ts";
import { Card, DeclaredMark, Facts, Section, Time, Note } from "../../kit/components.tsx";
import { StateMark, Text } from "../../kit/inline.tsx";
import { formatDay } from "../../kit/fields.ts";
import { usePage } from "../../kit/page-context.ts";
import { page, type PageResult, redirect } from "../../kit/page-result.ts";
import {
  keysPath,
  originIn,
  originPath,
  scansPath,
  sourcesPath,
  trapsPath,
  feedPath,
} from "../../kit/paths.ts";
import { column, Empty, Table, type Column, Amount, ListTable } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { inspectionsFrom } from "../../inspection-kit/request-query.ts";
import { PostButton } from "../../kit/form.tsx";
import { DailySum, PauseButton, sourceFacts, SourceState, titleOf, resultColumns } from "./source-parts.tsx";
import { CertificateLogsDetail } from "./certificate-logs.tsx";
import { healthOf, type Origin } from "./origins.ts";

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
    {
      title,
      heading: (
        <>
          <Text text={title} charactersMax={120} />{" "}
          {watched === undefined || source?.declaredAs === null ? null : <SourceState watched={watched} />}
        </>
      ),
      crumbs: [{ label: "Sources", path: sourcesPath }],
      actions: source === undefined ? undefined : <PauseButton source={source} from="detail" />,
    },
    <>
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
            />
          </details>
        </>
      )}
    </Section>
  );
}

const filesPerPage = 50;

function fileColumns(feed: string): Column<FeedFile>[] {
  return [
    column("File", "wide title", (file) => (
      <>
        <Text text={basename(file.path)} charactersMax={120} />
        {file.error === null ? null : <p>It {visible(file.error, 200)}.</p>}
      </>
    )),
    column("State", "tight state", fileState),
    column("Modified", "tight under", ({ modifiedAt }) => <Time at={modifiedAt} relative />),
    column("Size", "number hidden", ({ bytes }) => bytesText(bytes)),
    column("Lines", "number hidden", ({ lines }) => grouped(lines)),
    ...resultColumns<FeedFile>(() => undefined),
    column(<span class="vh">Actions</span>, "number hidden", ({ path }) => (
      <PostButton
        action={`${feedPath(feed)}/read-again`}
        label="Read again"
        small
        fields={{ file: fileToken(path) }}
      />
    )),
  ];
}

/** Encodes a path for a form: the name of a file may contain control characters, which no page may. */
function fileToken(path: string): string {
  return Buffer.from(path).toString("base64url");
}

function fileState({ error, completedAt }: FeedFile) {
  if (error !== null) return <StateMark tone="bad">Failed</StateMark>;
  return completedAt === null ? (
    <StateMark tone="live">Reading</StateMark>
  ) : (
    <StateMark tone="good">Read</StateMark>
  );
}

/** The files of a feed, and the entries of its folder that are not read. */
function FeedFiles({ feed, query }: { feed: FeedStatus; query: URLSearchParams }) {
  const files = feed.files.toSorted((a, b) => b.modifiedAt - a.modifiedAt);
  return (
    <>
      <Card title="Files" flush>
        <ListTable
          caption="Files, newest first"
          columns={fileColumns(feed.name)}
          rows={files}
          perPage={filesPerPage}
          path={feedPath(feed.name)}
          query={query}
          empty="No files read yet."
        />
      </Card>
      <SkippedEntries skipped={feed.skipped} />
    </>
  );
}

function SkippedEntries({ skipped: { total, first } }: Pick<FeedStatus, "skipped">) {
  if (total === 0) return null;
  const more = total - first.length;
  return (
    <Card title="Not read" flush>
      <Table<FeedStatus["skipped"]["first"][number]>
        caption="Entries of the folder that are not read"
        columns={[
          column("Name", "wide title", ({ name }) => <Text text={name} charactersMax={120} />),
          column("Reason", "under", ({ why }) => `It ${why}.`),
        ]}
        rows={first}
      />
      {more > 0 ? <p class="remark">and {counted(more, "more", "more")}</p> : null}
      <p class="remark">
        Only files in the folder are read. To read a list from another place, copy it into the folder, or
        declare a feed with its path.
      </p>
    </Card>
  );
}

export async function readAgain(context: Context<"feeds">): Promise<PageResult> {
  const name = context.params["name"]!;
  const { services, form, by } = context;
  const path = Buffer.from(form.get("file") ?? "", "base64url").toString();
  await context.write(() => services.feeds.readAgain(name, path, { by }));
  return redirect(feedPath(name), "The file is being read again. Known threats are not recorded twice.");
}
