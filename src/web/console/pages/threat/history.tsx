import type { ComponentChildren } from "preact";
import type { ListedReport } from "../../../../response/cases/takedowns/lists.ts";
import { describeActor, type Actor } from "../../../../access/audit/actor.ts";
import type { Delivery } from "../../../../messaging/deliveries/delivery-log.ts";
import type { RecordedEvent } from "../../../../threats/events/event-log.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { capitalized, counted } from "../../../../platform/lib/wording.ts";
import type { Threat } from "../../../../threats/threats/store/queries.ts";
import type { DatedChange } from "../../../../threats/threats/triage/history.ts";
import { noteCharactersMax, type Note } from "../../../../threats/threats/triage/notes.ts";
import type { Status } from "../../../../platform/vocabulary/threats.ts";
import { Card, LinkButton, Time } from "../../kit/components.tsx";
import { Button, Form, HiddenFields, TextArea } from "../../kit/form.tsx";
import { Icon, type IconName, inWords, Text } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { deliveryPath, newReportPath, takedownPath } from "../../kit/paths.ts";
import { DeliveryMark, NextMark, purposeLabels, RecipientName } from "../../threat-kit/takedown-parts.tsx";
import weightyFacts from "./weighty-facts.json" with { type: "json" };
import { DeliveryBadge } from "../../delivery-kit/delivery-parts.tsx";

/** Number of entries that are shown at once; the rest are behind a link. */
const entriesShownMax = 8;
const olderShownMax = 40;
const valueCharactersMax = 120;
const sameMomentMs = 60_000;

/** A note, a decision, what a check found, or what was recorded. */
interface Entry {
  at: Instant;
  icon: IconName;
  isOurs?: boolean;
  content: ComponentChildren;
}

/** Notes and changes in one timeline, newest first. */
export function Timeline(props: { threat: Threat; history: readonly DatedChange[]; notes: readonly Note[] }) {
  const { threat, history, notes } = props;
  const entries: Entry[] = [
    ...notes.map(noteEntry),
    ...groupChanges(history).map(changeEntry),
    ...sightings(threat),
  ];
  const newestFirst = entries.toSorted((a, b) => b.at - a.at);
  const [shown, older] = [newestFirst.slice(0, entriesShownMax), newestFirst.slice(entriesShownMax)];
  const left = older.length - olderShownMax;
  return (
    <>
      <ol class="flow after-form">{shown.map(flowEntry)}</ol>
      {older.length === 0 ? null : (
        <details class="more">
          <summary>{counted(older.length, "older entry", "older entries")}</summary>
          <ol class="flow">{older.slice(0, olderShownMax).map(flowEntry)}</ol>
          {left <= 0 ? null : (
            <p class="s quiet">
              {counted(left, "older entry is", "older entries are")} in the evidence bundle.
            </p>
          )}
        </details>
      )}
    </>
  );
}

/** A source may report when it saw a name long before it was recorded. */
function sightings({ createdAt, firstSeen, source }: Threat): Entry[] {
  const from = `(source: ${inWords(source)})`;
  const seen = { at: firstSeen, icon: "threat" } as const;
  if (createdAt - firstSeen < sameMomentMs) return [{ ...seen, content: `First seen ${from}` }];
  return [
    { at: createdAt, icon: "plus", content: `Recorded ${from}` },
    { ...seen, content: "First seen" },
  ];
}

function flowEntry({ at, content, icon, isOurs = false }: Entry) {
  return (
    <li>
      <span class={isOurs ? "dot on" : "dot"}>
        <Icon name={icon} />
      </span>
      <div class="line tight">
        <div>{content}</div>
        <span class="push faint">
          <Time at={at} relative="short" />
        </span>
      </div>
    </li>
  );
}

function noteEntry({ at, by, text }: Note): Entry {
  return {
    at,
    icon: "note",
    content: (
      <>
        <Who by={by} /> added a note
        <div class="said">
          {text.split("\n").map((line) => (
            <p>
              <Text text={line} charactersMax={noteCharactersMax} />
            </p>
          ))}
        </div>
      </>
    ),
  };
}

function Who({ by }: { by: Actor }) {
  const who = describeActor(by);
  // The name of an account is written as it is.
  return (
    <b>
      <Text text={by.channel === "console" && by.name !== null ? who : capitalized(who)} />
    </b>
  );
}

/** Groups the changes that one check found; decisions stay separate. */
function groupChanges(history: readonly DatedChange[]): DatedChange[][] {
  const groups: DatedChange[][] = [];
  for (const change of history) {
    const last = groups.at(-1);
    const first = last?.[0];
    if (last !== undefined && first?.by === null && change.by === null && first.at === change.at)
      last.push(change);
    else groups.push([change]);
  }
  return groups;
}

/** Facts by how much they say about a threat. A first check finds a dozen at once. */
const weighty: readonly { field: string; icon?: string }[] = weightyFacts;
const changesShownMax = 4;

function weightOf({ field }: DatedChange): number {
  const index = weighty.findIndex((fact) => fact.field === field);
  return index === -1 ? weighty.length : index;
}

function changeEntry(changes: readonly DatedChange[]): Entry {
  const first = changes[0]!;
  const { at, by } = first;
  const isOurs = by !== null;
  const teamIcon = teamChangeIcon(first);
  if (by !== null && teamIcon !== undefined)
    return {
      at,
      isOurs,
      icon: teamIcon,
      content: (
        <>
          <Who by={by} /> <TeamChange change={first} />
        </>
      ),
    };
  const byWeight = changes.toSorted((a, b) => weightOf(a) - weightOf(b));
  const shown = byWeight.slice(0, changesShownMax);
  const left = changes.length - shown.length;
  const icon = byWeight.map((change) => weighty[weightOf(change)]?.icon).find((found) => found !== undefined);
  return {
    at,
    isOurs,
    icon: (icon as IconName | undefined) ?? "scan",
    content: (
      <ul>
        {shown.map((change) => (
          <li>
            <Change change={change} />
          </li>
        ))}
        {left > 0 ? <li class="faint">and {counted(left, "more fact")}</li> : null}
      </ul>
    ),
  };
}

