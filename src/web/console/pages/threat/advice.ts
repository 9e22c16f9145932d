import {
  hasPage,
  mailServersOf,
  parkedWith,
  showsPhishingPage,
  type Facts,
} from "../../../../facts/enrichment/facts/facts.ts";
import { indicatorsIn } from "../../../../threats/threats/severity/indicators.ts";
import type { SeverityReason } from "../../../../threats/threats/severity/severity-reasons.ts";
import type { Status, ThreatType } from "../../../../platform/vocabulary/threats.ts";

/** Returns recommended actions for a threat, most urgent first, one sentence each. */
export function adviceOn(given: {
  status: Status;
  type: ThreatType;
  /** May reveal a page without detailed facts, for example after lookups were disabled. */
  severityReasons: readonly SeverityReason[];
  facts: Facts | undefined;
  /** `detection.reactivate`. */
  reactivates: boolean;
  /** Whether names and pages are looked up at all. */
  looksUpNames: boolean;
  /** Whether a check has taken place, whatever it could determine. */
  isChecked: boolean;
}): string[] {
  const { status, type, severityReasons, facts, reactivates, looksUpNames, isChecked } = given;
  if (status === "false_positive")
    return [
      "This was marked as a false positive and is no longer monitored. If that was wrong, reactivate it.",
    ];
  if (status === "resolved")
    return [
      reactivates
        ? "This is resolved. If the domain comes back, it is reactivated automatically."
        : "This is resolved and stays resolved, because detection.reactivate is off.",
    ];
  const isKnownHarmful = type === "cloned_site" || indicatorsIn(severityReasons).includes("asks_for_secrets");
  if (facts?.existence !== undefined) return activeAdvice({ ...facts, existence: facts.existence });
  if (isKnownHarmful) return [report, warn, block];
  if (!looksUpNames)
    return ["Only the name is known, because lookups are off (lookups.enabled). Decide by the name."];
  return isChecked
    ? ["The last check could not determine whether the domain exists. Checks are repeated."]
    : ["Only the name is known so far. Wait for the first check, or check now."];
}

const report = "Report it: the text, the evidence and those who can take it down are prepared.";
const warn = "Warn people who may have visited it.";
const block = "Protect your staff: block the domain in mail and web filters.";

function activeAdvice(facts: Facts & Required<Pick<Facts, "existence">>): string[] {
  const { existence, page } = facts;
  if (existence.exists === "no")
    return [
      "The domain is not in DNS, so there is nothing to take down. Monitoring continues.",
      "If it is available, consider registering it yourself.",
    ];
  if (existence.sinkholed !== undefined)
    return ["The domain was sinkholed and is harmless now. You can resolve it."];
  if (page !== undefined && hasPage(facts)) {
    if (page.redirectsToProtected)
      return [
        "It redirects to your own site. If it is yours, add it to the allow list of the protected domain.",
        "If it is not, monitor it: its owner can change the redirect at any time.",
      ];
    if (showsPhishingPage(facts) || page.imitation?.imitates === true) return [report, warn, block];
  }
  if (mailServersOf(facts).length > 0)
    return ["It can send and receive mail under a name that looks like yours.", block, report];
  if (parkedWith(facts) !== undefined)
    return ["It is parked: harmless now, but this can change at any time. Monitoring continues.", report];
  if (existence.addresses.length === 0) return ["It has no server yet. Monitoring continues.", report];
  return ["Review its page and decide whether it is deceptive.", report];
}
