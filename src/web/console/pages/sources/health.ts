import type { Instant } from "../../../../platform/lib/clock.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import { describeActor } from "../../../../access/audit/actor.ts";
import type { Pause } from "../../../../intake/sources/pauses/source-pauses.ts";
import { describeOverdue, type SourceStatus } from "../../../../intake/sources/source.ts";
import { type Tone } from "../../kit/marks.tsx";
import { relativeAge } from "../../kit/times.ts";

const problemCharactersMax = 400;

/** State of a source in words. */
export interface Health {
  tone: Tone;
  /** One or two words. */
  label: string;
  /** The problem and what to do about it; null if there is none. */
  problem: { what: string; advice: string | null } | null;
}

/** A source without a problem. */
const working = {
  waiting: { tone: "neutral", label: "Waiting" },
  watching: { tone: "good", label: "Healthy" },
  reading: { tone: "live", label: "Reading" },
} as const;

/** Describes the health of a source; the first problem counts. */
export function healthOf(
  { state, problem, overdue }: Pick<SourceStatus, "state" | "problem" | "overdue">,
  pause: Pause | undefined,
  now: Instant,
): Health {
  if (state === "paused" || pause !== undefined) {
    const who =
      pause === undefined
        ? ""
        : ` ${relativeAge(pause.at, now)} by ${describeActor({ ...pause.by, address: null })}`;
    const advice = "It reads nothing and keeps its position. Resume it to read what has arrived since.";
    return { tone: "neutral", label: "Paused", problem: { what: `Paused${who}.`, advice } };
  }
  if (state === "unavailable") {
    const what =
      problem === null
        ? "Nothing can be read."
        : sentence(`not readable: ${visible(problem, problemCharactersMax)}`);
    const advice = "Check its settings in the configuration file, and what phishwatch may read or reach.";
    return { tone: "bad", label: "Unavailable", problem: { what, advice } };
  }
  if (overdue !== null) {
    const advice = "Check whether the provider still publishes, and whether the list still gets here.";
    const silence = sentence(describeOverdue(overdue));
    // A problem is probably the reason of the silence.
    const what = problem === null ? silence : `${ended(visible(problem, problemCharactersMax))} ${silence}`;
    return { tone: "bad", label: "Overdue", problem: { what, advice } };
  }
  if (problem !== null)
    return {
      tone: "warn",
      label: "Problem",
      problem: {
        what: ended(visible(problem, problemCharactersMax)),
        advice: null,
      },
    };
  return { ...working[state], problem: null };
}

/** Ends a text with a period. It may begin with the name of a file, which keeps its case. */
function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
