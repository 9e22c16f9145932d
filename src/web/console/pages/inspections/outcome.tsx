import { grouped } from "../../../../platform/lib/wording.ts";
import type { Inspection } from "../../../../facts/inspection/inspections.ts";
import { Time } from "../../kit/components.tsx";
import { StateMark, type Tone, Name, Text, inWords } from "../../kit/inline.tsx";

/** The result of an inspection, as a shape and a few words. */
export function OutcomeMark({ inspection }: { inspection: Inspection }) {
  const { protectedDomain } = inspection;
  const { tone, label, names } = outcomeOf(inspection);
  return (
    <StateMark tone={tone}>
      {label}
      {names === true && protectedDomain !== null ? (
        <>
          {" "}
          <Name name={protectedDomain} />
        </>
      ) : null}
    </StateMark>
  );
}

interface Outcome {
  tone: Tone;
  label: string;
  /** Whether the name of the protected domain follows. */
  names?: boolean;
}

function outcomeOf({ state, imitates, page }: Inspection): Outcome {
  switch (state) {
    case "queued":
      return { tone: "live", label: "Waiting" };
    case "running":
      return { tone: "live", label: "Inspecting" };
    case "failed":
      return { tone: "warn", label: "Could not be opened" };
    case "skipped":
      return { tone: "neutral", label: "Not opened" };
    case "done":
      if (imitates === true) return { tone: "bad", label: "Imitates", names: true };
      if (page?.parked !== undefined) return { tone: "neutral", label: "Parked" };
      return { tone: "good", label: "No imitation" };
  }
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
