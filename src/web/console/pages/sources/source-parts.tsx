import { visible } from "../../../../platform/lib/safe-text.ts";
import { capitalized, counted, grouped } from "../../../../platform/lib/wording.ts";
import type { NameOrigin } from "../../../../intake/sources/activity/source-activity.ts";
import { feedKind, nameOfSource, type SourceStatus } from "../../../../intake/sources/source.ts";
import { Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { healthOf } from "./health.ts";
import type { Origin } from "./origins.ts";

/** Returns what an origin is called on its own, as on its page. */
export function titleOf({ kind, name }: NameOrigin): string {
  switch (kind) {
    case feedKind:
      return `Feed ${name}`;
    case "import":
      return "Imports and typed names";
    case "submission":
      return `API key ${name}`;
    case "scan":
      return "Scans";
    case "beacon":
      return "Beacons";
    default:
      return capitalized(nameOfSource({ kind, name }));
  }
}

export function SourceState({ watched: { source, status } }: { watched: NonNullable<Origin["watched"]> }) {
  const { tone, label } = healthOf(status, source.pausing?.current(), usePage().now);
  return label === "Paused" ? (
    <StateMark tone={tone} icon="pause">
      {label}
    </StateMark>
  ) : (
    <StateMark tone={tone}>{label}</StateMark>
  );
}

/** Facts about a source; its problem is shown apart. */
export function sourceFacts(status: SourceStatus) {
  const { location, latest, amounts, invalid, matched, created } = status;
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
    [
      "Read",
      `${amounts.map(({ count, unit }) => counted(count, unit)).join(", ")}, ${grouped(invalid)} rejected`,
    ],
    ["Found", `${grouped(matched)} matched, ${counted(created, "new threat")}`],
  ] as const;
}
