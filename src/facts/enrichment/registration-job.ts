import type { Needs } from "../../platform/database/needs.ts";
import type { RegistrationResult } from "../lookups/registration/registration-lookup.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import { changesBetween, threatFactsOf } from "./facts/fact-changes.ts";
import { mergeFacts } from "./facts/merge-facts.ts";
import { guardedLookup } from "./jobs/guarded-lookup.ts";
import type { Lookups } from "../lookups/lookups.ts";
import { mayBeRegistered, nextRegistration, ranks } from "./plan.ts";
import type { RegistrationQueue } from "./registration-queue.ts";
import type { RegistrationResponses } from "./registration-responses.ts";
import type { EnrichmentStore, Subject } from "./store.ts";
import type { RunJob } from "./jobs/worker.ts";

/** The lookup has time limits of its own; this applies if one of them does not hold. */
const timeoutMs = 90_000;
/** Facts that a power failure loses are determined again. */
const background = { relaxed: true, patient: true };

/** Looks up the registration data of one threat and saves it. */
export function createRegistrationJob({
  clock,
  database,
  log,
  lookUp,
  queue,
  responses,
  store,
  threats,
}: Needs<"clock" | "database" | "log"> & {
  lookUp: Lookups["registration"];
  queue: RegistrationQueue;
  responses: Pick<RegistrationResponses, "save">;
  store: EnrichmentStore;
  threats: Pick<Threats, "updateFacts">;
}): RunJob {
  function save(subject: Subject, registration: RegistrationResult): void {
    const now = clock.now();
    const { domain, facts: before, id, registrationFailures: failures, threatSeq } = subject;
    const after = mergeFacts(before, { registration }, now);
    threats.updateFacts(id, threatFactsOf(after, now), changesBetween(before, after));
    store.saveFacts(threatSeq, after);
    if (registration.ok) responses.save(threatSeq, registration.raw, now);
    const next = nextRegistration(registration, failures, now);
    const rank = subject.registrationRank ?? ranks.recheck;
    queue.save(threatSeq, domain, next === undefined ? undefined : { rank, ...next });
  }

  return async (threatSeq, signal) => {
    const subject = store.find(threatSeq);
    if (subject === undefined || subject.registrationRank === null) return;
    const requested = subject.registrationRank === ranks.requested;
    const unwanted = subject.status === "false_positive" || !mayBeRegistered(subject.facts);
    if (unwanted && !requested)
      return database.write(() => queue.save(threatSeq, subject.domain, undefined), background);
    const registration = await guardedLookup(lookUp(subject.domain), {
      log,
      signal,
      timeoutMs,
      unknown: (reason) => ({ ok: false as const, reason }),
    });
    await database.write(() => {
      // Read again: a check may have changed it meanwhile.
      const present = store.find(threatSeq);
      if (present !== undefined) save(present, registration);
    }, background);
  };
}
