import { capitalized } from "../../lib/wording.ts";
import {
  describeSeverityReason,
  type SeverityReason,
  type SeverityReasonCode,
} from "../../threats/severity/severity-reasons.ts";
import { Icon, type IconName } from "../kit/icons.tsx";
import { tagClasses } from "../kit/marks.tsx";
import { Text } from "../kit/name.tsx";

type ReasonTone = "high" | "medium" | "neutral" | "good";

/** Short name of each severity reason, and one sentence that explains why it matters. */
export const severityReasonTexts: Record<
  SeverityReasonCode,
  { label: string; icon: IconName; tone: ReasonTone; explanation: string }
> = {
  copy_seen_in_use: {
    label: "Copy of the protected page in use",
    icon: "beacon",
    tone: "high",
    explanation: "A beacon in the protected page reported that visitors were shown a copy of it.",
  },
  deceives_careful_reader: {
    label: "Deceptive name",
    icon: "threat",
    tone: "high",
    explanation:
      "The name is so close to the protected one that even a careful reader can miss the difference.",
  },
  deceives_hurried_reader: {
    label: "Close name",
    icon: "threat",
    tone: "medium",
    explanation:
      "The name is close to the protected one, so that a reader in a hurry can miss the difference.",
  },
  resembles_protected_name: {
    label: "Similar name",
    icon: "threat",
    tone: "neutral",
    explanation: "The name resembles the protected one, but a reader can tell them apart.",
  },
  not_in_dns: {
    label: "Not in DNS",
    icon: "site-unregistered",
    tone: "good",
    explanation: "The name does not exist in DNS, so nobody can visit it or receive mail from it.",
  },
  sinkholed: {
    label: "Taken over by a sinkhole",
    icon: "site-blocked",
    tone: "good",
    explanation: "Security researchers or authorities took the name over, so it is harmless now.",
  },
  leads_nowhere: {
    label: "No server",
    icon: "site-registered",
    tone: "neutral",
    explanation: "The name is registered, but has neither an address nor a mail server yet.",
  },
  receives_mail: {
    label: "Mail server",
    icon: "mail",
    tone: "medium",
    explanation: "A mail server accepts mail for the name, so it can be used to exchange mail in your name.",
  },
  parked: {
    label: "Parked",
    icon: "site-parked",
    tone: "neutral",
    explanation: "A parking service shows its own page at the name, which is harmless until that changes.",
  },
  newly_registered: {
    label: "Newly registered",
    icon: "calendar",
    tone: "medium",
    explanation: "The domain is at most 30 days old, and new registrations are more often abused.",
  },
  long_registered: {
    label: "Long registered",
    icon: "calendar",
    tone: "good",
    explanation: "The domain has been registered for five years or more, which phishing domains rarely are.",
  },
  redirects_to_protected: {
    label: "Redirects to the original",
    icon: "out",
    tone: "good",
    explanation: "The page redirects to the protected domain, as a defensive registration does.",
  },
  page_imitates: {
    label: "Imitates your page",
    icon: "image",
    tone: "high",
    explanation: "A comparison with your own pages and brand found that the page imitates them.",
  },
  page_imitated_before: {
    label: "Imitated your page before",
    icon: "history",
    tone: "neutral",
    explanation: "The page imitated yours when it was inspected. Now it shows something else, or is gone.",
  },
  looks_like_original: {
    label: "Looks like the original",
    icon: "image",
    tone: "high",
    explanation: "The screenshot of the page looks like that of the protected domain.",
  },
  asks_for_secrets: {
    label: "Asks for secrets",
    icon: "lock",
    tone: "high",
    explanation: "The page has a field for a password or a card number.",
  },
  names_brand: {
    label: "Names the brand",
    icon: "note",
    tone: "medium",
    explanation: "The title or the text of the page contains your brand.",
  },
  unrelated_page: {
    label: "Unrelated page",
    icon: "not",
    tone: "neutral",
    explanation: "The page neither names the brand, nor looks like the original, nor asks for secrets.",
  },
  legacy: {
    label: "Recorded earlier",
    icon: "history",
    tone: "neutral",
    explanation: "An earlier version of phishwatch recorded this reason as a sentence.",
  },
};

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
export const severityManualPath = "facts#severity";

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
  if (reason.code !== "asks_for_secrets") return severityReasonTexts[reason.code].label;
  const { password, card } = reason.params;
  if (password && card) return "Asks for a password and a card";
  return card ? "Asks for a card" : "Asks for a password";
}