/** A change of a fact: a first value, a new one, or none any more. */
function Change({ change: { after, before, by, field } }: { change: DatedChange }) {
  const value = (text: string) => <Text text={inWords(text)} charactersMax={valueCharactersMax} />;
  const name = capitalized(field);
  return (
    <>
      {by === null ? null : <Who by={by} />} {name}:{" "}
      {after !== null && before !== null ? <>{value(before)} → </> : null}
      {after === null ? "none" : value(after)}
    </>
  );
}

/** A form for a note, for those who may write one. */
export function NoteForm(props: {
  path: string;
  view: URLSearchParams;
  /** The note that could not be saved, with the reason. */
  rejected: { text: string; message: string } | undefined;
}) {
  const { path, view, rejected } = props;
  if (!usePage().may("annotate")) return null;
  return (
    <Form action={path} class="stack gap-s">
      <HiddenFields fields={{ view: view.toString() }} />
      <TextArea
        label="Add a note"
        name="text"
        rows={2}
        maxLength={noteCharactersMax}
        value={rejected?.text ?? ""}
        error={rejected?.message}
      />
      <div class="line">
        <Button label="Add note" small />
      </div>
    </Form>
  );
}

/** Events of the threat, newest first, with who was sent each. */
export function Deliveries(props: { events: readonly RecordedEvent[]; deliveries: readonly Delivery[] }) {
  const { events, deliveries } = props;
  if (events.length === 0)
    return <p class="s quiet">No stored events. Old events are deleted after retention.events.</p>;
  return (
    <ul class="stack gap-s s">
      {events.map((event) => (
        <li>
          <div class="line tight">
            <code>{event.type}</code>
            <span class="push faint">
              <Time at={event.createdAt} relative="short" />
            </span>
          </div>
          <Recipients event={event} sent={deliveries.filter(({ eventId }) => eventId === event.id)} />
        </li>
      ))}
    </ul>
  );
}

function Recipients({ event, sent }: { event: RecordedEvent; sent: readonly Delivery[] }) {
  const none = event.dispatched ? "No subscribed endpoint" : "Queued";
  if (sent.length === 0) return <p class="faint xs">{none}</p>;
  return (
    <ul>
      {sent.map((delivery) => (
        <li class="line">
          <a href={deliveryPath(delivery)}>
            <bdi>{visible(delivery.recipientName, 60)}</bdi>
          </a>{" "}
          <DeliveryBadge status={delivery.status} />
          {delivery.status === "succeeded" && delivery.attempts <= 1 ? null : (
            <span class="faint xs">{counted(delivery.attempts, "attempt")}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

const nameCharactersMax = 60;
const decided: Record<Status, string> = {
  active: "reactivated it",
  resolved: "resolved it",
  false_positive: "marked it as a false positive",
};

/** Returns the icon of a change that people make; undefined for other fields. */
function teamChangeIcon({ after, field }: DatedChange): IconName | undefined {
  if (field === "status") return after === "active" ? "undo" : "check";
  if (field === "assignee") return "people";
  return field === "due" ? "clock" : undefined;
}

/** A decision, an assignment or a due time, in words that follow the name of the person. */
function TeamChange({ change: { after, field } }: { change: DatedChange }) {
  if (field === "status") return <>{decided[after as Status] ?? inWords(after ?? "")}</>;
  if (field === "assignee")
    return after === null ? (
      <>unassigned it</>
    ) : (
      <>
        assigned it to <Text text={after} charactersMax={nameCharactersMax} />
      </>
    );
  const at = Date.parse(after ?? "");
  if (Number.isNaN(at)) return <>removed the due time</>;
  return (
    <>
      set the due time to <Time at={at} />
    </>
  );
}

/** Reports beyond these are folded, so that what follows stays in view. */
const reportsShownMax = 5;

/** The reports of a threat, newest first, and the way to a new one. */
export function Reports({ reports, threatId }: { reports: readonly ListedReport[]; threatId: string }) {
  const newest = reports.toReversed();
  return (
    <Card
      title="Reports"
      id="report"
      aside={<LinkButton path={newReportPath([threatId])} label="Report" icon="send" small />}
    >
      {reports.length === 0 ? (
        <p class="quiet">
          Not reported yet. A report goes to the registrar, the hosting provider or others who can take the
          site down, with the evidence.
        </p>
      ) : (
        <>
          <ReportList reports={newest.slice(0, reportsShownMax)} />
          {newest.length <= reportsShownMax ? null : (
            <details class="more">
              <summary>{counted(newest.length - reportsShownMax, "earlier report")}</summary>
              <ReportList reports={newest.slice(reportsShownMax)} />
            </details>
          )}
        </>
      )}
    </Card>
  );
}

function ReportList({ reports }: { reports: readonly ListedReport[] }) {
  return (
    <ul class="stack gap-s">
      {reports.map(({ next, report }) => (
        <li>
          <div class="line">
            <span>
              <a href={takedownPath(report.seq)}>{purposeLabels[report.purpose]}</a> to{" "}
              <RecipientName recipient={report.recipient} />
            </span>
            <NextMark next={next} />
          </div>
          <p class="line s quiet">
            <Time at={report.createdAt} relative />
            <DeliveryMark report={report} />
          </p>
        </li>
      ))}
    </ul>
  );
}
