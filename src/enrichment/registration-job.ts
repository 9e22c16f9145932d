import type { Database } from "../database/database.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Threats } from "../threats/threats.ts";
import { boundedLookUp } from "./guarded-lookup.ts";
import { changesBetween } from "./facts/fact-changes.ts";
import type { EvidenceStore } from "./registration-responses.ts";
import { mergeLook, threatFactsOf } from "./facts/facts.ts";
import type { LookUps } from "./lookups.ts";
import { isWorthAsking, nextRegistration, ranks } from "./plan.ts";
import type { RegistrationQueue } from "./registration-queue.ts";
import type { RegistrationResult } from "../lookups/registration/registration-lookup.ts";
import type { EnrichmentStore, Subject } from "./store.ts";

/** Asks for the registration data of one threat, and writes down what came of it. */
export type AskRegistration = (threatSeq: number, signal: AbortSignal) => Promise<void>;

/** Its questions have time limits of their own; this is for the case that one does not hold. */
const timeoutMs = 90_000;

export function createRegistrations({
  clock,
  database,
  evidence,
  log,
  lookUp,
  queue,
  store,
  threats,
}: {
  clock: Clock;
  database: Database;
  evidence: Pick<EvidenceStore, "saveAnswer">;
  log: Log;
  lookUp: LookUps["registration"];
  queue: RegistrationQueue;
  store: EnrichmentStore;
  threats: Pick<Threats, "updateFacts">;
}): AskRegistration {
  function write(subject: Subject, registration: RegistrationResult): void {
    const now = clock.now();
    const { domain, facts: before, id, registrationFailures: failures, threatSeq } = subject;
    const after = mergeLook(before, { registration }, now);
    threats.updateFacts(id, threatFactsOf(after, now), changesBetween(before, after));
    store.saveFacts(threatSeq, after);
    if (registration.ok) evidence.saveAnswer(threatSeq, registration.raw, now);
    const next = nextRegistration(registration, failures, now);
    const rank = subject.registrationRank ?? ranks.watch;
    queue.save(threatSeq, domain, next === undefined ? undefined : { rank, ...next });
  }

  return async (threatSeq, signal) => {
    const subject = store.find(threatSeq);
    if (subject === undefined || subject.registrationRank === null) return;
    const asked = subject.registrationRank === ranks.asked;
    const unwanted = subject.status === "false_positive" || !isWorthAsking(subject.facts);
    if (unwanted && !asked) return queue.save(threatSeq, subject.domain, undefined);
    const work = lookUp(subject.domain);
    const registration = await boundedLookUp(work, {
      log,
      signal,
      timeoutMs,
      unknown: (reason) => ({ ok: false as const, reason }),
    });
    relaxedTransaction(database, () => {
      // Read again: a look may have been there meanwhile.
      const present = store.find(threatSeq);
      if (present !== undefined) write(present, registration);
    });
  };
}
