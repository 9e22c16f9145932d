import type { TrapKind } from "../../../traps/kind.ts";
import type { Trap } from "../../../traps/trap.ts";
import { LinkButton, PageHead, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { newTrapPath, trapPath, trapsPath } from "../../kit/paths.ts";
import { PagedTable, pagesOf, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { StateOf, ValueOf } from "./values.tsx";
import { totalsText } from "./visits.tsx";

const perPage = 50;

export function listTraps({ services: { traps }, now, query }: Context<"traps">, kind: TrapKind): PageResult {
  const { emptyList, lead, title } = kind.presentation;
  const all = traps.of(kind).list();
  const path = trapsPath(kind.name);
  const newPath = newTrapPath(kind.name);
  return page(
    title,
    <>
      <PageHead title={title} lead={lead}>
        <LinkButton path={newPath} label={`Create ${kind.name}`} />
      </PageHead>
      <PagedTable
        caption={title}
        columns={columnsOf(kind, all, { now, totals: (id) => totalsText(traps.visits.totals(id)) })}
        rowsIn={pagesOf(all)}
        total={all.length}
        perPage={perPage}
        path={path}
        query={query}
        empty={
          <>
            {emptyList} <a href={newPath}>Create a {kind.name}</a> to begin.
          </>
        }
      />
    </>,
  );
}

function columnsOf(
  kind: TrapKind,
  rows: readonly Trap[],
  { now, totals }: { now: number; totals: (id: string) => string },
): Column<Trap>[] {
  const { columns } = kind.presentation;
  const labels = rows.slice(0, 1).flatMap((trap) => columns(trap).map(({ label }) => label));
  return [
    {
      title: "Name",
      layout: "wide",
      cell: ({ id, name }) => (
        <a href={trapPath(kind.name, id)}>
          <Text text={name} />
        </a>
      ),
    },
    ...labels.map((title, index) => ({
      title,
      cell: (trap: Trap) => <ValueOf value={columns(trap)[index]!.value} charactersMax={120} />,
    })),
    { title: "Visits", cell: ({ id }) => totals(id) },
    { title: "Created", layout: "tight", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "State", layout: "tight", cell: (trap) => <StateOf trap={trap} now={now} /> },
  ];
}
