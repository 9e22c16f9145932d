import { grouped } from "../../../../platform/lib/wording.ts";
import { describeFilter, type List } from "../../../../response/outputs/block-lists/list.ts";
import { EntryLink, LinkButton, Time, FirstStep } from "../../kit/components.tsx";
import { StateMark, Text } from "../../kit/inline.tsx";
import { page } from "../../kit/page-result.ts";
import { listPath, listsPath as path } from "../../kit/paths.ts";
import { column, ListTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

export function listLists({ services: { lists } }: Context<"lists">) {
  const rows = lists.list();
  return page(
    {
      title: "Block lists",
      lead: "Lists of threats that resolvers, firewalls and ad blockers fetch from an address.",
      actions: <LinkButton path={`${path}/add`} label="Add list" icon="plus" variant="primary" />,
    },
    <ListTable
      caption="Block lists"
      columns={columns}
      rows={rows}
      empty={
        <>
          No lists yet.
          <FirstStep path={`${path}/add`} label="Add a list">
            to block phishing sites in your resolvers and firewalls.
          </FirstStep>
        </>
      }
    />,
  );
}

const columns: readonly Column<List>[] = [
  column("List", "title", (list) => <EntryLink path={listPath(list.id)} entry={list} />),
  column("Contains", "wide under", describeFilter),
  // Counted when the list was last published: counting all lists on each visit would read all threats.
  column("Names", "number end", ({ digest, names }) =>
    digest === "" ? (
      "–"
    ) : (
      <>
        {grouped(names)}
        <span class="unit"> {names === 1 ? "name" : "names"}</span>
      </>
    ),
  ),
  column("Changed", "tight hidden", ({ contentChangedAt, digest }) =>
    digest === "" ? "–" : <Time at={contentChangedAt} relative />,
  ),
  column("Last download", "hidden", (list) => <LastDownload list={list} />),
  column("State", "state", (list) => <ListState list={list} />),
];

export function ListState({ list: { enabled, disabledReason } }: { list: List }) {
  if (enabled) return <StateMark tone="good">Enabled</StateMark>;
  return (
    <>
      <StateMark tone="neutral" icon="pause">
        Disabled
      </StateMark>
      {disabledReason === "undeclared" ? <p>no longer declared</p> : null}
    </>
  );
}

export function LastDownload({ list: { fetchedAt, fetchedBy } }: { list: List }) {
  if (fetchedAt === null) return <>never</>;
  return (
    <>
      <Time at={fetchedAt} relative />
      {fetchedBy === null ? null : (
        <p>
          by <Text text={fetchedBy} charactersMax={60} />
        </p>
      )}
    </>
  );
}
