import type { Facts } from "../../../enrichment/facts/facts.ts";
import { hasPage, mailServersOf, parkedWith, showsPhishingPage } from "../../../enrichment/facts/facts.ts";
import type { Status, ThreatType } from "../../../vocabulary/threats.ts";
import { indicatorsIn } from "../../../threat-index/indicators.ts";
import type { SeverityReason } from "../../../threats/severity-reasons.ts";

/** What to do about a threat, most urgent first; a sentence each. */
export function adviceOn({
  status,
  type,
  severityReasons,
  facts,
  reactivates,
}: {
  status: Status;
  type: ThreatType;
  /** They may tell of a page that is not known in detail, as where looking is switched off by now. */
  severityReasons: readonly SeverityReason[];
  facts: Facts | undefined;
  /** `detection.reactivate`. */
  reactivates: boolean;
}): string[] {
  if (status === "false_positive")
    return [
      "It was decided that this is no threat, so nobody looks at it any more. Reactivate it if that was wrong.",
    ];
  if (status === "resolved")
    return [
      reactivates
        ? "It is settled. Should the name come back to life, it becomes active again by itself."
        : "It is settled. It stays so, for detection.reactivate is off.",
    ];
  const isHarmful = type === "cloned_site" || indicatorsIn(severityReasons).includes("asks_for_secrets");
  return activeAdvice(facts, isHarmful);
}

const report = "Report it: whom to write to and a ready text stand below.";
const warn = "Warn those who may have been led there.";
const block = "Keep it from your own people: block the name in mail and web filters.";

function activeAdvice(facts: Facts | undefined, isHarmful: boolean): string[] {
  if (facts?.existence === undefined)
    return isHarmful
      ? [report, warn, block]
      : ["Little is known yet beside the name: wait for the first look, or look now."];
  const { existence, page } = facts;
  if (existence.exists === "no")
    return [
      "The name is not in DNS: there is nothing to take down. It stays watched.",
      "If it is free, think of registering it yourself.",
    ];
  if (existence.sinkholed !== undefined)
    return ["The name was taken over and does no harm any more: it can be resolved."];
  if (page !== undefined && hasPage(facts)) {
    if (page.redirectsToProtected)
      return [
        "It leads to your own site. Find out whether it is yours: then put it on the protected domain's allow-list.",
        "If it is not, watch it: its owner can lead visitors elsewhere at any time.",
      ];
    if (showsPhishingPage(facts)) return [report, warn, block];
  }
  if (mailServersOf(facts).length > 0)
    return ["It can send and receive mail under a name that is taken for yours.", block, report];
  if (parkedWith(facts) !== undefined)
    return ["It is parked: no harm yet, and it can change any day. It stays watched.", report];
  if (existence.addresses.length === 0) return ["It leads nowhere yet, and stays watched.", report];
  return ["Look at its page and decide whether it is meant to deceive.", report];
}
