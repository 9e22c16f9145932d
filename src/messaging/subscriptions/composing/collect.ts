import type { Instant } from "../../../platform/lib/clock.ts";
import { matchesFilter } from "../../../threats/events/event-filter.ts";
import type { EventPayload } from "../../../threats/events/payloads.ts";
import type { ConditionChange } from "../../content/texts/system-texts.ts";
import type { ChangeCounts } from "../../content/texts/summary-texts.ts";
import { severities, type Severity } from "../../../platform/vocabulary/threats.ts";
import type { ActiveSubscription } from "../queue/active.ts";
import type { Incidents } from "../queue/incidents.ts";
import type { Queue, QueuedRow } from "../queue/queue.ts";
import type { ThreatState, ThreatStates } from "./threat-states.ts";

/** A change that is not about a threat, combined with others about the same object. */
export type OtherChange =
  | { kind: "beacon"; latest: EventPayload["beacon.triggered"]; count: number }
  | { kind: "honeytoken"; latest: EventPayload["token.accessed"]; count: number }
  | { kind: "scan_started"; data: EventPayload["scan.started"] }
  | { kind: "scan_ended"; data: EventPayload["scan.completed"] }
  | { kind: "condition"; condition: ConditionChange };

/** Everything that waits for a message of one subscription, combined by threat, trap, scan and condition. */
export interface Collected {
  /** Time of the first change in it. */
  firstAt: Instant;
  /** `seq` of the last change in it. */
  upTo: number;
  created: {
    bySeverity: Record<Severity, number>;
    byDomain: Map<string, number>;
    /** The most severe, at most `itemsMax`, each with the time from which a filter matched that did not at first. */
    top: { state: ThreatState; lateAt: Instant | null }[];
    origin: { importSeq: number } | { scanSeq: number } | null;
    /** Threats to remember as announced. */
    threatSeqs: number[];
  };
  /** Number of new threats that are no longer active. */
  closedAlready: number;
  changed: { counts: ChangeCounts; total: number; top: ThreatState[] };
  /** Threats that a message of their own opened in the service, and that are no longer active. */
  closed: ThreatState[];
  others: OtherChange[];
  /** Number of changes that are not among `others`. */
  othersMore: number;
}

/** Maximum number of threats that a message lists. */
export const itemsMax = 10;
/** Maximum number of changes in a message. With as many, it is due at once. */
export const rowsMax = 100_000;
/** Rows and threats that are read without a pause: about 2 ms. */
const rowsPerStep = 500;
const threatsPerStep = 200;
const othersMax = 50;
/** Messages that end one threat each and are recorded in one transaction. */
const closedMax = 100;

interface ThreatChanges {
  created: boolean;
  /** When the filter matched that did not at first. */
  lateAt: Instant | null;
  changed: boolean;
}

/** Collects what waits for a subscription, in short steps. */
export async function collect(
  subscription: ActiveSubscription,
  {
    incidents,
    pause,
    queue,
    states,
  }: {
    incidents: Pick<Incidents, "has">;
    /** Lets requests be served in between. */
    pause: () => Promise<void>;
    queue: Pick<Queue, "read">;
    states: Pick<ThreatStates, "read">;
  },
): Promise<Collected> {
  const threats = new Map<number, ThreatChanges>();
  const others = createOthers();
  const { subscriptionSeq } = subscription;
  const hasIncident = (threatSeq: number) =>
    subscription.sendsThreatsOneByOne && incidents.has(subscriptionSeq, threatSeq);
  let upTo = subscription.consumedSeq;
  let firstAt = Infinity;
  let closing = 0;
  reading: for (let read = 0; read < rowsMax; read += rowsPerStep) {
    const rows = queue.read({ subscriptionSeq, consumedSeq: upTo }, rowsPerStep);
    for (const row of rows) {
      if (row.threatSeq === null) others.add(row);
      else {
        if (row.type !== "threat.created" && hasIncident(row.threatSeq) && (closing += 1) > closedMax)
          break reading;
        noteThreat(threats, row.threatSeq, row);
      }
      upTo = row.seq;
      firstAt = Math.min(firstAt, row.at);
    }
    if (rows.length < rowsPerStep) break;
    await pause();
  }

  const collected = emptyCollected({ upTo, firstAt }, others);
  const add = createCollector(collected, {
    hasIncident,
    matches: (state) => matchesFilter(subscription.filter, state),
  });
  const threatSeqs = [...threats.keys()];
  for (let start = 0; start < threatSeqs.length; start += threatsPerStep) {
    if (start > 0) await pause();
    for (const state of states.read(threatSeqs.slice(start, start + threatsPerStep)))
      add(state, threats.get(state.seq)!);
  }
  return collected;
}

function noteThreat(
  threats: Map<number, ThreatChanges>,
  threatSeq: number,
  { type, late, at }: QueuedRow,
): void {
  const changes = threats.get(threatSeq) ?? { created: false, lateAt: null, changed: false };
  if (type !== "threat.created") changes.changed = true;
  else if (late === 1) changes.lateAt = at;
  else changes.created = true;
  threats.set(threatSeq, changes);
}

