import { capitalized } from "../../lib/wording.ts";
import { explainSeverity } from "../../threats/severity/explain-severity.ts";
import type { SeverityReason } from "../../threats/severity/severity-reasons.ts";
import type { Severity, Status } from "../../vocabulary/threats.ts";
import { StateMark } from "../kit/marks.tsx";
import type { IconName } from "../kit/icons.tsx";
import { inWords } from "../kit/labels.ts";

/** Outlines of the filled and of the hollow bars; a list has one in every row. */
const bars: Record<Severity, { on: string; off?: string }> = {
  high: { on: "M1.5 9.5h2v3h-2zm4.5-4h2v7h-2zm4.5-4h2v11h-2z" },
  medium: { on: "M1.5 9.5h2v3h-2zm4.5-4h2v7h-2z", off: "M10.5 1.5h2v11h-2z" },
  low: { on: "M1.5 9.5h2v3h-2z", off: "M6 5.5h2v7h-2zm4.5-4h2v11h-2z" },
};

const nameOnly = "Only the name is known: no lookup has found it in DNS.";

/** Three, two or one bars, hollow if only the name is known, and a word. */
export function SeverityMark({
  severity,
  verified = true,
  severityReasons = [],
  word = true,
}: {
  severity: Severity;
  /** False: no lookup has found the name in DNS. */
  verified?: boolean;
  /** Shown in a few words as a tooltip. */
  severityReasons?: readonly SeverityReason[] | undefined;
  /** False where a column of marks says enough; the word is then the label of the image. */
  word?: boolean;
}) {
  const text = `${capitalized(severity)}${verified ? "" : ", unverified"}`;
  const why = capitalized(explainSeverity({ severity, verified, severityReasons }));
  const tooltip = severityReasons.length === 0 ? (verified ? undefined : nameOnly) : why;
  // The tooltip of the mark says the rest; a list has one in every row.
  const label = severityReasons.length === 0 ? text : capitalized(severity);
  return (
    <span class={`sev ${severity}${verified ? "" : " unsure"}`} title={tooltip}>
      <svg {...(word ? { "aria-hidden": "true" as const } : { role: "img" as const, "aria-label": label })}>
        <path d={bars[severity].on} />
        {bars[severity].off === undefined ? null : <path class="off" d={bars[severity].off} />}
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
