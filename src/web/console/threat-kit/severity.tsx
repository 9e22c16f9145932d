import { capitalized } from "../../../platform/lib/wording.ts";
import { explainSeverity } from "../../../threats/threats/severity/explain-severity.ts";
import type { SeverityReason } from "../../../threats/threats/severity/severity-reasons.ts";
import type { Severity, Status } from "../../../platform/vocabulary/threats.ts";
import { StateMark } from "../kit/marks.tsx";
import type { IconName } from "../kit/icons.tsx";
import { inWords } from "../kit/labels.ts";

const nameOnly = "Only the name is known: no lookup has found it in DNS.";

/** Three, two or one bars, hollow if only the name is known, and a word. */
export function SeverityMark(props: {
  severity: Severity;
  /** False: no lookup has found the name in DNS. */
  verified?: boolean;
  /** Shown in a few words as a tooltip. */
  severityReasons?: readonly SeverityReason[] | undefined;
  /** False where a column of marks says enough; the tooltip is then the label of the image. */
  word?: boolean;
}) {
  const { severity, verified = true, severityReasons = [], word = true } = props;
  const text = `${capitalized(severity)}${verified ? "" : ", unverified"}`;
  const why = capitalized(explainSeverity({ severity, verified, severityReasons }));
  const tooltip = severityReasons.length > 0 ? why : verified ? undefined : nameOnly;
  const classes = `sev ${severity}${verified ? "" : " unsure"}`;
  if (!word)
    return (
      <span class={classes} role="img" title={severityReasons.length > 0 ? why : text}>
        <svg>
          <use href={`#sev-${severity}`} />
        </svg>
      </span>
    );
  return (
    <span class={classes} title={tooltip}>
      <svg aria-hidden="true">
        <use href={`#sev-${severity}`} />
      </svg>
      {text}
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
