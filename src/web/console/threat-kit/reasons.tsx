import { capitalized } from "../../../platform/lib/wording.ts";
import {
  describeSeverityReason,
  shortSeverityReason,
  type SeverityReason,
  type SeverityReasonCode,
} from "../../../threats/threats/severity/severity-reasons.ts";
import explanations from "../kit/help.json" with { type: "json" };
import { Icon, type IconName, tagClasses, Text } from "../kit/inline.tsx";
import texts from "./severity-reasons.json" with { type: "json" };

type ReasonTone = "high" | "medium" | "neutral" | "good";

/** One sentence for each severity reason that explains why it matters. */
export const severityReasonTexts = texts satisfies Record<SeverityReasonCode, object> as Record<
  SeverityReasonCode,
  { icon: IconName; tone: ReasonTone; explanation: string }
>;

/** Reasons that the facts show, the strongest first. Those from the name alone are not evidence. */
const evidenceCodes: readonly SeverityReasonCode[] = [
  "copy_seen_in_use",
  "asks_for_secrets",
  "page_imitates",
  "looks_like_original",
  "redirects_to_protected",
  "receives_mail",
  "newly_registered",
  "names_brand",
  "sinkholed",
  "parked",
  "page_imitated_before",
  "unrelated_page",
  "leads_nowhere",
  "not_in_dns",
];
const evidenceShownMax = 2;

/** Returns the strongest evidence that the facts show, for a row of a list; empty if only the name is known. */
export function strongestEvidence(severityReasons: readonly SeverityReason[]): string[] {
  return evidenceCodes
    .flatMap((code) => severityReasons.filter((reason) => reason.code === code).slice(0, 1))
    .map(labelOf)
    .slice(0, evidenceShownMax);
}

/** Part of the manual on severity. */
export const severityManualPath = explanations.severity.manual;

/** Reasons for a severity as tags, each of which opens what it means in this case. */
export function ReasonTags({ reasons }: { reasons: readonly SeverityReason[] }) {
  if (reasons.length === 0) return <p class="faint s">No reasons are recorded.</p>;
  return (
    <ul class="line tight reasons">
      {reasons
        .toSorted((a, b) => weightOf(a) - weightOf(b))
        .map((reason) => (
          <li>
            <ReasonTag reason={reason} />
          </li>
        ))}
    </ul>
  );
}

const tonesByWeight: readonly ReasonTone[] = ["high", "medium", "neutral", "good"];

/** Reasons that raise the severity come first. */
function weightOf({ code }: SeverityReason): number {
  return tonesByWeight.indexOf(severityReasonTexts[code].tone);
}

function ReasonTag({ reason }: { reason: SeverityReason }) {
  const { icon, tone, explanation } = severityReasonTexts[reason.code];
  return (
    <details class="opens help">
      <summary class={tagClasses[tone]} title={explanation}>
        <Icon name={icon} />
        {labelOf(reason)}
      </summary>
      <div class="menu">
        <p class="ink">
          <Text text={capitalized(describeSeverityReason(reason))} />.
        </p>
        <p>
          {explanation} <a href={`/docs/${severityManualPath}`}>Manual</a>
        </p>
      </div>
    </details>
  );
}

function labelOf(reason: SeverityReason): string {
  return capitalized(shortSeverityReason(reason));
}
