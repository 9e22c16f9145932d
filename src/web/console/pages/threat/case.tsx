import type { Assignee, Case } from "../../../../response/cases/cases.ts";
import { toIsoTime, type Instant } from "../../../../platform/lib/clock.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { Threat } from "../../../../threats/threats/store/queries.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { Facts, Time, type Fact } from "../../kit/components.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { Button, Form, HiddenFields, PostButton, Select, TextField } from "../../kit/form.tsx";
import { StateMark, Text } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { assigneePath, duePath, threatPath } from "../../kit/paths.ts";
import { StatusMark, SiteMark } from "../../threat-kit/threat-marks.tsx";
import {
  accountChoices,
  assigneeValue,
  nobodyChoice,
  ownAssignee,
  assigneeLabel,
  readAssignee,
} from "../../threat-kit/assignee-field.ts";
import { attempt } from "../../kit/fields.ts";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import type { Context } from "../../shell/router.ts";
import { findThreat } from "./load.ts";
import { listPath, readListRequest } from "../../threat-kit/filters.ts";

const nameCharactersMax = 60;
const factCharactersMax = 160;

interface CaseDetailsProps {
  threat: Pick<Threat, "id" | "status">;
  found: Case;
  /** Accounts by name; those that are not available keep their threats. */
  assignees: readonly Assignee[];
  /** The fact that the state of the site follows from, or why there is none; text of strangers. */
  siteFact: string;
  /** Parameters of the view that the threat was opened from. */
  view: URLSearchParams;
  /** Whether this is part of the panel beside the list, to which its forms return. */
  inPanel?: boolean;
}

/**
 * The two axes of a threat, the team's assessment and the state of the site, with the assignee and the due time. The
 * panel shows the assessment above it, and has no forms.
 */
export function CaseDetails(props: CaseDetailsProps) {
  const { found, inPanel = false, siteFact, threat } = props;
  const rows: Fact[] = [
    !inPanel && ["Assessment", <StatusMark status={threat.status} />],
    [
      "Site",
      <>
        <SiteState found={found} inPanel={inPanel} />
        <div class="xs faint">
          <Text text={siteFact} charactersMax={factCharactersMax} />
        </div>
      </>,
    ],
    ["Assignee", <AssigneeOf {...props} />],
    ["Due", <DueTime dueAt={found.dueAt} status={threat.status} />],
  ];
  return (
    <div class="stack gap-s">
      <Facts facts={rows} />
      {inPanel ? null : <ChangeForms {...props} />}
    </div>
  );
}

function SiteState({
  found: { siteState, siteStateAt },
  inPanel,
}: Pick<CaseDetailsProps, "found" | "inPanel">) {
  return (
    <div class="line tight">
      <SiteMark site={siteState} />
      {siteState === null || siteStateAt === null ? null : (
        <span class="faint">
          since <Time at={siteStateAt} relative />
        </span>
      )}
      {inPanel === true ? null : <Help topic="site_state" />}
    </div>
  );
}

/** A due time; overdue ones are marked by a shape and a word. */
function DueTime({ dueAt, status }: { dueAt: Instant | null; status: Threat["status"] }) {
  const { now } = usePage();
  if (dueAt === null) return <span class="faint">{status === "active" ? "No due time" : "Closed"}</span>;
  if (dueAt > now) return <Time at={dueAt} relative="due" />;
  return (
    <StateMark tone="bad" icon="clock">
      Overdue, due <Time at={dueAt} relative />
    </StateMark>
  );
}

