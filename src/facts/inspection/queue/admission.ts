import type { Config } from "../../../platform/config/config.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { inspectionPriorities, type InspectionPriority } from "../../../platform/vocabulary/inspections.ts";
import { noResult, type Inspection } from "../model/inspection.ts";
import type { RequestOptions, RequestOutcome } from "../model/request.ts";
import { isSamePage, readAddress, type ReadAddress } from "./addresses.ts";
import type { ThreatRecorder } from "./record-result.ts";
import type { QueuedInspection } from "./store.ts";
import type { InspectionStore } from "./store.ts";
import { grouped } from "../../../platform/lib/wording.ts";

/** A host is not inspected again for this long. */
export const hostPauseMs = 3_600_000;
/** Maximum number of inspections of a host within an hour, if people request them one by one. */
const againMax = 6;
/** Lists repeat their addresses, so an address of a feed is not inspected again for this long. */
const feedPauseMs = 24 * 3_600_000;
/** Longest address in a response. */
const shownMax = 2_048;

const prefix = "ins";
const ownName = "is your own or an allowed name, which is never fetched";

/** Why nothing is fetched, as a phrase for people; null: pages are fetched. */
export function disabledBy({ lookups }: Pick<Config, "lookups">): string | null {
  return lookups.enabled ? null : "pages are not fetched because lookups.enabled is false";
}

/** Decides which addresses are queued. */
export type Admission = ReturnType<typeof createAdmission>;

interface KnownInspection {
  outcome: "known" | "queued";
  inspection: QueuedInspection;
}

interface AdmissionDependencies extends Needs<"clock" | "ids" | "log"> {
  config: Pick<Config, "lookups">;
  domains: Pick<ProtectedDomains, "list" | "matcher">;
  recordStored: ThreatRecorder["recordStored"];
  store: InspectionStore;
}

export function createAdmission(dependencies: AdmissionDependencies) {
  const { clock, config, domains, ids, store } = dependencies;
  const merged = createMerge(dependencies);
  const places = createWaitingPlaces(dependencies);

  /** Reads an address; returns why it is not inspected, if so: a phrase that follows it. */
  function check(text: string, within?: readonly string[]): ReadAddress | { error: string; isOwn?: boolean } {
    const disabled = disabledBy(config);
    if (disabled !== null) return { error: `is not inspected: ${disabled}` };
    if (!domains.list().some(({ enabled }) => enabled))
      return { error: "is not inspected: no domain is protected" };
    const read = readAddress(text);
    if ("error" in read) return read;
    return domains.matcher().isOwn(read.host, within) ? { error: ownName, isOwn: true } : read;
  }

  /** Returns an inspection of the same page that waits, or is young enough. */
  function known(
    { address, host }: ReadAddress,
    { priority, within = [] }: Pick<RequestOptions, "priority" | "within">,
    ofHost = store.ofHost(host),
  ): KnownInspection | undefined {
    // Protected names of others are not visited. Those who must not learn of them see the same as for other names.
    const isConcealed = within.length > 0 && domains.matcher().isOwn(host);
    const youngFrom = clock.now() - (priority === "feed" ? feedPauseMs : hostPauseMs);
    for (const inspection of ofHost) {
      if (!isSamePage(inspection.address, address)) continue;
      const { state, finishedAt } = inspection;
      if (state === "queued" || state === "running") return { outcome: "queued", inspection };
      // By the other one of HTTP and HTTPS, the page may open.
      if (state === "failed" && inspection.address !== address) continue;
      // A time that lies ahead was stored before the clock was set back.
      const isYoung = finishedAt !== null && finishedAt > youngFrom && finishedAt <= clock.now();
      if ((state !== "skipped" || isConcealed) && isYoung) return { outcome: "known", inspection };
    }
    return undefined;
  }

  function decide(text: string, options: RequestOptions): RequestOutcome {
    const address = visible(text, shownMax);
    const read = check(text, options.within);
    if ("error" in read) return { address, outcome: "refused", reason: read.error };
    const now = clock.now();
    const ofHost = store.ofHost(read.host);
    const present = known(read, options, ofHost);
    const isAgain = options.again === true;
    if (isAgain && present?.inspection.state !== "running") {
      const reason = reasonNotAgain(ofHost, now);
      if (reason !== undefined) return { address, outcome: "refused", reason };
      if (present?.outcome === "queued") {
        const inspection = store.hasten(merged(present, options).inspection, now);
        return { address, outcome: "queued", inspection };
      }
    } else if (present !== undefined) return { address, ...merged(present, options) };
    const reason = places.take(ofHost, options.priority);
    if (reason !== undefined) return { address, outcome: "refused", reason };
    const inspection = store.insert({
      ...newInspection(read, options, { ids, now }),
      ...(isAgain || ofHost.length === 0 ? {} : waitFor(store, read.host, now)),
    });
    return { address, outcome: "queued", inspection };
  }

  function reasonNotAgain(ofHost: readonly Inspection[], now: Instant): string | undefined {
    const recent = ofHost.filter(
      ({ state, finishedAt }) => state !== "skipped" && (finishedAt ?? 0) > now - hostPauseMs,
    );
    return recent.length < againMax
      ? undefined
      : `is not inspected again: its host was inspected ${recent.length} times within the last hour`;
  }

  return {
    check,
    known,
    /** Queues addresses. Must run within a transaction. */
    enqueue: (addresses: readonly string[], options: RequestOptions) =>
      addresses.map((one) => decide(one, options)),
  };
}

