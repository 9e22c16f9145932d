import { auditActions, type AuditAction } from "../../../access/audit/actions.ts";
import { describeActor, channelNames, actorChannels } from "../../../access/audit/actor.ts";
import { auditEntriesMax, type AuditEntry } from "../../../access/audit/audit-log.ts";
import { dayMs } from "../../../lib/clock.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import { PageHead, Time } from "../../kit/components.tsx";
import { withoutEmpty } from "../../kit/fields.ts";
import { Select } from "../../kit/form.tsx";
import { inWords } from "../../kit/labels.ts";
import { Text } from "../../kit/name.tsx";
import { page, redirect } from "../../kit/page-result.ts";
import { auditPath, failedSignInsPath } from "../../kit/paths.ts";
import { PagedTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

const perPage = 50;
const valueCharactersMax = 300;

export function showAuditLog({
  query,
  now,
  services: { auditLog, deliveries, failedSignIns },
}: Context<"auditLog" | "deliveries" | "failedSignIns">) {
  const short = withoutEmpty(query);
  if (short !== undefined) return redirect(`${auditPath}${short.size === 0 ? "" : `?${short}`}`);
  const actions = [...new Set<AuditAction>([...auditActions, ...deliveries.auditActions()])];
  const action = actions.find((one) => one === query.get("action"));
  const channel = actorChannels.find((one) => one === query.get("via"));
  const filter = { action, channel };
  const total = auditLog.count(filter);
  const isFiltered = action !== undefined || channel !== undefined;
  const columns: Column<AuditEntry>[] = [
    { title: "Time", layout: "tight", cell: ({ at }) => <Time at={at} seconds /> },
    { title: "Actor", cell: (entry) => <Text text={describeActor(entry)} /> },
    { title: "Action", layout: "tight", cell: (entry) => labelOf(entry.action) },
    {
      title: "Details",
      layout: "wide",
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
        lead={`Administrative actions and sign-ins from the console, command line, and configuration file: the latest ${grouped(auditEntriesMax)}. Times are UTC.`}
      />
      <p class="prose">
        <a href={failedSignInsPath}>
          {counted(failedSignIns.attemptsSince(now - dayMs), "failed sign-in")} in the last 24 hours
        </a>
      </p>
      <form class="line filters" method="get" action={auditPath} role="search">
        <Select
          label="Action"
          name="action"
          value={action ?? ""}
          choices={[
            { value: "", label: "all" },
            ...actions.map((one) => ({ value: one, label: labelOf(one) })),
          ]}
        />
        <Select
          label="Channel"
          name="via"
          value={channel ?? ""}
          choices={[
            { value: "", label: "all" },
            ...actorChannels.map((one) => ({ value: one, label: channelNames[one] })),
          ]}
        />
        <button type="submit" class="btn">
          Filter
        </button>
      </form>
      <PagedTable
        caption="Audit log"
        columns={columns}
        rowsIn={(range) => auditLog.list(filter, range)}
        total={total}
        perPage={perPage}
        path={auditPath}
        query={query}
        empty={isFiltered ? "No matching entries." : "No entries yet."}
      />
    </>,
  );
}

/** Formats `console.sign_in` as `console: sign in`. Older logs may hold actions that no longer exist. */
function labelOf(action: string): string {
  return visible(inWords(action).replace(".", ": "), 100);
}

/** Returns the details that have a value. */
function facts(detail: AuditEntry["detail"]): [name: string, value: string][] {
  return Object.entries(detail).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : String(value ?? "");
    return text === "" ? [] : [[name, text]];
  });
}
