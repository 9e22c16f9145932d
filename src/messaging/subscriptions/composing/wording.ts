import type { CompareNames } from "../../../engines/detection/match/compare-names.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Enrichment } from "../../../facts/enrichment/enrichment.ts";
import { matchesEverything } from "../../../threats/events/event-filter.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { consoleLinks } from "../../content/texts/links.ts";
import type { ThreatData } from "../../content/texts/threat-texts.ts";
import { severities, type Severity } from "../../../platform/vocabulary/threats.ts";
import { sendsThreatsOneByOne } from "../queue/active.ts";
import type { Subscription } from "../subscriptions/store.ts";
import { itemsMax } from "./collect.ts";
import { composeMessages } from "./messages.ts";
import type { WordMessages } from "./recording.ts";
import type { ThreatState, ThreatStates } from "./threat-states.ts";

/** Changes that are older when their message is composed have waited for the end of quiet hours. */
const waitedMsMin = 10 * 60_000;

/** Returns the function that words messages from what is known about the threats. */
export function createWording({
  clock,
  domains,
  factsOf,
  publicUrl,
  states,
}: {
  clock: Pick<Clock, "now">;
  domains: Pick<ProtectedDomains, "find">;
  factsOf: Enrichment["factsOf"];
  /** Returns the address of the console, without a trailing slash. */
  publicUrl: () => string;
  states: ThreatStates;
}): WordMessages {
  let compare: CompareNames | undefined;

  /** Detection's tables are loaded when the first names are compared, not at startup. */
  async function load(): Promise<CompareNames> {
    const { createNameComparison } = await import("../../../engines/detection/match/compare-names.ts");
    return createNameComparison();
  }

  function describe(state: ThreatState, { compared }: { compared: boolean }): ThreatData {
    const { domain, protectedDomain } = state;
    const comparison =
      compared && compare !== undefined
        ? compare(domain, protectedDomain, domains.find(protectedDomain)?.keywords ?? [])
        : null;
    return { ...state, ...states.details(state.seq), facts: factsOf(state.id)?.facts ?? null, comparison };
  }

  return async (subscription, collected) => {
    // Messages about many threats compare no names.
    const { length: total } = collected.created.threatSeqs;
    if (total > 0 && total <= itemsMax) compare ??= await load();
    return composeMessages(collected, {
      digest: subscription.digest,
      waited: hasQuietTimes(subscription) && clock.now() - collected.firstAt > waitedMsMin,
      links: consoleLinks(publicUrl()),
      open: () => openThreats(subscription, states),
      sendsThreatsOneByOne: sendsThreatsOneByOne(subscription.channel.type),
      describe,
    });
  };
}

function hasQuietTimes({ quietHours, weekdays }: Subscription): boolean {
  return quietHours !== null || weekdays.length > 0;
}

/** Returns the number of active threats that the filter matches; null if they cannot be counted quickly. */
function openThreats({ filter }: Subscription, states: ThreatStates): Record<Severity, number> | null {
  const { protectedDomains, minSeverity } = filter;
  // There are counts for protected domains and severities alone.
  if (!matchesEverything({ ...filter, protectedDomains: [], minSeverity: "low" })) return null;
  const open = states.open(protectedDomains);
  const counted = severities.slice(0, severities.indexOf(minSeverity) + 1);
  const of = (severity: Severity) => (counted.includes(severity) ? open[severity] : 0);
  return { high: of("high"), medium: of("medium"), low: of("low") };
}
