import { grouped } from "../../../lib/wording.ts";
import { describeFilter, type List } from "../../../outputs/lists/list.ts";
import { EntryLink, LinkButton, PageHead, Time } from "../../kit/components.tsx";
import { page } from "../../kit/page-result.ts";
import { listPath, listsPath as path } from "../../kit/paths.ts";
import { PagedTable, pagesOf, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { LastDownload, ListState } from "./parts.tsx";

const perPage = 50;

export function listLists({ services: { lists }, query }: Context<"lists">) {
  const rows = lists.list();
  return page(
    "Block lists",
    <>
      <PageHead
        title="Block lists"
        lead="Lists of threats that resolvers, firewalls and ad blockers fetch from an address."
      >
        <LinkButton path={`${path}/add`} label="Add list" />
      </PageHead>
      <PagedTable
        caption="Block lists"
        columns={columns}
        rowsIn={pagesOf(rows)}
        total={rows.length}
        perPage={perPage}
        path={path}
        query={query}
        empty={
          <>
            No lists yet. <a href={`${path}/add`}>Add a list</a> to block phishing sites in your resolvers and
            firewalls.
          </>
        }
      />
    </>,
  );
}

const columns: readonly Column<List>[] = [
  {
    title: "Name",
    cell: (list) => <EntryLink path={listPath(list.id)} entry={list} />,
  },
  { title: "Contains", layout: "wide", cell: describeFilter },
  // Counted when the list was last published: counting all lists on each visit would read all threats.
  { title: "Names", layout: "number", cell: ({ digest, names }) => (digest === "" ? "–" : grouped(names)) },
  {
    title: "Changed",
    layout: "tight",
    cell: ({ contentChangedAt, digest }) => (digest === "" ? "–" : <Time at={contentChangedAt} relative />),
  },
  { title: "Last download", cell: (list) => <LastDownload list={list} /> },
  { title: "State", cell: (list) => <ListState list={list} /> },
];
