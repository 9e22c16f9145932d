import { visible } from "../../../lib/safe-text.ts";
import { counted, grouped, sentence } from "../../../lib/wording.ts";
import { describeOverdue, type SourceStatus } from "../../../sources/source.ts";
import { Badge, Time, type Tone } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";

const stateTones: Record<SourceStatus["state"], Tone> = {
  waiting: "neutral",
  watching: "good",
  reading: "warn",
  unavailable: "bad",
  paused: "warn",
};

export function SourceState({ status: { state, overdue } }: { status: SourceStatus }) {
  if (state !== "unavailable" && state !== "reading" && overdue !== null)
    return <Badge tone="bad">overdue</Badge>;
  return <Badge tone={stateTones[state]}>{state}</Badge>;
}

export function sourceFacts(status: SourceStatus) {
  const { location, state, problem, overdue, latest, amounts, invalid, matched, created } = status;
  return [
    ["Location", <code>{visible(location, 300)}</code>],
    [
      "Latest",
      latest === null ? (
        "none"
      ) : (
        <>
          <Text text={latest.name} charactersMax={120} /> <Time at={latest.at} relative />
        </>
      ),
    ],
    ...(overdue === null ? [] : [["Overdue", sentence(describeOverdue(overdue))] as const]),
    ...(problem === null
      ? []
      : [[state === "unavailable" ? "Not readable" : "Error", visible(problem, 400)] as const]),
    [
      "Read",
      `${amounts.map(({ count, unit }) => counted(count, unit)).join(", ")}, ${grouped(invalid)} rejected`,
    ],
    ["Found", `${grouped(matched)} matched, ${counted(created, "new threat")}`],
  ] as const;
}