/**
 * Returns a function that merges a further request of the same page into an inspection: its priority, and the protected
 * domains that its requester sees.
 */
function createMerge({ recordStored, store }: Pick<AdmissionDependencies, "recordStored" | "store">) {
  const rank = (priority: InspectionPriority) => inspectionPriorities.indexOf(priority);
  return ({ inspection, outcome }: KnownInspection, options: RequestOptions): KnownInspection => {
    const isHigher = outcome === "queued" && rank(options.priority) < rank(inspection.priority);
    const within = unionOf(inspection.within, options.within);
    const isWider = within?.length !== inspection.within?.length;
    if (!isHigher && !isWider) return { inspection, outcome };
    const changed = {
      ...inspection,
      within,
      priority: isHigher ? options.priority : inspection.priority,
      // A page that imitates a brand has no other reason than that its threat could not be recorded.
      reason: inspection.imitates === true && within === null ? null : inspection.reason,
    };
    store.readmit(changed);
    if (isWider && inspection.state === "done") recordStored(changed);
    return { inspection: changed, outcome };
  };
}

/** Returns the protected domains that either of two requests sees; null: all. */
function unionOf(present: string[] | null, added: readonly string[] = []): string[] | null {
  return present === null || added.length === 0 ? null : [...new Set([...present, ...added])];
}

/** Returns an inspection that waits. */
export function newInspection(
  { address, host }: ReadAddress,
  { origin, priority, source, within = [] }: RequestOptions,
  { ids, now }: Needs<"ids"> & { now: Instant },
): Omit<Inspection, "threatId"> {
  return {
    id: ids.nextWithPrefix(prefix),
    address,
    host,
    priority,
    source,
    origin,
    within: within.length === 0 ? null : [...within],
    requestedAt: now,
    state: "queued",
    dueAt: now,
    attempts: 0,
    startedAt: null,
    finishedAt: null,
    ...noResult,
  };
}

/**
 * Returns when an address of the host may be inspected, and why it waits.
 *
 * @param since when the address was admitted: what was inspected before was considered then. Default: never
 */
export function waitFor(
  store: Pick<InspectionStore, "lastInspectedAt">,
  host: string,
  now: Instant,
  since = -Infinity,
): { dueAt: Instant; reason: string | null } {
  const last = store.lastInspectedAt(host);
  // A time that lies ahead was stored before the clock was set back.
  if (last === undefined || last > now || last <= since || last + hostPauseMs <= now)
    return { dueAt: now, reason: null };
  return { dueAt: last + hostPauseMs, reason: "its host was inspected less than an hour ago" };
}

/** Two days of the default budget. Beyond it, the oldest addresses of feeds are dropped. */
const waitingMax = 200_000;
/** One address is inspected per host and hour, so that more of them would wait for half a day. */
const waitingOfHostMax = 10;
/** Maximum age of the count of waiting addresses. */
const countAgeMs = 2_000;

/** Limits how many addresses wait. */
function createWaitingPlaces(dependencies: Pick<AdmissionDependencies, "clock" | "log" | "store">) {
  const { clock, store } = dependencies;
  const waiting = createWaitingCount(dependencies);
  const drops = createDropReport(dependencies);
  return {
    /** Takes a place for an address whose host has these inspections. Returns why there is none: a phrase that follows it. */
    take(ofHost: readonly Inspection[], priority: InspectionPriority): string | undefined {
      if (waitingBefore(ofHost, priority) >= waitingOfHostMax)
        return `is not inspected: ${waitingOfHostMax} addresses of its host wait already`;
      if (waiting.count() < waitingMax) {
        waiting.add();
        return undefined;
      }
      if (!store.dropOldest(clock.now(), "dropped: too many addresses wait"))
        return `is not inspected: ${grouped(waitingMax)} addresses wait already`;
      store.add(clock.now(), "dropped", 1);
      drops.add();
      return undefined;
    },
  };
}

/** Counts what waits with this priority or a higher one: a list must not close a host to people. */
function waitingBefore(inspections: readonly Inspection[], priority: InspectionPriority): number {
  const rank = inspectionPriorities.indexOf(priority);
  return inspections.filter(
    (one) => one.state === "queued" && inspectionPriorities.indexOf(one.priority) <= rank,
  ).length;
}

/** Counts the addresses that wait, without a query for each request. */
function createWaitingCount({ clock, store }: Pick<AdmissionDependencies, "clock" | "store">) {
  let known = 0;
  let knownAtMs = -Infinity;
  return {
    count(): number {
      if (clock.monotonicMs() - knownAtMs >= countAgeMs) {
        const { person, submission, feed } = store.waiting();
        known = person + submission + feed;
        knownAtMs = clock.monotonicMs();
      }
      return known;
    },
    add: () => void (known += 1),
  };
}

const dropReportMs = 3_600_000;

/** Logs how many addresses were dropped, at most once an hour. */
function createDropReport({ clock, log }: Pick<AdmissionDependencies, "clock" | "log">) {
  let count = 0;
  let reportedAtMs = -Infinity;
  return {
    add(): void {
      count += 1;
      if (clock.monotonicMs() - reportedAtMs < dropReportMs) return;
      log.event("inspection.addresses_dropped", { count });
      reportedAtMs = clock.monotonicMs();
      count = 0;
    },
  };
}
