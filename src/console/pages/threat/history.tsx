import { describeActor } from "../../../access/audit/actor.ts";
import type { Delivery } from "../../../deliveries/delivery-log.ts";
import type { RecordedEvent } from "../../../events/event-log.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted } from "../../../lib/wording.ts";
import type { Threat } from "../../../threats/store/queries.ts";
import type { DatedChange } from "../../../threats/triage/history.ts";
import { noteCharactersMax, type Note } from "../../../threats/triage/notes.ts";
import { Time } from "../../kit/components.tsx";
import { Button, Form, TextArea } from "../../kit/form.tsx";
import { inWords } from "../../kit/labels.ts";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { deliveryPath } from "../../kit/paths.ts";
import { Empty } from "../../kit/table.tsx";
import { DeliveryBadge } from "../deliveries/delivery-parts.tsx";

const changesShownMax = 30;
const valueCharactersMax = 120;

/** Changes and decisions in one timeline, newest first. */
export function Timeline({ threat, history }: { threat: Threat; history: readonly DatedChange[] }) {
  const groups = groupChanges(history);
  const shown = groups.slice(0, changesShownMax);
  const left = groups.slice(changesShownMax).flat().length;
  return (
    <ol class="time-line">
      {shown.map((changes) => (
        <li class={changes[0]!.by === null ? undefined : "decision"}>
          <Time at={changes[0]!.at} />
          <ul class="plain">
            {changes.map((change) => (
              <li>
                <Change change={change} />
              </li>
            ))}
          </ul>
        </li>
      ))}
      {left > 0 ? (
        <li>{counted(left, "older change is", "older changes are")} in the evidence bundle.</li>
      ) : null}
      <li>
        <Time at={threat.createdAt} />
        <div>recorded (source: {inWords(threat.source)})</div>
      </li>
      <li>
        <Time at={threat.firstSeen} />
        <div>first seen</div>
      </li>
    </ol>
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

function Change({ change: { field, before, after, by } }: { change: DatedChange }) {
  const value = (text: string | null) =>
    text === null ? (
      "none"
    ) : (
      <Text text={field === "status" ? inWords(text) : text} charactersMax={valueCharactersMax} />
    );
  // A first known value is not shown as a change from nothing.
  const from = by === null && before === null ? null : <>{value(before)} → </>;
  return (
    <>
      {by === null ? field : <strong>{field}</strong>}: {from}
      {value(after)}
      {by === null ? null : (
        <>
          {" "}
          <span class="hint">
            decided by <Text text={describeActor(by)} />
          </span>
        </>
      )}
    </>
  );
}

const notesShownMax = 10;

export function Notes({
  path,
  notes,
  rejected,
}: {
  path: string;
  notes: readonly Note[];
  /** The note that could not be saved, with the reason. */
  rejected: { text: string; message: string } | undefined;
}) {
  const { may } = usePage();
  const shown = notes.slice(-notesShownMax);
  return (
    <>
      {notes.length > shown.length ? (
        <p class="hint">
          {counted(notes.length - shown.length, "older note is", "older notes are")} in the evidence bundle.
        </p>
      ) : null}
      {shown.map((note) => (
        <article class="note">
          <p class="hint">
            <Time at={note.at} /> · <Text text={describeActor(note.by)} />
          </p>
          {note.text.split("\n").map((line) => (
            <p>
              <Text text={line} charactersMax={noteCharactersMax} />
            </p>
          ))}
        </article>
      ))}
      {may("annotate") ? (
        <Form action={path}>
          <TextArea
            label={notes.length === 0 ? "Add a note for your team" : "Add another note"}
            name="text"
            rows={3}
            maxLength={noteCharactersMax}
            value={rejected?.text ?? ""}
            error={rejected?.message}
          />
          <Button label="Add note" />
        </Form>
      ) : null}
    </>
  );
}

/** Events of the threat and their deliveries to webhook endpoints. */
export function EventList({
  events,
  deliveries,
}: {
  events: readonly RecordedEvent[];
  deliveries: readonly Delivery[];
}) {
  if (events.length === 0)
    return <Empty>No stored events. Old events are deleted after retention.events.</Empty>;
  return (
    <ul class="plain events">
      {events.map((event) => {
        const sent = deliveries.filter(({ eventId }) => eventId === event.id);
        return (
          <li>
            <Time at={event.createdAt} /> <code>{event.type}</code>{" "}
            {sent.length === 0 ? (
              <span class="hint">{event.dispatched ? "no subscribed endpoint" : "queued"}</span>
            ) : (
              sent.map((delivery) => <DeliveryLink delivery={delivery} />)
            )}
          </li>
        );
      })}
    </ul>
  );
}

function DeliveryLink({ delivery }: { delivery: Delivery }) {
  const { recipientName, status, attempts } = delivery;
  return (
    <span class="sent">
      <a href={deliveryPath(delivery)}>
        <bdi>{visible(recipientName, 60)}</bdi>
      </a>{" "}
      <DeliveryBadge status={status} />
      {status === "succeeded" && attempts <= 1 ? null : (
        <span class="hint"> {counted(attempts, "attempt")}</span>
      )}
    </span>
  );
}
