import { dayMs, startOfDay, type Instant } from "../../../../platform/lib/clock.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { capitalized, counted, grouped } from "../../../../platform/lib/wording.ts";
import type { TrapKind } from "../../../../response/traps/kind.ts";
import type { VisitColumn, LabeledValue } from "../../../../response/traps/presentation.ts";
import type { TrapVisit, VisitTotal } from "../../../../response/traps/visits/store.ts";
import {
  alwaysAlerts,
  trapIdPrefix,
  trapKindNames,
  type VisitClass,
} from "../../../../platform/vocabulary/traps.ts";
import type { Trap } from "../../../../response/traps/trap.ts";
import { Card, Facts, Section, Time, type Fact, Note } from "../../kit/components.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { StateMark, inWords, Name, Text } from "../../kit/inline.tsx";
import { parseWholeNumber } from "../../kit/fields.ts";
import { page, type PageResult } from "../../kit/page-result.ts";
import { threatPath, trapPath, trapsPath, visitPath } from "../../kit/paths.ts";
import { column, PagedTable, Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { DayMarks, fitsAsDots } from "../../charts/day-marks.tsx";
import { DaysChart, type Layer } from "../../charts/days-chart.tsx";
import { usePage } from "../../kit/page-context.ts";
import { shortDay } from "../../kit/times.ts";

const perPage = 25;
/** Fits into a row; the page of a visit shows everything. */
const pageCharactersMax = 60;

/** The request of a honeytoken's visit is on the page of the visit. */
const columnsByName: Partial<Record<VisitColumn, Column<TrapVisit>>> = {
  page: column("Page", "wide under", ({ url }) => <Text text={url} charactersMax={pageCharactersMax} />),
  threat: column("Threat", "tight hidden", ({ threatId }) =>
    threatId === null ? "–" : <a href={threatPath(threatId)}>show</a>,
  ),
  user_agent: column("User agent", "wide under", ({ userAgent }) => (
    <Text text={userAgent} charactersMax={pageCharactersMax} none="–" />
  )),
  referrer: column("Referrer", "hidden", ({ referrer }) => (
    <Text text={referrer} charactersMax={pageCharactersMax} none="–" />
  )),
};

function ClassBadge({ name }: { name: VisitClass }) {
  return <StateMark tone={alwaysAlerts(name) ? "bad" : "neutral"}>{capitalized(inWords(name))}</StateMark>;
}

function alertsFirst(totals: readonly VisitTotal[]): VisitTotal[] {
  return totals.toSorted((a, b) => Number(alwaysAlerts(b.class)) - Number(alwaysAlerts(a.class)));
}

/** Returns, for example, `3 foreign` and `120 own`, or `6 visits`. */
export function totalsTexts(totals: readonly VisitTotal[]): string[] {
  return alertsFirst(totals).map(({ class: name, total }) =>
    counted(total, inWords(name), name === "visit" ? "visits" : inWords(name)),
  );
}

/** The visits of one trap: totals, a timeline, and a list with pages. */
export function Visits(props: {
  context: Context<"traps">;
  kind: TrapKind;
  trap: { id: string };
  /** Path of the trap's page. */
  path: string;
}) {
  const { context, kind, trap, path } = props;
  const { services, query, now } = context;
  const { visits } = services.traps;
  const { visitClasses, visitColumns } = kind.presentation;
  const totals = alertsFirst(visits.totals(trap.id));
  const total = visits.countRows(trap.id);
  const columns: Column<TrapVisit>[] = [
    column("First seen", "tight title", ({ seq, firstAt }) => (
      <a class="ink" href={visitPath(path, seq)}>
        <Time at={firstAt} relative />
      </a>
    )),
    column("Class", "tight state", (visit) => <ClassBadge name={visit.class} />),
    ...(visitColumns[0] === "page" && columnsByName.page !== undefined ? [columnsByName.page] : []),
    column("Client", "tight hidden", ({ ipAddress }) => ipAddress ?? "–"),
    ...visitColumns.filter((name) => name !== "page").flatMap((name) => columnsByName[name] ?? []),
    column("Count", "number end", ({ count }) => (
      <>
        {grouped(count)}
        <span class="unit"> {count === 1 ? "visit" : "visits"}</span>
      </>
    )),
  ];
  return (
    <>
      {totals.length === 0 ? null : (
        <Card
          title="Visits"
          aside={
            <Help
              topic={{
                about: "a visit",
                text: `A request to this ${kind.name}. Visits by your own hosts, archives and similar programs are counted and raise no alert.`,
                manual: "traps#visits-that-raise-no-alert",
              }}
            />
          }
        >
          <div class="stack">
            <Facts
              facts={totals.map((row) => [
                capitalized(inWords(row.class)),
                <>
                  {counted(row.total, "visit")}, {visitClasses[row.class] ?? "of another kind"}; last seen{" "}
                  <Time at={row.lastAt} relative />
                </>,
              ])}
            />
            {total === 0 ? null : (
              <TrapTimeline rows={visits.timeline(trap.id, timelineSince(now, "page") - 1, dayMs)} />
            )}
          </div>
        </Card>
      )}
      <PagedTable
        caption="Visits"
        columns={columns}
        rowsIn={(range) => visits.list(trap.id, range)}
        total={total}
        perPage={perPage}
        path={path}
        query={query}
        empty={totals.length === 0 ? "No visits yet." : "No visits of classes that are recorded in detail."}
      />
    </>
  );
}

/** Visits that led to a threat; nothing if there are none. */
export function SeenAt({ visits }: { visits: readonly TrapVisit[] }) {
  if (visits.length === 0) return null;
  const columns: Column<TrapVisit>[] = [
    column("First seen", "tight title", ({ trapId, seq, firstAt }) => {
      const kind = trapKindNames.find((name) => trapId.startsWith(`${trapIdPrefix(name)}_`));
      const time = <Time at={firstAt} />;
      return kind === undefined ? time : <a href={visitPath(trapPath(kind, trapId), seq)}>{time}</a>;
    }),
    column("Count", "number state", ({ count }) => grouped(count)),
    column("Page", "wide under", ({ url }) => <Text text={url} charactersMax={200} />),
    column("Visitor", "tight hidden", ({ ipAddress }) => ipAddress ?? "–"),
  ];
  return (
    <Section title="Shown to visitors">
      <p>A beacon in the page reported these visits, newest first.</p>
      <Table caption="Visits that a beacon reported" columns={columns} rows={visits} empty="None." />
    </Section>
  );
}

/** Everything that is recorded of one visit. */
export function showVisit(context: Context<"traps">, kind: TrapKind): PageResult {
  const { services, params } = context;
  const trap = trapOf(context, kind);
  const seq = parseWholeNumber(params["seq"]);
  const visit = seq === undefined ? undefined : services.traps.visits.get(trap.id, seq);
  if (visit === undefined) throw notFound("There is no visit with this number. Old visits are deleted.");
  return page(
    {
      title: `Visit to ${trap.name}`,
      heading: (
        <>
          Visit <ClassBadge name={visit.class} />
        </>
      ),
      crumbs: [
        { label: kind.presentation.title, path: trapsPath(kind.name) },
        { label: visible(trap.name, 100), path: trapPath(kind.name, trap.id) },
      ],
    },
    <>
      <Card title="Details">
        <Facts facts={factsOf(visit)} />
      </Card>
      {visit.headers.length === 0 ? null : (
        <Card title="Headers">
          <Facts
            facts={visit.headers.map(([name, value]) => [
              visible(name, 100),
              <Text text={value} charactersMax={4_100} />,
            ])}
          />
        </Card>
      )}
    </>,
  );
}

function factsOf(visit: TrapVisit): Fact[] {
  const { claimedUrl, eventId, host, method, threatId, url } = visit;
  const long = (text: string | null) => <Text text={text} charactersMax={2_500} none="–" />;
  return [
    ["First seen", <Time at={visit.firstAt} />],
    ["Last seen", <Time at={visit.lastAt} />],
    ["Count", grouped(visit.count)],
    ["Client", visit.ipAddress ?? "unknown"],
    ["User agent", long(visit.userAgent)],
    method === null ? ["Page", long(url)] : ["Request", long(`${method} ${url}`)],
    ["Referrer", long(visit.referrer)],
    host !== null && ["Host", <Name name={host} />],
    claimedUrl !== null && ["URL reported by the script", long(claimedUrl)],
    ["Threat", threatId === null ? "none" : <a href={threatPath(threatId)}>{threatId}</a>],
    ["Event", eventId === null ? "none" : <code>{eventId}</code>],
  ];
}

const timelineDays = 60;
/** Days of the timeline in a row of the list. */
const rowDays = 30;

const layers: readonly Layer<"alerts" | "others">[] = [
  { key: "alerts", label: "alerts", color: "high" },
  { key: "others", label: "others", color: "rest" },
];

type Rows = readonly { at: Instant; class: VisitClass; count: number }[];

/** Returns the start of the first day that a timeline shows. */
export function timelineSince(now: Instant, count: "page" | "row"): Instant {
  return startOfDay(now) - ((count === "page" ? timelineDays : rowDays) - 1) * dayMs;
}

function daysOf(rows: Rows, since: Instant, count: number) {
  const days = Array.from({ length: count }, (_, day) => ({
    day: since + day * dayMs,
    alerts: 0,
    others: 0,
  }));
  for (const row of rows) {
    const day = days[(row.at - since) / dayMs];
    // Undefined if the clock was set back since then.
    if (day !== undefined) day[alwaysAlerts(row.class) ? "alerts" : "others"] += row.count;
  }
  return days;
}

/** Visits by day, with those that raise alerts below the others. */
function TrapTimeline({ rows }: { rows: Rows }) {
  const days = daysOf(rows, timelineSince(usePage().now, "page"), timelineDays);
  const total = days.reduce((sum, { alerts, others }) => sum + alerts + others, 0);
  if (total === 0) return <p class="hint">No visits in the last {timelineDays} days.</p>;
  const largest = Math.max(...days.map(({ alerts, others }) => alerts + others));
  const alerts = days.reduce((sum, day) => sum + day.alerts, 0);
  const text = `${counted(total, "recorded visit")} in the last ${timelineDays} days, ${grouped(alerts)} with an alert`;
  return (
    <>
      <p class="hint">{text}, by day (UTC).</p>
      {fitsAsDots(largest, true) ? (
        <div>
          <DayMarks full label={`${text}, at most ${grouped(largest)} a day`} days={days} />
          <p class="hint ends">
            <span>{shortDay(days[0]!.day)}</span>
            <span>{shortDay(days.at(-1)!.day)}</span>
          </p>
        </div>
      ) : (
        <DaysChart caption="Visits by day" days={days} layers={layers} />
      )}
    </>
  );
}

/** The timeline of a trap in a list; nothing if there were no visits. */
export function RowTimeline({ rows }: { rows: Rows }) {
  const days = daysOf(rows, timelineSince(usePage().now, "row"), rowDays);
  const sum = (key: "alerts" | "others") => days.reduce((total, day) => total + day[key], 0);
  if (sum("alerts") + sum("others") === 0) return null;
  return (
    <DayMarks
      label={`${grouped(sum("alerts"))} alerts and ${counted(sum("others"), "other visit")} in ${rowDays} days`}
      days={days}
    />
  );
}

/** Returns the trap that the path names. @throws PublicError `not_found` */
export function trapOf({ services, params }: Context<"traps">, kind: TrapKind): Trap {
  const trap = services.traps.of(kind).find(params["id"] ?? "");
  if (trap === undefined) throw notFound(`There is no ${kind.name} with this ID.`);
  return trap;
}

export function StateOf({ trap: { enabled, expiresAt }, now }: { trap: Trap; now: number }) {
  if (!enabled) return <StateMark tone="neutral">Disabled</StateMark>;
  const expired = expiresAt !== null && expiresAt <= now;
  return expired ? <StateMark tone="neutral">Expired</StateMark> : <StateMark tone="good">Enabled</StateMark>;
}

export function ValueOf(props: { value: LabeledValue["value"]; charactersMax?: number }) {
  const { value, charactersMax = 500 } = props;
  if ("hosts" in value)
    return <>{value.hosts.map((host, index) => [index === 0 ? "" : ", ", <Name name={host} />])}</>;
  return <Text text={value.text || null} charactersMax={charactersMax} none="–" />;
}

/** Says why browsers will not reach the traps. */
export function PlainHttpNote({ publicUrl }: { publicUrl: string }) {
  if (publicUrl.startsWith("https:")) return null;
  return (
    <Note tone="warn" title="Browsers will not reach this address">
      Visitors would be sent to <code>{publicUrl}</code>. Pages over HTTPS load nothing from there: set{" "}
      <code>traps.public_url</code> to an https:// URL that visitors can reach.{" "}
      <a href="/docs/traps#make-traps-reachable">Manual</a>
    </Note>
  );
}
