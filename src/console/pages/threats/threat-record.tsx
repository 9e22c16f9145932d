import { describeActor } from "../../../access/audit/actor.ts";
import type { RecordedEvent } from "../../../events/event-log.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted } from "../../../lib/wording.ts";
import type { DatedChange } from "../../../threats/history.ts";
import { noteCharactersMax, type Note } from "../../../threats/notes.ts";
import type { Threat } from "../../../threats/queries.ts";
import type { Delivery } from "../../../webhooks/deliveries.ts";
import { DeliveryBadge } from "../webhooks/delivery-parts.tsx";
import { Button, Form, TextArea } from "../../kit/form.tsx";
import { Time } from "../../kit/kit.tsx";
import { Text } from "../../kit/name.tsx";
import { deliveryPath } from "../../kit/paths.ts";
import { Empty } from "../../kit/table.tsx";
import { inWords } from "../../kit/labels.ts";

const changesShownMax = 30;
const valueCharactersMax = 120;

/** What changed and who decided, in one line of time, newest first. */
export function TimeLine({ threat, history }: { threat: Threat; history: readonly DatedChange[] }) {
  const groups = together(history);
  const shown = groups.slice(0, changesShownMax);
  const left = groups.slice(changesShownMax).flat().length;
  return (
    <>
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
        {left > 0 ? <li>{left} older changes are in the evidence.</li> : null}
        <li>
          <Time at={threat.createdAt} />
          <div>recorded, from {inWords(threat.source)}</div>
        </li>
        <li>
          <Time at={threat.firstSeen} />
          <div>first seen</div>
        </li>
      </ol>
    </>
  );
}

/** What one look found out belongs together; a decision stands alone. */
function together(history: readonly DatedChange[]): DatedChange[][] {
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
      "nothing"
    ) : (
      <Text text={field === "status" ? inWords(text) : text} charactersMax={valueCharactersMax} />
    );
  // What nothing was known of before has only become known.
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
  refused,
}: {
  path: string;
  notes: readonly Note[];
  /** What was not taken, and why. */
  refused: { text: string; message: string } | undefined;
}) {
  const shown = notes.slice(-notesShownMax);
  return (
    <>
      {notes.length > shown.length ? (
        <p class="hint">{notes.length - shown.length} older notes are in the evidence.</p>
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
      <Form action={path}>
        <TextArea
          label={notes.length === 0 ? "Write a note for whoever looks at it next" : "Another note"}
          name="text"
          rows={3}
          maxLength={noteCharactersMax}
          value={refused?.text ?? ""}
          error={refused?.message}
        />
        <Button label="Keep note" variant="secondary" />
      </Form>
    </>
  );
}

/** What webhooks were told of the threat, and whether it came through. */
export function Events({
  events,
  deliveries,
}: {
  events: readonly RecordedEvent[];
  deliveries: readonly Delivery[];
}) {
  if (events.length === 0) return <Empty>No event is kept any more: see retention.events.</Empty>;
  return (
    <ul class="plain events">
      {events.map((event) => {
        const sent = deliveries.filter(({ eventId }) => eventId === event.id);
        return (
          <li>
            <Time at={event.createdAt} /> <code>{event.type}</code>{" "}
            {sent.length === 0 ? (
              <span class="hint">{event.dispatched ? "no webhook wants it" : "waits to be handed out"}</span>
            ) : (
              sent.map((delivery) => <Sent delivery={delivery} />)
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Sent({ delivery: { id, endpointName, status, attempts } }: { delivery: Delivery }) {
  return (
    <span class="sent">
      <a href={deliveryPath(id)}>
        <bdi>{visible(endpointName, 60)}</bdi>
      </a>{" "}
      <DeliveryBadge status={status} />
      {status === "succeeded" && attempts <= 1 ? null : (
        <span class="hint"> {counted(attempts, "attempt")}</span>
      )}
    </span>
  );
}
