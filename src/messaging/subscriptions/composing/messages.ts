import type { NoticeContent } from "../../content/texts/content.ts";
import { beaconVisits, honeytokenVisits, scanEnded, scanStarted } from "../../content/texts/event-texts.ts";
import type { ConsoleLinks } from "../../content/texts/links.ts";
import {
  changedThreats,
  digestOf,
  newThreats,
  severalEvents,
  type DigestData,
} from "../../content/texts/summary-texts.ts";
import { conditionChanged } from "../../content/texts/system-texts.ts";
import { changedThreat, itemOf, newThreat, type ThreatData } from "../../content/texts/threat-texts.ts";
import type { Digest } from "../../../platform/vocabulary/channels.ts";
import { severities, type Severity } from "../../../platform/vocabulary/threats.ts";
import type { Collected, OtherChange } from "./collect.ts";
import type { ThreatState } from "./threat-states.ts";

/** A message, and the threat that it opens or ends in a service that shows each threat as an object of its own. */
export interface ComposedMessage {
  content: NoticeContent;
  opens?: number;
  closes?: number;
}

/** Maximum number of new threats that such a service is sent one by one. */
const oneByOneMax = 10;
/** The first lookups of a threat take less, so that what they find needs no explanation. */
const lateMsMin = 15 * 60_000;
/** Maximum number of messages about visits, scans and conditions; more are combined into one. */
const othersOneByOneMax = 5;

/** Words what was collected for a subscription. Returns nothing if there is nothing to say. */
export function composeMessages(
  collected: Collected,
  {
    digest,
    waited,
    links,
    open,
    sendsThreatsOneByOne,
    describe,
  }: {
    digest: Digest;
    /** Whether all of it waited for the end of quiet hours, so that it is one message. */
    waited: boolean;
    links: ConsoleLinks;
    /** Returns the number of active threats that the filter matches; null: not known. */
    open: () => Record<Severity, number> | null;
    sendsThreatsOneByOne: boolean;
    /** Reads what a message says about a threat. @param compared whether to compare its name with the original */
    describe: (state: ThreatState, options: { compared: boolean }) => ThreatData;
  },
): ComposedMessage[] {
  const { created, changed, closed } = collected;
  const closing = closed.map((state) => ({
    content: changedThreat(describe(state, { compared: false }), { links }),
    closes: state.seq,
  }));
  const item = (state: ThreatState) => itemOf(describe(state, { compared: false }), links);
  const newSummary = () => ({ ...created, items: created.top.map(({ state }) => item(state)) });
  const others = collected.others.map((change) => ({ change, content: wordOther(change, links) }));

  const digestFor = (period: DigestData["digest"]): ComposedMessage => {
    const titles = others.map(({ change, content: { title } }) => ({ title, count: timesOf(change) }));
    const { closedAlready, othersMore } = collected;
    const data = {
      digest: period,
      created: newSummary(),
      closedAlready,
      changes: changed.counts,
      open: open(),
    };
    return { content: digestOf({ ...data, others: titles, othersMore }, links) };
  };

  if (digest !== "none") {
    const isEmpty = created.threatSeqs.length + collected.closedAlready + changed.total + others.length === 0;
    return isEmpty ? closing : [...closing, digestFor(digest)];
  }

  const messages: ComposedMessage[] = [...closing];
  const total = severities.reduce((sum, severity) => sum + created.bySeverity[severity], 0);
  if (total === 1 || (sendsThreatsOneByOne && total <= oneByOneMax))
    for (const { state, lateAt } of created.top) {
      const threat = describe(state, { compared: true });
      const late = lateAt !== null && lateAt - threat.firstSeen >= lateMsMin;
      messages.push({ content: newThreat(threat, { late, links }), opens: state.seq });
    }
  else if (total > 0) messages.push({ content: newThreats(newSummary(), links) });

  // There, a threat without a message of its own has nothing that could end.
  if (changed.total > 0 && (!sendsThreatsOneByOne || changed.counts.active > 0)) {
    const [only] = changed.top;
    const content =
      changed.total === 1
        ? changedThreat(describe(only!, { compared: false }), { links })
        : changedThreats(
            { changes: changed.counts, items: changed.top.map(item), total: changed.total },
            links,
          );
    const isOpenAgain = changed.total === 1 && only!.status === "active";
    messages.push({ content, ...(isOpenAgain ? { opens: only!.seq } : {}) });
  }

  if (others.length <= othersOneByOneMax) messages.push(...others.map(({ content }) => ({ content })));
  else {
    const titles = others.map(({ change, content: { title } }) => ({ title, count: timesOf(change) }));
    messages.push({ content: severalEvents(titles, collected.othersMore, links) });
  }
  const isCombined = waited && !sendsThreatsOneByOne && messages.length > 1;
  return isCombined ? [digestFor({ since: collected.firstAt })] : messages;
}

function wordOther(change: OtherChange, links: ConsoleLinks): NoticeContent {
  switch (change.kind) {
    case "beacon":
      return beaconVisits(change, links);
    case "honeytoken":
      return honeytokenVisits(change, links);
    case "scan_started":
      return scanStarted(change.data, links);
    case "scan_ended":
      return scanEnded(change.data, links);
    case "condition":
      return conditionChanged(change.condition, links);
  }
}

/** Returns how often something occurred that the title does not say. */
function timesOf(change: OtherChange): number {
  return change.kind === "beacon" ? change.count : 1;
}
