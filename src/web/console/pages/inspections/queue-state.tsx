import type { InspectionStatus } from "../../../../facts/inspection/inspections.ts";
import { counted, grouped, sentence } from "../../../../platform/lib/wording.ts";
import { Time } from "../../kit/components.tsx";
import { Note } from "../../kit/marks.tsx";

/** Says that nothing is fetched, or that the budget of the day is used up. */
export function QueueNote({ status: { disabled, waiting, budget } }: { status: InspectionStatus }) {
  if (disabled !== null)
    return (
      <Note tone="warn" title="Pages are not inspected">
        {sentence(disabled)} Names are still checked. To inspect pages, set{" "}
        <code>lookups.enabled = true</code> in the configuration file.
      </Note>
    );
  const unattended = waiting.submission + waiting.feed;
  if (budget.day.used < budget.day.max || unattended === 0) return null;
  return (
    <Note tone="warn" title="The budget of today is used up">
      {counted(unattended, "address", "addresses")} of feeds, programs and long lists wait until{" "}
      <Time at={budget.day.endsAt} />. The first addresses that a person enters do not wait for it. To inspect
      more per day, raise <code>inspection.per_day</code>.
    </Note>
  );
}

/** States in one line what waits, and how much is opened. */
export function QueueLine({ status }: { status: InspectionStatus }) {
  const { disabled, waiting, running, budget, oldestAt } = status;
  const total = waiting.person + waiting.submission + waiting.feed;
  if (disabled !== null) return null;
  return (
    <p class="s quiet">
      {total === 0 ? "Nothing waits." : <Waiting status={status} />}
      {running === 0 ? "" : ` ${counted(running, "page is", "pages are")} being inspected.`}{" "}
      {grouped(budget.day.used)} of {grouped(budget.day.max)} today (UTC), at most{" "}
      {grouped(budget.minute.max)} per minute.
      {total === 0 || oldestAt === null ? null : (
        <>
          {" "}
          The longest wait began <Time at={oldestAt} relative />.
        </>
      )}
    </p>
  );
}

function Waiting({ status: { waiting } }: { status: InspectionStatus }) {
  const { person, submission, feed } = waiting;
  const kinds = [
    { count: person, words: "entered by people" },
    { count: submission, words: "of programs and long lists" },
    { count: feed, words: "of feeds" },
  ].filter(({ count }) => count > 0);
  const [only] = kinds;
  const total = person + submission + feed;
  const wait = total === 1 ? "waits" : "wait";
  if (kinds.length === 1 && only !== undefined)
    return <>{`${counted(total, "address", "addresses")} ${only.words} ${wait}.`}</>;
  const parts = kinds.map(({ count, words }) => `${grouped(count)} ${words}`);
  return <>{`${counted(total, "address", "addresses")} ${wait}: ${parts.join(", then ")}.`}</>;
}
