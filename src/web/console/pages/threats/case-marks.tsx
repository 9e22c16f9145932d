import type { Instant } from "../../../../platform/lib/clock.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { usePage } from "../../kit/page-context.ts";
import { shortAge } from "../../kit/times.ts";

/** A due time is shown from this long before; until then, it is no news in a list. */
const dueSoonMs = 86_400_000;
const minuteMs = 60_000;
const nameCharactersMax = 40;

/** Fields of a threat, or of the threats of a campaign, that tell who has to do what by when. */
export interface Work {
  assignee: string | null;
  /** Earliest due time of what is not decided. */
  dueAt: Instant | null;
}

/** Returns whether a row of the list shows an assignee or a due time. */
export function hasWork({ assignee, dueAt }: Work, now: Instant): boolean {
  return assignee !== null || (dueAt !== null && dueAt - now < dueSoonMs);
}

/** Returns `2 d overdue`, `due in 5 h`, or `due now`. */
function dueText(dueAt: Instant, now: Instant): string {
  if (Math.abs(dueAt - now) < minuteMs) return "due now";
  return dueAt < now ? `${shortAge(dueAt, now)} overdue` : `due in ${shortAge(now, dueAt)}`;
}

/** The assignee, and the due time if it is near or past. */
export function WorkMarks({ assignee, dueAt }: Work) {
  const { now, reader } = usePage();
  if (!hasWork({ assignee, dueAt }, now)) return <div class="work" />;
  return (
    <div class="work">
      {assignee === null ? null : <span class="cut">{visible(assignee, nameCharactersMax)}</span>}
      {dueAt === null || dueAt - now >= dueSoonMs ? null : (
        <span class={dueAt < now ? "due over" : "due"} title={reader.times.plain(dueAt)}>
          {dueText(dueAt, now)}
        </span>
      )}
    </div>
  );
}
