import type { Severity } from "../../../platform/vocabulary/threats.ts";
import { shortSeverityReason, type SeverityReason, type SeverityReasonCode } from "./severity-reasons.ts";

interface Rated {
  /** Whether anything but the name is known. */
  verified: boolean;
  severityReasons: readonly SeverityReason[];
}

/** Reasons that raise a severity, the strongest first; those that lower it follow. */
const codesByWeight: readonly SeverityReasonCode[] = [
  "copy_seen_in_use",
  "page_imitates",
  "asks_for_secrets",
  "looks_like_original",
  "name_homograph",
  "name_in_front",
  "name_near_miss_beside_words",
  "deceives_careful_reader",
  "receives_mail",
  "newly_registered",
  "names_brand",
  "not_in_dns",
  "sinkholed",
  "redirects_to_protected",
];
const shownMax = 3;

/** Returns the reasons that decide a severity, the strongest first. */
function decisiveReasons(reasons: readonly SeverityReason[]): SeverityReason[] {
  const weightOf = ({ code }: SeverityReason) => {
    const index = codesByWeight.indexOf(code);
    return index < 0 ? codesByWeight.length : index;
  };
  return reasons.toSorted((a, b) => weightOf(a) - weightOf(b)).slice(0, shownMax);
}

/** Returns why a severity is what it is, in a few words: `unverified · near miss beside phishing words`. */
export function shortReasons({ verified, severityReasons }: Rated): string {
  const words = decisiveReasons(severityReasons).map(shortSeverityReason);
  return [...(verified ? [] : ["unverified"]), ...words].join(" · ");
}

/** Returns a severity with its reasons in a few words: `high: homograph · page asks for a password`. */
export function explainSeverity({ severity, ...rated }: Rated & { severity: Severity }): string {
  const words = shortReasons(rated);
  return words === "" ? severity : `${severity}: ${words}`;
}
