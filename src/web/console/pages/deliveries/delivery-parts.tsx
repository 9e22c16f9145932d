import type { Attempt, Delivery } from "../../../../messaging/deliveries/delivery-log.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { isMessage } from "../../../../messaging/content/sent-message.ts";
import type { DeliveryStatus } from "../../../../platform/vocabulary/deliveries.ts";
import { Time } from "../../kit/components.tsx";
import { StateMark, type Tone } from "../../kit/marks.tsx";
import type { IconName } from "../../kit/icons.tsx";
import { inWords } from "../../kit/labels.ts";
import { Text } from "../../kit/name.tsx";
import { column, Table, type Column } from "../../kit/table.tsx";
import { resultOf } from "./outcome.ts";

const statusBadges: Record<DeliveryStatus, { tone: Tone; icon?: IconName; label: string }> = {
  failed: { tone: "bad", label: "Failed" },
  pending: { tone: "warn", icon: "clock", label: "Queued" },
  succeeded: { tone: "good", label: "Delivered" },
};
/** Choices of a filter, those that need attention first. */
export const statusChoices = Object.entries(statusBadges).map(([value, { label }]) => ({ value, label }));

export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  const { label, ...look } = statusBadges[status];
  return <StateMark {...look}>{label}</StateMark>;
}

/**
 * Outcome of a delivery, or its next step.
 * @param attemptsMade number of all attempts, also those before it was sent again
 */
export function NextStep({ delivery, attemptsMade }: { delivery: Delivery; attemptsMade: number }) {
  const { status, attempts, nextAttemptAt, completedAt } = delivery;
  const isSentAgain = attemptsMade > attempts;
  const when = completedAt === null ? null : <Time at={completedAt} relative />;
  if (status === "succeeded")
    return (
      <>
        {attemptsMade <= 1 ? "At the first attempt" : `At attempt ${grouped(attemptsMade)}`}
        {isSentAgain ? `, ${ordinal(attempts)} since it was sent again` : ""}, {when}
      </>
    );
  if (status === "failed")
    return (
      <>
        After {counted(attemptsMade, "attempt")}
        {isSentAgain ? `, ${grouped(attempts)} of them since it was sent again` : ""}, {when}. It is not
        retried.
      </>
    );
  if (nextAttemptAt === null)
    return <>Waits until the {isMessage(delivery) ? "channel" : "endpoint"} is enabled.</>;
  return (
    <>
      {attemptsMade === 0 ? "First attempt" : `${counted(attemptsMade, "attempt")} failed. Next attempt`}{" "}
      <Time at={nextAttemptAt} relative="next" />
    </>
  );
}

function ordinal(attempts: number): string {
  return attempts <= 1 ? "the first" : `number ${grouped(attempts)}`;
}

/** Consecutive attempts with the same outcome. */
interface SameAttempts {
  first: Attempt;
  last: Attempt;
  count: number;
  durationsMs: { min: number; max: number };
}

/** Joins consecutive attempts with equal results and responses: a receiver that is down responds the same each time. */
function joinSame(attempts: readonly Attempt[]): SameAttempts[] {
  const groups: SameAttempts[] = [];
  for (const attempt of attempts) {
    const group = groups.at(-1);
    const { durationMs } = attempt;
    if (group === undefined || !isSame(group.first, attempt)) {
      const durationsMs = { min: durationMs, max: durationMs };
      groups.push({ first: attempt, last: attempt, count: 1, durationsMs });
      continue;
    }
    const { min, max } = group.durationsMs;
    group.durationsMs = { min: Math.min(min, durationMs), max: Math.max(max, durationMs) };
    group.last = attempt;
    group.count += 1;
  }
  return groups;
}

const comparedFields = ["statusCode", "failure", "error", "response", "address"] as const;
const isSame = (one: Attempt, other: Attempt) => comparedFields.every((field) => one[field] === other[field]);

const attemptColumns: Column<SameAttempts>[] = [
  column("Time", "title", ({ first, last, count }) => (
    <>
      <Time at={first.startedAt} seconds />
      {count === 1 ? null : (
        <p>
          to <Time at={last.startedAt} seconds />
        </p>
      )}
    </>
  )),
  column("Result", "tight state", ({ first, count }) => (
    <>
      <StateMark tone={first.failure === null ? "good" : "bad"}>
        {first.statusCode === null
          ? first.failure === null
            ? "Delivered"
            : inWords(first.failure)
          : resultOf(first)}
      </StateMark>
      {count === 1 ? null : <p>{counted(count, "equal attempt")}</p>}
    </>
  )),
  column("Duration", "number end", ({ durationsMs: { min, max } }) => (
    <span class="tight">{min === max ? `${grouped(min)} ms` : `${grouped(min)}–${grouped(max)} ms`}</span>
  )),
  column("Error and response", "wide under", ({ first: { error, response, address } }) => (
    <>
      {error === null ? null : (
        <div>
          <Text text={error} charactersMax={500} />
        </div>
      )}
      {address === null ? null : <div class="hint">to {address}</div>}
      <ResponseStart response={response} />
    </>
  )),
];

export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <Table caption="Attempts" columns={attemptColumns} rows={joinSame(attempts)} empty="No attempts yet." />
  );
}

const responseLinesMax = 20;

/** Start of a response, shown as text whatever it contains. */
export function ResponseStart({ response }: { response: string }) {
  // Hidden characters are stored escaped. Line breaks and tabs should be visible as such.
  const text = response
    .replaceAll(/(?:\\u\{d\})?\\u\{a\}/g, "\n")
    .replaceAll("\\u{9}", "\t")
    .trim();
  if (text === "") return null;
  const shown = text.split("\n").slice(0, responseLinesMax).join("\n");
  return (
    <pre class="response" tabIndex={0} aria-label="Start of the response">
      <bdi>{shown}</bdi>
    </pre>
  );
}