function emptyCollected(
  ends: Pick<Collected, "upTo" | "firstAt">,
  others: ReturnType<typeof createOthers>,
): Collected {
  return {
    ...ends,
    created: {
      bySeverity: { high: 0, medium: 0, low: 0 },
      byDomain: new Map(),
      top: [],
      origin: null,
      threatSeqs: [],
    },
    closedAlready: 0,
    changed: { counts: { resolved: 0, false_positive: 0, active: 0 }, total: 0, top: [] },
    closed: [],
    others: others.list(),
    othersMore: others.more(),
  };
}

/** Returns a function that adds a threat by its present state. */
function createCollector(
  collected: Collected,
  {
    hasIncident,
    matches,
  }: {
    hasIncident: (threatSeq: number) => boolean;
    matches: (state: ThreatState) => boolean;
  },
): (state: ThreatState, changes: ThreatChanges) => void {
  const { created, changed, closed } = collected;

  function addNew(state: ThreatState, lateAt: Instant | null): void {
    const isFirst = created.threatSeqs.length === 0;
    created.threatSeqs.push(state.seq);
    created.bySeverity[state.severity] += 1;
    created.byDomain.set(state.protectedDomain, (created.byDomain.get(state.protectedDomain) ?? 0) + 1);
    keepTop(created.top, { state, lateAt }, (one) => one.state);
    if (isFirst) created.origin = originOf(state);
    else if (!isSameOrigin(created.origin, state)) created.origin = null;
  }

  return (state, { created: isNew, lateAt, changed: isChanged }) => {
    const announces = isNew || lateAt !== null;
    if (announces && state.status === "active") {
      // Facts that were found in the meantime may have lowered the severity. If it rises again, it is announced then.
      if (matches(state)) addNew(state, isNew ? null : lateAt);
      return;
    }
    if (announces) collected.closedAlready += 1;
    else if (!isChanged) return;
    else if (state.status !== "active" && hasIncident(state.seq)) closed.push(state);
    else {
      changed.counts[state.status] += 1;
      changed.total += 1;
      keepTop(changed.top, state, (one) => one);
    }
  };
}

/** Adds an item to the most severe ones, most severe first and then by similarity, if it is among them. */
function keepTop<T>(top: T[], item: T, stateOf: (item: T) => ThreatState): void {
  const isBefore = (a: ThreatState, b: ThreatState) =>
    (rank(a.severity) - rank(b.severity) ||
      Number(b.verified) - Number(a.verified) ||
      b.similarity - a.similarity) < 0;
  const state = stateOf(item);
  const at = top.findIndex((other) => isBefore(state, stateOf(other)));
  if (at === -1) top.push(item);
  else top.splice(at, 0, item);
  if (top.length > itemsMax) top.pop();
}

function rank(severity: Severity): number {
  return severities.indexOf(severity);
}

function originOf({ importSeq, scanSeq }: ThreatState): Collected["created"]["origin"] {
  if (importSeq !== null) return { importSeq };
  return scanSeq === null ? null : { scanSeq };
}

function isSameOrigin(origin: Collected["created"]["origin"], state: ThreatState): boolean {
  return JSON.stringify(origin) === JSON.stringify(originOf(state));
}

/** Combines changes that are not about threats. */
function createOthers() {
  const byObject = new Map<string, OtherChange>();
  let more = 0;
  const put = (key: string, change: OtherChange) => {
    if (byObject.has(key) || byObject.size < othersMax) byObject.set(key, change);
    else more += 1;
  };
  const countOf = (key: string) => {
    const known = byObject.get(key);
    return known !== undefined && "count" in known ? known.count : 0;
  };
  return {
    add({ type, data, seq }: QueuedRow): void {
      const content: unknown = JSON.parse(data ?? "null");
      // `createChangeObserver` and `createSystemMessages` wrote the payload of its type.
      if (type === "beacon.triggered") {
        const latest = content as EventPayload["beacon.triggered"];
        const key = latest.beacon.id;
        put(key, { kind: "beacon", latest, count: countOf(key) + 1 });
      } else if (type === "token.accessed") {
        const latest = content as EventPayload["token.accessed"];
        const key = latest.token.id;
        put(key, { kind: "honeytoken", latest, count: countOf(key) + 1 });
      } else if (type === "scan.started") {
        const started = content as EventPayload["scan.started"];
        put(started.scan.id, { kind: "scan_started", data: started });
      } else if (type === "scan.completed") {
        const ended = content as EventPayload["scan.completed"];
        put(ended.scan.id, { kind: "scan_ended", data: ended });
      } else put(String(seq), { kind: "condition", condition: content as ConditionChange });
    },
    list: () => [...byObject.values()],
    more: () => more,
  };
}