function AssigneeOf({ threat: { id }, found: { assignee }, view, inPanel }: CaseDetailsProps) {
  const { account } = usePage();
  const isMine = assignee !== null && assignee.name === account?.name;
  return (
    <div class="line tight">
      {assignee === null ? (
        <span class="faint">Nobody</span>
      ) : (
        <bdi>{visible(assignee.name, nameCharactersMax)}</bdi>
      )}
      {assignee?.isAvailable === false ? (
        <StateMark tone="warn">{assignee.isDisabled ? "Account disabled" : "May not decide"}</StateMark>
      ) : null}
      {isMine ? null : (
        <PostButton
          action={assigneePath(id)}
          label="Assign to me"
          fields={{ assignee: ownAssignee, ...returnFields(view, inPanel) }}
          variant="plain"
          small
        />
      )}
    </div>
  );
}

function ChangeForms({ threat: { id, status }, found, assignees, view }: CaseDetailsProps) {
  if (!usePage().mayOpen("POST", assigneePath(id))) return null;
  const { assignee, dueAt } = found;
  const back = returnFields(view);
  return (
    <details class="more">
      <summary>Change assignee or due time</summary>
      <div>
        <Form action={assigneePath(id)} class="stack gap-s">
          <HiddenFields fields={back} />
          <Select
            label="Assignee"
            name="assignee"
            choices={[nobodyChoice, ...accountChoices(assignees)]}
            value={assigneeValue(assignee)}
          />
          <div class="line">
            <Button label="Assign" small />
          </div>
        </Form>
        {status === "active" ? (
          <Form action={duePath(id)} class="stack gap-s">
            <HiddenFields fields={back} />
            <TextField
              label="Due"
              name="due"
              type="datetime-local"
              value={dueAt === null ? "" : toIsoTime(dueAt).slice(0, "2026-01-31T12:00".length)}
              hint="UTC. Leave empty for no due time."
            />
            <div class="line">
              <Button label="Set due time" small />
            </div>
          </Form>
        ) : null}
      </div>
    </details>
  );
}

function returnFields(view: URLSearchParams, inPanel = false): Record<string, string> {
  return { view: view.toString(), ...(inPanel ? { from: "panel" } : {}) };
}

type CaseContext = Context<"cases" | "threats">;

/** Assigns a threat to an account, or unassigns it. */
export async function assignThreat(context: CaseContext): Promise<PageResult> {
  const { services, form, by, account } = context;
  const { id, domain } = findThreat(context);
  return end(context, id, async () => {
    const assignee = readAssignee(form.get("assignee") ?? "", { account, cases: services.cases });
    const { changed } = await context.write(() => services.cases.assign([id], assignee?.seq ?? null, { by }));
    return changed === 0
      ? "The assignee is the same as before."
      : `${visible(domain, nameCharactersMax)} is assigned to ${assigneeLabel(assignee)}.`;
  });
}

/** Sets or removes the due time of a threat. */
export async function setDueTime(context: CaseContext): Promise<PageResult> {
  const { services, form, by } = context;
  const { id, domain } = findThreat(context);
  return end(context, id, async () => {
    const at = readTime(form.get("due") ?? "");
    const { changed, closed } = await context.write(() => services.cases.setDue([id], at, { by }));
    if (closed > 0) throw badRequest("Only active threats have a due time. Reactivate the threat first.");
    if (changed === 0) return "The due time is the same as before.";
    const name = visible(domain, nameCharactersMax);
    return at === null ? `${name} has no due time.` : `The due time of ${name} is set.`;
  });
}

/** Runs the change, and returns to the page or the panel that it was requested from. */
async function end(context: CaseContext, id: string, change: () => Promise<string>): Promise<PageResult> {
  const { form } = context;
  const { query: view } = readListRequest(new URLSearchParams(form.get("view") ?? ""), context);
  const back = form.get("from") === "panel" ? listPath(view, { open: id }) : threatPath(id, view);
  const done = await attempt(change);
  return redirect(back, done.ok ? done.value : { tone: "danger", text: done.message });
}

/** Reads the value of the field, which has no zone: it is UTC. Empty: none. */
function readTime(text: string): Instant | null {
  if (text === "") return null;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(at)) throw badRequest("Write the due time as 2026-01-31T12:00, in UTC.");
  return at;
}
