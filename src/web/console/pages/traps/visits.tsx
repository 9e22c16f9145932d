import type { ComponentChildren } from "preact";
import { dayMs } from "../../../../platform/lib/clock.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { capitalized, counted, grouped } from "../../../../platform/lib/wording.ts";
import type { TrapKind } from "../../../../response/traps/kind.ts";
import type { VisitColumn } from "../../../../response/traps/presentation.ts";
import type { TrapVisit, VisitTotal } from "../../../../response/traps/visits/store.ts";
import {
  alwaysAlerts,
  trapIdPrefix,
  trapKindNames,
  type VisitClass,
} from "../../../../platform/vocabulary/traps.ts";
import { Card, Facts, PageHead, Section, Time } from "../../kit/components.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { parseWholeNumber } from "../../kit/fields.ts";
import { inWords } from "../../kit/labels.ts";
import { Name, Text } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { threatPath, trapPath, trapsPath, visitPath } from "../../kit/paths.ts";
import { column, PagedTable, Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { timelineSince, TrapTimeline } from "./timeline.tsx";
import { trapOf } from "./values.tsx";

const perPage = 25;
/** Fits into a row; the page of a visit shows everything. */
const pageCharactersMax = 60;

/** The request of a honeytoken's visit is on the page of the visit. */
const columnsByName: Partial<Record<VisitColumn, Column<TrapVisit>>> = {
  page: column("Page", "wide under", ({ url }) => <Text text={url} charactersMax={pageCharactersMax} />),
  threat: column("Threat", "tight hidden", ({ threatId }) =>
    threatId === null ? "–" : <a href={threatPath(threatId)}>show</a>,
  ),
  user_agent: column("User agent", "wide under", ({ userAgent }) => textOrDash(userAgent, pageCharactersMax)),
  referrer: column("Referrer", "hidden", ({ referrer }) => textOrDash(referrer, pageCharactersMax)),
};

function ClassBadge({ name }: { name: VisitClass }) {
  return <StateMark tone={alwaysAlerts(name) ? "bad" : "neutral"}>{capitalized(inWords(name))}</StateMark>;
}

function textOrDash(text: string | null, charactersMax: number): ComponentChildren {
  return text === null ? "–" : <Text text={text} charactersMax={charactersMax} />;
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
            <Help about="a visit" manual="traps#visits-that-raise-no-alert">
              A request to this {kind.name}. Visits by your own hosts, archives and similar programs are
              counted and raise no alert.
            </Help>
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
    `Visit to ${trap.name}`,
    <>
      <PageHead
        title={
          <>
            Visit <ClassBadge name={visit.class} />
          </>
        }
        crumbs={[
          { label: kind.presentation.title, path: trapsPath(kind.name) },
          { label: visible(trap.name, 100), path: trapPath(kind.name, trap.id) },
        ]}
      />
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

function factsOf(visit: TrapVisit): [string, ComponentChildren][] {
  const { claimedUrl, eventId, host, method, threatId, url } = visit;
  const long = (text: string | null) => textOrDash(text, 2_500);
  return [
    ["First seen", <Time at={visit.firstAt} />],
    ["Last seen", <Time at={visit.lastAt} />],
    ["Count", grouped(visit.count)],
    ["Client", visit.ipAddress ?? "unknown"],
    ["User agent", long(visit.userAgent)],
    method === null ? ["Page", long(url)] : ["Request", long(`${method} ${url}`)],
    ["Referrer", long(visit.referrer)],
    ...(host === null ? [] : ([["Host", <Name name={host} />]] as [string, ComponentChildren][])),
    ...(claimedUrl === null
      ? []
      : ([["URL reported by the script", long(claimedUrl)]] as [string, ComponentChildren][])),
    ["Threat", threatId === null ? "none" : <a href={threatPath(threatId)}>{threatId}</a>],
    ["Event", eventId === null ? "none" : <code>{eventId}</code>],
  ];
}
