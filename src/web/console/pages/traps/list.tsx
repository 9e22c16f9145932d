import { dayMs } from "../../../../platform/lib/clock.ts";
import type { TrapKind } from "../../../../response/traps/kind.ts";
import type { Trap } from "../../../../response/traps/trap.ts";
import type { VisitStore, VisitTotal } from "../../../../response/traps/visits/store.ts";
import { LinkButton, PageHead, Time, FirstStep } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { newTrapPath, trapPath, trapsPath } from "../../kit/paths.ts";
import { column, ListTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { StateOf, ValueOf } from "./values.tsx";
import { totalsTexts } from "./visits.tsx";
import { RowTimeline, timelineSince } from "./timeline.tsx";

const perPage = 50;
/** Longer names of traps wrap. */
const oneLineCharactersMax = 30;

export function listTraps({ services: { traps }, now, query }: Context<"traps">, kind: TrapKind): PageResult {
  const { emptyList, lead, title } = kind.presentation;
  const all = traps.of(kind).list();
  const path = trapsPath(kind.name);
  const newPath = newTrapPath(kind.name);
  return page(
    title,
    <>
      <PageHead title={title} lead={lead}>
        <LinkButton path={newPath} label={`Create ${kind.name}`} icon="plus" variant="primary" />
      </PageHead>
      <ListTable
        caption={title}
        columns={columnsOf(kind, all, { now, visits: traps.visits })}
        rows={all}
        perPage={perPage}
        path={path}
        query={query}
        empty={
          <>
            {emptyList}
            <FirstStep path={newPath} label={`Create a ${kind.name}`}>
              to begin.
            </FirstStep>
          </>
        }
      />
    </>,
  );
}

function columnsOf(
  kind: TrapKind,
  rows: readonly Trap[],
  { now, visits }: { now: number; visits: Pick<VisitStore, "timeline" | "totals"> },
): Column<Trap>[] {
  const { columns } = kind.presentation;
  const labels = rows.slice(0, 1).flatMap((trap) => columns(trap));
  return [
    column("Name", "title", ({ id, name }) => (
      <span class={name.length <= oneLineCharactersMax ? "tight" : undefined}>
        <a class="ink" href={trapPath(kind.name, id)}>
          <Text text={name} />
        </a>
      </span>
    )),
    column("State", "tight state", (trap) => <StateOf trap={trap} now={now} />),
    ...labels.map(({ label, value }, index) =>
      column<Trap>(label, index === 0 && "text" in value ? "tight hidden" : "hidden", (trap) => (
        <ValueOf value={columns(trap)[index]!.value} charactersMax={80} />
      )),
    ),
    column("Visits a day, 30 days", "hidden", ({ id }) => (
      <RowTimeline rows={visits.timeline(id, timelineSince(now, "row") - 1, dayMs)} />
    )),
    column("Visits", "under", ({ id }) => <VisitTotals totals={visits.totals(id)} />),
    column("Last visit", "number end", ({ id }) => <LastVisit totals={visits.totals(id)} />),
  ];
}

function VisitTotals({ totals }: { totals: readonly VisitTotal[] }) {
  const parts = totalsTexts(totals);
  if (parts.length === 0) return <span class="faint tight">none yet</span>;
  return (
    <>
      {parts.map((part, index) => (
        <>
          {index === 0 ? "" : ", "}
          <span class="tight">{part}</span>
        </>
      ))}
    </>
  );
}

function LastVisit({ totals }: { totals: readonly VisitTotal[] }) {
  if (totals.length === 0) return <span class="faint">–</span>;
  return <Time at={Math.max(...totals.map(({ lastAt }) => lastAt))} relative />;
}
