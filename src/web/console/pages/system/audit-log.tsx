import { auditActions, auditActionWords, type AuditAction } from "../../../../access/audit/actions.ts";
import { describeActor, channelNames, actorChannels } from "../../../../access/audit/actor.ts";
import { auditEntriesMax, type AuditEntry } from "../../../../access/audit/audit-log.ts";
import { dayMs } from "../../../../platform/lib/clock.ts";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { capitalized, counted, grouped } from "../../../../platform/lib/wording.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import {
  failedSignInCountsMax,
  otherNetworks,
  unknownNetwork,
  type FailedSignInsOfHour,
} from "../../../../access/audit/failed-sign-ins.ts";
import { LinkButton, Time, Separated } from "../../kit/components.tsx";
import { inWords, Text } from "../../kit/inline.tsx";
import { withoutEmpty } from "../../kit/fields.ts";
import { Button, choicesOf, FilterForm, Select, TextField } from "../../kit/form.tsx";
import { page, redirect } from "../../kit/page-result.ts";
import { auditPath, failedSignInsPath, pathWith } from "../../kit/paths.ts";
import { column, PagedTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

const valueCharactersMax = 300;
/** Maximum length of a name to filter by. */
const nameCharactersMax = 100;

export function showAuditLog(context: Context<"auditLog" | "deliveries" | "failedSignIns">) {
  const { query, now, services } = context;
  const { auditLog, deliveries, failedSignIns } = services;
  const short = withoutEmpty(query);
  if (short !== undefined) return redirect(pathWith(auditPath, short));
  const actions = [...new Set<AuditAction>([...auditActions, ...deliveries.auditActions()])];
  const action = actions.find((one) => one === query.get("action"));
  const channel = actorChannels.find((one) => one === query.get("via"));
  const name = query.get("by")?.trim().slice(0, nameCharactersMax) || undefined;
  const filter = { action, channel, name };
  const total = auditLog.count(filter);
  const isFiltered = action !== undefined || channel !== undefined || name !== undefined;
  return page(
    {
      title: "Audit log",
      lead: `Who changed what, in the console, on the command line and in the configuration file: the latest ${grouped(auditEntriesMax)} entries.`,
      actions: (
        <LinkButton
          path={failedSignInsPath}
          label={`${counted(failedSignIns.attemptsSince(now - dayMs), "failed sign-in")} in 24 hours`}
        />
      ),
    },
    <>
      <FilterForm action={auditPath}>
        <Select
          label="Action"
          name="action"
          any="all"
          value={action ?? ""}
          choices={choicesOf(actions, auditWords)}
        />
        <Select
          label="Channel"
          name="via"
          any="all"
          value={channel ?? ""}
          choices={choicesOf(actorChannels, (one) => channelNames[one])}
        />
        <TextField
          label="Account or key"
          name="by"
          type="search"
          value={name ?? ""}
          maxLength={nameCharactersMax}
        />
        <Button label="Filter" />
      </FilterForm>
      <PagedTable
        caption="Audit log"
        columns={columns}
        rowsIn={(range) => auditLog.list(filter, range)}
        total={total}
        empty={isFiltered ? "No matching entries." : "No entries yet."}
      />
    </>,
  );
}

const columns: readonly Column<AuditEntry>[] = [
  column("What", "wide title", (entry) => <What entry={entry} />),
  column("Who", "under", (entry) => <Text text={describeActor(entry)} />),
  column("When", "number end", ({ at }) => <Time at={at} relative />),
];

function What({ entry: { action, subject, detail } }: { entry: AuditEntry }) {
  const details = facts(detail);
  return (
    <>
      {capitalized(auditWords(action))}
      {subject === null ? null : (
        <>
          {" "}
          <b>
            <Text text={subject} />
          </b>
        </>
      )}
      {details.length === 0 ? null : (
        <p>
          <Separated items={details} by=" · ">
            {([name, value]) => (
              <>
                {inWords(name)} <Text text={value} charactersMax={valueCharactersMax} />
              </>
            )}
          </Separated>
        </p>
      )}
    </>
  );
}

/** Returns the details that have a value. */
function facts(detail: AuditEntry["detail"]): [name: string, value: string][] {
  return Object.entries(detail).flatMap(([name, value]) => {
    const isSize = typeof value === "number" && /(^|_)bytes$/.test(name);
    const plain = Array.isArray(value) ? value.join(", ") : String(value ?? "");
    const text = isSize ? bytesText(value) : plain;
    return text === "" ? [] : [[name === "bytes" ? "size" : name.replace(/_bytes$/, ""), text]];
  });
}

/** Describes an action for a sentence that its object completes. An action of an earlier version is shown as it is. */
export function auditWords(action: string): string {
  return auditActionWords[action] ?? visible(inWords(action).replace(".", ": "), 100);
}

const failureColumns: readonly Column<FailedSignInsOfHour>[] = [
  column("Hour", "tight under", ({ hour }) => <Time at={hour} />),
  column("Network", "title", ({ network }) => <Text text={labelOf(network)} />),
  column("Attempts", "number state", ({ attempts }) => grouped(attempts)),
  column("First", "tight hidden", ({ firstAt }) => <Time at={firstAt} seconds />),
  column("Last", "tight end", ({ lastAt }) => <Time at={lastAt} relative />),
  column("Last address", "hidden", ({ address }) => <Text text={address ?? "unknown"} />),
];

export function showFailedSignIns({ services: { failedSignIns } }: Context<"failedSignIns">) {
  return page(
    {
      title: "Failed sign-ins",
      crumbs: [{ label: "Audit log", path: auditPath }],
      lead: `Wrong passwords, counted by network and hour: the latest ${grouped(failedSignInCountsMax)} counts.`,
    },
    <PagedTable
      caption="Failed sign-ins"
      columns={failureColumns}
      rowsIn={(range) => failedSignIns.list(range)}
      total={failedSignIns.count()}
      empty="No failed sign-ins."
    />,
  );
}

function labelOf(network: string): string {
  if (network === otherNetworks) return "other networks";
  return network === unknownNetwork ? "unknown" : network;
}
