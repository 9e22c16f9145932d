import type { Config } from "../../config/config.ts";
import type { ProtectedDomains } from "../../domains/domains.ts";
import type { Clock } from "../../lib/clock.ts";
import type { IdFactory } from "../../lib/ids.ts";
import { visible } from "../../lib/safe-text.ts";
import { grouped } from "../../lib/wording.ts";
import { inspectionPriorities, type InspectionPriority } from "../../vocabulary/inspections.ts";
import type { RequestOptions, RequestOutcome } from "../model/request.ts";
import { isSamePage, readAddress, type ReadAddress } from "./addresses.ts";
import type { QueuedInspection } from "./statements.ts";
import type { InspectionStore } from "./store.ts";

/** A host is not inspected again for this long. */
const hostPauseMs = 3_600_000;
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
function disabledBy({ lookups }: Pick<Config, "lookups">): string | null {
  return lookups.enabled ? null : "pages are not fetched because lookups.enabled is off";
}

/** Decides which addresses are queued. Must run within a transaction. */
export function createAdmission({
  clock,
  config,
  domains,
  ids,
  store,
}: {
  clock: Pick<Clock, "now" | "monotonicMs">;
  config: Pick<Config, "lookups">;
  domains: Pick<ProtectedDomains, "list" | "matcher">;
  ids: IdFactory;
  store: InspectionStore;
}): (addresses: readonly string[], options: RequestOptions) => RequestOutcome[] {
  const waiting = createWaitingCount({ clock, store });

  function decide(text: string, options: RequestOptions, isProtecting: boolean): RequestOutcome {
    const shown = visible(text, shownMax);
    const refused = (reason: string): RequestOutcome => ({ address: shown, outcome: "refused", reason });
    const disabled = disabledBy(config);
    if (disabled !== null) return refused(`is not inspected: ${disabled}`);
    if (!isProtecting) return refused("is not inspected: no domain is protected");
    const read = readAddress(text);
    if ("error" in read) return refused(read.error);
    if (domains.matcher().isOwn(read.host)) return refused(ownName);
    const known = knownAt(read, options.priority);
    if (known !== undefined) return { address: shown, ...known };
    const ofHost = store.ofHost(read.host);
    if (ofHost.filter(({ state }) => state === "queued").length >= waitingOfHostMax)
      return refused(`is not inspected: ${waitingOfHostMax} addresses of its host wait already`);
    if (waiting.count() >= waitingMax && !store.dropOldest(clock.now(), "dropped: too many addresses wait"))
      return refused(`is not inspected: ${grouped(waitingMax)} addresses wait already`);
    waiting.add();
    return { address: shown, outcome: "queued", inspection: insert(read, options) };
  }

  /** Returns an inspection of the same page that waits, or is young enough. */
  function knownAt({ address, host }: ReadAddress, priority: InspectionPriority) {
    const youngFrom = clock.now() - (priority === "feed" ? feedPauseMs : hostPauseMs);
    for (const inspection of store.ofHost(host)) {
      if (!isSamePage(inspection.address, address)) continue;
      const { state, finishedAt } = inspection;
      if (state === "queued" || state === "running")
        return { outcome: "queued" as const, inspection: promoted(inspection, priority) };
      if (state !== "skipped" && finishedAt !== null && finishedAt > youngFrom)
        return { outcome: "known" as const, inspection };
    }
    return undefined;
  }

  function promoted(inspection: QueuedInspection, priority: InspectionPriority): QueuedInspection {
    const isHigher =
      inspectionPriorities.indexOf(priority) < inspectionPriorities.indexOf(inspection.priority);
    if (!isHigher) return inspection;
    store.promote(inspection.seq, priority);
    return { ...inspection, priority };
  }

  function insert({ address, host }: ReadAddress, { origin, priority, source }: RequestOptions) {
    const now = clock.now();
    return store.insert({
      id: ids.nextWithPrefix(prefix),
      address,
      host,
      priority,
      source,
      origin,
      requestedAt: now,
      state: "queued",
      ...waitFor(store, host, now),
      attempts: 0,
      startedAt: null,
      finishedAt: null,
      durationMs: null,
      imitates: null,
      protectedDomain: null,
      score: null,
      verdicts: [],
      page: null,
    });
  }

  return (addresses, options) => {
    const isProtecting = domains.list().some(({ enabled }) => enabled);
    return addresses.map((address) => decide(address, options, isProtecting));
  };
}

/** Returns when an address of the host may be inspected, and why it waits. */
function waitFor(
  store: Pick<InspectionStore, "lastInspectedAt">,
  host: string,
  now: number,
): { dueAt: number; reason: string | null } {
  const last = store.lastInspectedAt(host);
  // A time that lies ahead was stored before the clock was set back.
  if (last === undefined || last > now || last + hostPauseMs <= now) return { dueAt: now, reason: null };
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
