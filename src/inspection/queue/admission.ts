import type { Config } from "../../config/config.ts";
import type { ProtectedDomains } from "../../domains/domains.ts";
import type { Clock, Instant } from "../../lib/clock.ts";
import type { IdFactory } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import { visible } from "../../lib/safe-text.ts";
import { grouped } from "../../lib/wording.ts";
import { inspectionPriorities, type InspectionPriority } from "../../vocabulary/inspections.ts";
import type { Inspection } from "../model/inspection.ts";
import type { RequestOptions, RequestOutcome } from "../model/request.ts";
import { isSamePage, readAddress, type ReadAddress } from "./addresses.ts";
import type { QueuedInspection } from "./statements.ts";
import type { InspectionStore } from "./store.ts";

/** A host is not inspected again for this long. */
export const hostPauseMs = 3_600_000;
/** Maximum number of inspections of a host within an hour, if people request them one by one. */
const againMax = 6;
/** Lists repeat their addresses: those of feeds are not inspected again for this long. */
const feedPauseMs = 24 * 3_600_000;
/** Two days of the default budget. Beyond it, the oldest addresses of feeds are dropped. */
const waitingMax = 200_000;
/** One address is inspected per host and hour, so that more of them would wait for most of a day. */
const waitingOfHostMax = 10;
/** Number of waiting addresses is counted again after this long. */
const countAgeMs = 2_000;
/** Longest address in a response. */
const shownMax = 2_048;

const prefix = "ins";
const ownName = "is your own or an allowed name, which is never fetched";

/** Why nothing is fetched, as a phrase for people; null: pages are fetched. */
export function disabledBy({ lookups }: Pick<Config, "lookups">): string | null {
  return lookups.enabled ? null : "pages are not fetched because lookups.enabled is false";
}

/** Decides which addresses are queued. */
export interface Admission {
  /** Queues addresses. Must run within a transaction. */
  enqueue(addresses: readonly string[], options: RequestOptions): RequestOutcome[];
  /** Reads an address; returns why it is not inspected, if so: a phrase that follows it. */
  check(text: string): ReadAddress | { error: string; isOwn?: boolean };
  /** Returns an inspection of the same page that waits, or is young enough. */
  known(address: ReadAddress, priority: InspectionPriority): KnownInspection | undefined;
}

interface KnownInspection {
  outcome: "known" | "queued";
  inspection: QueuedInspection;
}

export function createAdmission({
  clock,
  config,
  domains,
  ids,
  log,
  store,
}: {
  clock: Pick<Clock, "now" | "monotonicMs">;
  config: Pick<Config, "lookups">;
  domains: Pick<ProtectedDomains, "list" | "matcher">;
  ids: IdFactory;
  log: Log;
  store: InspectionStore;
}): Admission {
  const waiting = createWaitingCount({ clock, store });
  const drops = createDropReport({ clock, log });

  function check(text: string): ReadAddress | { error: string; isOwn?: boolean } {
    const disabled = disabledBy(config);
    if (disabled !== null) return { error: `is not inspected: ${disabled}` };
    if (!domains.list().some(({ enabled }) => enabled))
      return { error: "is not inspected: no domain is protected" };
    const read = readAddress(text);
    if ("error" in read) return read;
    return domains.matcher().isOwn(read.host) ? { error: ownName, isOwn: true } : read;
  }

  function known({ address, host }: ReadAddress, priority: InspectionPriority): KnownInspection | undefined {
    const youngFrom = clock.now() - (priority === "feed" ? feedPauseMs : hostPauseMs);
    for (const inspection of store.ofHost(host)) {
      if (!isSamePage(inspection.address, address)) continue;
      const { state, finishedAt } = inspection;
      if (state === "queued" || state === "running") return { outcome: "queued", inspection };
      // By the other one of HTTP and HTTPS, the page may open.
      if (state === "failed" && inspection.address !== address) continue;
      // A time that lies ahead was stored before the clock was set back.
      const isYoung = finishedAt !== null && finishedAt > youngFrom && finishedAt <= clock.now();
      if (state !== "skipped" && isYoung) return { outcome: "known", inspection };
    }
    return undefined;
  }

  /** Returns why there is no place in the queue; undefined if there is. */
  function reasonForNoPlace(host: string, priority: InspectionPriority): string | undefined {
    if (waitingBefore(store.ofHost(host), priority) >= waitingOfHostMax)
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
  }

  function decide(text: string, options: RequestOptions): RequestOutcome {
    const address = visible(text, shownMax);
    const read = check(text);
    if ("error" in read) return { address, outcome: "refused", reason: read.error };
    const now = clock.now();
    const present = known(read, options.priority);
    const isAgain = options.again === true;
    if (isAgain && present?.inspection.state !== "running") {
      const reason = reasonNotAgain(read.host, now);
      if (reason !== undefined) return { address, outcome: "refused", reason };
      if (present?.outcome === "queued")
        return { address, outcome: "queued", inspection: store.hasten(present.inspection, now) };
    } else if (present !== undefined) return { address, ...promoted(present, options.priority) };
    const reason = reasonForNoPlace(read.host, options.priority);
    if (reason !== undefined) return { address, outcome: "refused", reason };
    const inspection = store.insert({
      ...newInspection(read, options, { ids, now }),
      ...(isAgain ? {} : waitFor(store, read.host, now)),
    });
    return { address, outcome: "queued", inspection };
  }

  function reasonNotAgain(host: string, now: Instant): string | undefined {
    const recent = store
      .ofHost(host)
      .filter(({ state, finishedAt }) => state !== "skipped" && (finishedAt ?? 0) > now - hostPauseMs);
    return recent.length < againMax
      ? undefined
      : `is not inspected again: its host was inspected ${recent.length} times within the last hour`;
  }

  function promoted(present: KnownInspection, priority: InspectionPriority): KnownInspection {
    const { inspection, outcome } = present;
    const isHigher =
      inspectionPriorities.indexOf(priority) < inspectionPriorities.indexOf(inspection.priority);
    if (outcome === "known" || !isHigher) return present;
    store.promote(inspection.seq, priority);
    return { outcome, inspection: { ...inspection, priority } };
  }

  return { check, known, enqueue: (addresses, options) => addresses.map((one) => decide(one, options)) };
}

/** Returns how many wait, without those of a lower priority: a list must not close a host to people. */
function waitingBefore(inspections: readonly Inspection[], priority: InspectionPriority): number {
  const rank = inspectionPriorities.indexOf(priority);
  return inspections.filter(
    (one) => one.state === "queued" && inspectionPriorities.indexOf(one.priority) <= rank,
  ).length;
}

/** Returns an inspection that waits. */
export function newInspection(
  { address, host }: ReadAddress,
  { origin, priority, source }: Pick<RequestOptions, "origin" | "priority" | "source">,
  { ids, now }: { ids: IdFactory; now: Instant },
): Omit<Inspection, "threatId"> {
  return {
    id: ids.nextWithPrefix(prefix),
    address,
    host,
    priority,
    source,
    origin,
    requestedAt: now,
    state: "queued",
    dueAt: now,
    attempts: 0,
    startedAt: null,
    finishedAt: null,
    durationMs: null,
    imitates: null,
    protectedDomain: null,
    score: null,
    verdicts: [],
    page: null,
    reason: null,
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

/** Counts the addresses that wait, without a query for each request. */
function createWaitingCount({
  clock,
  store,
}: {
  clock: Pick<Clock, "monotonicMs">;
  store: Pick<InspectionStore, "waiting">;
}) {
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
function createDropReport({ clock, log }: { clock: Pick<Clock, "monotonicMs">; log: Log }) {
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
