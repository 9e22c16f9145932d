import { describeActor, channelNames, actorChannels } from "../../../access/audit/actor.ts";
import { auditActions } from "../../../access/audit/actions.ts";
import { auditEntriesMax, type AuditEntry } from "../../../access/audit/audit-log.ts";
import { visible } from "../../../lib/safe-text.ts";
import { grouped } from "../../../lib/wording.ts";
import { page } from "../../kit/page-result.ts";
import { Select } from "../../kit/form.tsx";
import { PageHead, Time } from "../../kit/kit.tsx";
import { Text } from "../../kit/name.tsx";
import { auditPath } from "../../kit/paths.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { pageNumber, Pagination, Table, type Column } from "../../kit/table.tsx";
import { inWords } from "../../kit/labels.ts";

const perPage = 50;
const valueCharactersMax = 300;

/** Settings → Audit log. */
export const auditPages = pageGroup({
  nav: { section: "settings", label: "Audit log", path: auditPath },
  services: ["auditLog"],
  routes: [{ method: "GET", path: auditPath, permission: "read", run: showLog }],
});

function showLog({ query, services: { auditLog } }: Context<"auditLog">) {
  const action = auditActions.find((one) => one === query.get("action"));
  const channel = actorChannels.find((one) => one === query.get("via"));
  const filter = { action, channel };
  const number = pageNumber(query);
  const total = auditLog.count(filter);
  const rows = auditLog.list(filter, { limit: perPage, offset: (number - 1) * perPage });
  const isFiltered = action !== undefined || channel !== undefined;
  const columns: Column<AuditEntry>[] = [
    { title: "Time", look: "tight", cell: ({ at }) => <Time at={at} seconds /> },
    { title: "Who", cell: (entry) => <Text text={describeActor(entry)} /> },
    { title: "Act", look: "tight", cell: (entry) => labelOf(entry.action) },
    {
      title: "What",
      look: "wide",
      cell: ({ subject, detail }) => (
        <>
          {subject === null ? null : (
            <div>
              <Text text={subject} />
            </div>
          )}
          {facts(detail).map(([name, value]) => (
            <div class="hint">
              {inWords(name)}: <Text text={value} charactersMax={valueCharactersMax} />
            </div>
          ))}
        </>
      ),
    },
  ];
  return page(
    "Audit log",
    <>
      <PageHead
        title="Audit log"
        lead={`Every administrative act and every sign-in, from console, command line and configuration file; the latest ${grouped(auditEntriesMax)}. Times are UTC.`}
      />
      <form class="filters" method="get" action={auditPath} role="search">
        <Select
          label="Act"
          name="action"
          value={action ?? ""}
          choices={[
            { value: "", label: "all" },
            ...auditActions.map((one) => ({ value: one, label: labelOf(one) })),
          ]}
        />
        <Select
          label="From"
          name="via"
          value={channel ?? ""}
          choices={[
            { value: "", label: "everywhere" },
            ...actorChannels.map((one) => ({ value: one, label: channelNames[one] })),
          ]}
        />
        <button type="submit">Show</button>
      </form>
      <Table
        caption="Audit log"
        columns={columns}
        rows={rows}
        empty={isFiltered ? "Nothing of the kind was done." : "Nothing was done yet."}
      />
      <Pagination page={number} perPage={perPage} total={total} path={auditPath} query={query} />
    </>,
  );
}

/** `console.sign_in_failed` as `console: sign in failed`; an older log may hold acts that are not known any more. */
function labelOf(action: string): string {
  return visible(inWords(action).replace(".", ": "), 100);
}

/** Without what there is none of. */
function facts(detail: AuditEntry["detail"]): [name: string, value: string][] {
  return Object.entries(detail).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : String(value ?? "");
    return text === "" ? [] : [[name, text]];
  });
}
