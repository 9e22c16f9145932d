import { grouped } from "../../../../platform/lib/wording.ts";
import type { Inspection } from "../../../../facts/inspection/inspections.ts";
import { Time } from "../../kit/components.tsx";
import { StateMark, Name, Text, inWords } from "../../kit/inline.tsx";

/** The result of an inspection, as a shape and a few words. */
export function OutcomeMark({ inspection }: { inspection: Inspection }) {
  const { imitates, protectedDomain, state } = inspection;
  const { tone, label } = outcomeOf(inspection);
  return (
    <StateMark tone={tone}>
      {label}
      {state === "done" && imitates === true && protectedDomain !== null ? (
        <>
          {" "}
          <Name name={protectedDomain} />
        </>
      ) : null}
    </StateMark>
  );
}

const outcomes = {
  queued: { tone: "live", label: "Waiting" },
  running: { tone: "live", label: "Inspecting" },
  failed: { tone: "warn", label: "Could not be opened" },
  skipped: { tone: "neutral", label: "Not opened" },
  imitation: { tone: "bad", label: "Imitates" },
  parked: { tone: "neutral", label: "Parked" },
  done: { tone: "good", label: "No imitation" },
} as const;

function outcomeOf({ state, imitates, page }: Inspection) {
  if (state === "done" && imitates === true) return outcomes.imitation;
  return state === "done" && page?.parked !== undefined ? outcomes.parked : outcomes[state];
}

/** Returns the result in one or two words, without the protected domain. */
export function resultOf(inspection: Inspection): string {
  return outcomeOf(inspection).label.toLowerCase();
}

/** Why an inspection waits, failed or was skipped. */
export function OutcomeReason({
  inspection: { attempts, dueAt, reason, state },
  isDisabled,
}: {
  inspection: Inspection;
  /** Whether no page is fetched at present. */
  isDisabled: boolean;
}) {
  if (reason === null) return null;
  return (
    <>
      <Text text={reason} charactersMax={200} />
      {state !== "queued" || isDisabled ? null : (
        <>
          ; {attempts === 0 ? "starts" : "tried again"} <Time at={dueAt} relative="next" />
        </>
      )}
    </>
  );
}

/** Returns how long a step took: `0.8 s`. */
export function secondsText(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${grouped(ms / 1_000)} s`;
}

/** Returns who or what named the address: `feed openphish`, `ada (console)`. */
export function requesterOf({
  origin: { kind, name },
  source,
}: Pick<Inspection, "origin" | "source">): string {
  if (kind === "console") return `${name} (console)`;
  if (kind === source && kind === name) return inWords(source);
  return `${inWords(kind)} ${name}`;
}
