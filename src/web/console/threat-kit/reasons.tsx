import { capitalized } from "../../../platform/lib/wording.ts";
import {
  describeSeverityReason,
  shortSeverityReason,
  type SeverityReason,
  type SeverityReasonCode,
} from "../../../threats/threats/severity/severity-reasons.ts";
import { Icon, type IconName } from "../kit/icons.tsx";
import { tagClasses } from "../kit/marks.tsx";
import { Text } from "../kit/name.tsx";

type ReasonTone = "high" | "medium" | "neutral" | "good";

/** One sentence for each severity reason that explains why it matters. */
export const severityReasonTexts: Record<
  SeverityReasonCode,
  { icon: IconName; tone: ReasonTone; explanation: string }
> = {
  copy_seen_in_use: {
    icon: "beacon",
    tone: "high",
    explanation: "A beacon in the protected page reported that visitors were shown a copy of it.",
  },
  name_homograph: {
    icon: "threat",
    tone: "high",
    explanation:
      "Characters of the name look like those of the protected one, so that even a careful reader can miss the difference.",
  },
  name_in_front: {
    icon: "threat",
    tone: "high",
    explanation:
      "The name begins with the complete protected name, which is all that many readers see of an address.",
  },
  name_near_miss_beside_words: {
    icon: "threat",
    tone: "high",
    explanation:
      "The brand is misspelled beside words that make visitors act, which hardly any honest name does.",
  },
  name_near_miss: {
    icon: "threat",
    tone: "medium",
    explanation:
      "The name is close to the protected one, so that a reader in a hurry can miss the difference.",
  },
  name_other_suffix: {
    icon: "threat",
    tone: "medium",
    explanation: "The brand is registered under another suffix, by somebody else or by its owner.",
  },
  name_missing_dot: {
    icon: "threat",
    tone: "medium",
    explanation: "A dot of an address of yours is missing or replaced, as when somebody mistypes it.",
  },
  name_beside_words: {
    icon: "threat",
    tone: "medium",
    explanation:
      "The brand is beside words that phishing names use, as in some names of partners and of support pages.",
  },
  name_set_apart: {
    icon: "threat",
    tone: "medium",
    explanation:
      "The brand is a word of the name of its own, beside others that phishing names do not use in particular.",
  },
  name_beside_ordinary_words: {
    icon: "threat",
    tone: "neutral",
    explanation:
      "The brand is beside ordinary words or letters, as in the names of fans, guides and unrelated companies.",
  },
  name_similar: {
    icon: "threat",
    tone: "neutral",
    explanation: "The name resembles the protected one, but a reader can tell them apart.",
  },
  deceives_careful_reader: {
    icon: "threat",
    tone: "high",
    explanation:
      "The name is so close to the protected one that even a careful reader can miss the difference.",
  },
  deceives_hurried_reader: {
    icon: "threat",
    tone: "medium",
    explanation:
      "The name is close to the protected one, so that a reader in a hurry can miss the difference.",
  },
  resembles_protected_name: {
    icon: "threat",
    tone: "neutral",
    explanation: "The name resembles the protected one, but a reader can tell them apart.",
  },
  not_in_dns: {
    icon: "site-unregistered",
    tone: "good",
    explanation: "The name does not exist in DNS, so nobody can visit it or receive mail from it.",
  },
  sinkholed: {
    icon: "site-blocked",
    tone: "good",
    explanation: "Security researchers or authorities took the name over, so it is harmless now.",
  },
  leads_nowhere: {
    icon: "site-registered",
    tone: "neutral",
    explanation: "The name is registered, but has neither an address nor a mail server yet.",
  },
  receives_mail: {
    icon: "mail",
    tone: "medium",
    explanation: "A mail server accepts mail for the name, so it can be used to exchange mail in your name.",
  },
  parked: {
    icon: "site-parked",
    tone: "neutral",
    explanation: "A parking service shows its own page at the name, which is harmless until that changes.",
  },
  newly_registered: {
    icon: "calendar",
    tone: "medium",
    explanation: "The domain is at most 30 days old, and new registrations are more often abused.",
  },
  long_registered: {
    icon: "calendar",
    tone: "good",
    explanation: "The domain has been registered for five years or more, which phishing domains rarely are.",
  },
  redirects_to_protected: {
    icon: "out",
    tone: "good",
    explanation: "The page redirects to the protected domain, as a defensive registration does.",
  },
  page_imitates: {
    icon: "image",
    tone: "high",
    explanation: "A comparison with your own pages and brand found that the page imitates them.",
  },
  page_imitated_before: {
    icon: "history",
    tone: "neutral",
    explanation: "The page imitated yours when it was inspected, and now shows something else or is gone.",
  },
  looks_like_original: {
    icon: "image",
    tone: "high",
    explanation: "The screenshot of the page looks like that of the protected domain.",
  },
  asks_for_secrets: {
    icon: "lock",
    tone: "high",
    explanation: "The page has a field for a password or a card number.",
  },
  names_brand: {
    icon: "note",
    tone: "medium",
    explanation: "The title or the text of the page contains your brand.",
  },
  unrelated_page: {
    icon: "not",
    tone: "neutral",
    explanation: "The page neither names the brand, nor looks like the original, nor asks for secrets.",
  },
  legacy: {
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
  return capitalized(shortSeverityReason(reason));
}
