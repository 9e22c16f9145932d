import { capitalized } from "../../lib/wording.ts";
import type { Severity, Status } from "../../vocabulary/threats.ts";
import { StateMark } from "../kit/marks.tsx";
import type { IconName } from "../kit/icons.tsx";
import { inWords } from "../kit/labels.ts";

const filledBars: Record<Severity, number> = { high: 3, medium: 2, low: 1 };
const bars = [
  { x: "1", y: "9", height: "4" },
  { x: "5.5", y: "5", height: "8" },
  { x: "10", y: "1", height: "12" },
];

/** Three, two or one bars, hollow if only the name is known, and a word. */
export function SeverityMark({
  severity,
  verified = true,
  word = true,
}: {
  severity: Severity;
  /** False: no lookup has found the name in DNS. */
  verified?: boolean;
  /** False where a column of marks says enough; the word is then the label of the image. */
  word?: boolean;
}) {
  const text = `${capitalized(severity)}${verified ? "" : ", unverified"}`;
  return (
    <span
      class={`sev ${severity}${verified ? "" : " unsure"}`}
      title={verified || !word ? undefined : "Only the name is known: no lookup has found it in DNS."}
    >
      <svg
        viewBox="0 0 14 14"
        {...(word ? { "aria-hidden": "true" as const } : { role: "img" as const, "aria-label": text })}
      >
        {bars.map((bar, index) => (
          <rect class={index < filledBars[severity] ? "on" : undefined} {...bar} />
        ))}
      </svg>
      {word ? text : null}
    </span>
  );
}

const statusIcons: Record<Status, IconName> = { active: "active", resolved: "ok", false_positive: "not" };

/** The team's decision about a threat. */
export function StatusMark({ status }: { status: Status }) {
  return (
    <StateMark tone={status === "resolved" ? "good" : "neutral"} icon={statusIcons[status]}>
      {capitalized(inWords(status))}
    </StateMark>
  );
}
