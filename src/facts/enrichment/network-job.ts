import type { Needs } from "../../platform/database/needs.ts";
import type { Lookups } from "../lookups/lookups.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import { changesBetween, threatFactsOf } from "./facts/fact-changes.ts";
import { hostAddressesOf } from "./facts/facts.ts";
import { mergeFacts, type AddressNetwork } from "./facts/merge-facts.ts";
import { guardedLookup } from "./jobs/guarded-lookup.ts";
import type { RunJob } from "./jobs/worker.ts";
import type { NetworkQueue } from "./network-queue.ts";
import { nextRegistration, ranks, wantsNetworks } from "./plan.ts";
import type { EnrichmentStore, Subject } from "./store.ts";

/** The lookup has time limits of its own; this applies if one of them does not hold. */
const timeoutMs = 90_000;
/** Facts that a power failure loses are determined again. */
const background = { relaxed: true, patient: true };

/** Looks up the networks of one threat's addresses and saves them. */
export function createNetworkJob({
  clock,
  database,
  log,
  lookUp,
  queue,
  store,
  threats,
}: Needs<"clock" | "database" | "log"> & {
  lookUp: Lookups["network"];
  queue: NetworkQueue;
  store: EnrichmentStore;
  threats: Pick<Threats, "updateFacts">;
}): RunJob {
  function save(subject: Subject, networks: AddressNetwork[]): void {
    const now = clock.now();
    const { facts: before, id, networkFailures: failures, threatSeq } = subject;
    const after = mergeFacts(before, { networks }, now);
    threats.updateFacts(id, threatFactsOf(after, now), changesBetween(before, after));
    store.saveFacts(threatSeq, after);
    const failed = networks.map(({ result }) => result).filter((result) => !result.ok);
    // A server that demands a pause decides when the next attempt makes sense.
    const decisive = failed.find(({ retryAfterMs }) => retryAfterMs !== undefined) ?? failed[0];
    const next = decisive === undefined ? undefined : nextRegistration(decisive, failures, now);
    const rank = subject.networkRank ?? ranks.recheck;
    queue.save(threatSeq, next === undefined ? undefined : { rank, ...next });
  }

  return async (threatSeq, signal) => {
    const subject = store.find(threatSeq);
    if (subject === undefined || subject.networkRank === null) return;
    const requested = subject.networkRank === ranks.requested;
    const addresses = hostAddressesOf(subject.facts);
    const wanted = requested || wantsNetworks(subject.facts, subject.status, clock.now());
    if (!wanted || addresses.length === 0)
      return database.write(() => queue.save(threatSeq, undefined), background);
    const networks = await guardedLookup(
      Promise.all(addresses.map(async (address) => ({ address, result: await lookUp(address) }))),
      {
        log,
        signal,
        timeoutMs,
        unknown: (reason) =>
          addresses.map((address) => ({ address, result: { ok: false as const, reason } })),
      },
    );
    await database.write(() => {
      // Read again: a check may have changed it meanwhile.
      const present = store.find(threatSeq);
      if (present !== undefined) save(present, networks);
    }, background);
  };
}
