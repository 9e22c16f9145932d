import { itself } from "../access/actor.ts";
import type { Database } from "../database/database.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { within } from "../lib/deadline.ts";
import { createKeyedLimiter } from "../lib/limiter.ts";
import { logDropped, type Log } from "../lib/log.ts";
import type { Threats } from "../threats/threats.ts";
import { cameBackToLife, changesBetween } from "./changes.ts";
import { mergeLook, threatFactsOf, type Facts, type Look } from "./facts.ts";
import {
  nextLook,
  rankOf,
  ranks,
  wantsPage,
  wantsRegistration,
  wantsScreenshot,
  type Abilities,
} from "./plan.ts";
import type { LookUps } from "./look-ups.ts";
import type { EnrichmentStore, Subject } from "./store.ts";

const dayMs = 86_400_000;
/** Each look-up has time limits of its own; these are for the case that one does not hold. */
const existenceTimeoutMs = 30_000;
const registrationTimeoutMs = 90_000;
const pageTimeoutMs = 60_000;
/** Hosts of parked names stand behind few addresses, which are nobody's to flood. */
const pagesPerAddressMax = 2;
const failed = "it failed for a reason of our own; the log says more";

/** Finds out what there is to know of one threat, and writes it down. */
export type LookAt = (threatSeq: number, signal: AbortSignal) => Promise<void>;

export function createLook({
  abilities,
  clock,
  database,
  log,
  lookUps,
  reactivate,
  store,
  threats,
}: {
  abilities: Abilities;
  clock: Clock;
  database: Database;
  log: Log;
  lookUps: LookUps;
  /** `detection.reactivate`. */
  reactivate: boolean;
  store: EnrichmentStore;
  threats: Pick<Threats, "updateFacts" | "changeStatus">;
}): LookAt {
  const perAddress = createKeyedLimiter(pagesPerAddressMax);

  /** An answer that did not come, or an error of ours, is an unknown fact and nothing worse. */
  async function bounded<T>(
    work: Promise<T>,
    signal: AbortSignal,
    timeoutMs: number,
    unknown: (reason: string) => T,
  ) {
    try {
      return await within(work, {
        timeoutMs,
        signal,
        late: () => unknown(`no answer within ${timeoutMs / 1000} s`),
      });
    } catch (error) {
      signal.throwIfAborted();
      logDropped(log, error, "a look-up for a threat failed");
      return unknown(failed);
    }
  }

  async function find(subject: Subject, asked: boolean, signal: AbortSignal): Promise<Look> {
    const { domain, facts: before } = subject;
    const look: Look = {};
    let facts = before;
    if (abilities.names) {
      look.existence = await bounded(
        lookUps.existence(domain, { signal }),
        signal,
        existenceTimeoutMs,
        (reason) => ({
          ...unknownExistence,
          reason,
        }),
      );
      facts = mergeLook(before, look, clock.now());
    }
    const now = clock.now();
    const registration =
      abilities.registration && wantsRegistration(facts, before, asked, now)
        ? bounded(lookUps.registration(domain), signal, registrationTimeoutMs, (reason) => ({
            ok: false as const,
            reason,
          }))
        : undefined;
    const page =
      abilities.names && wantsPage(facts, asked, now)
        ? bounded(fetchPage(subject, facts), signal, pageTimeoutMs, (reason) => ({
            ok: false as const,
            reason,
          }))
        : undefined;
    const [registrationResult, pageResult] = await Promise.all([registration, page]);
    if (registrationResult !== undefined) look.registration = registrationResult;
    if (pageResult !== undefined) look.page = pageResult;
    return look;
  }

  function fetchPage({ domain, protectedDomain, keywords }: Subject, facts: Facts) {
    const brandWords = [protectedDomain.split(".")[0]!, ...keywords];
    return perAddress(facts.existence?.addresses[0] ?? domain, () =>
      lookUps.page({ name: domain, protectedDomain, brandWords }),
    );
  }

  function write(threatSeq: number, asked: boolean, look: Look): void {
    // Read again: a screenshot or a person may have been there meanwhile.
    const subject = store.find(threatSeq);
    if (subject === undefined) return;
    const now = clock.now();
    const { facts: before, id } = subject;
    const after = mergeLook(before, look, now);
    const changes = changesBetween(before, after);
    const updated = threats.updateFacts(id, threatFactsOf(after, now), changes);
    store.saveFacts(threatSeq, after);
    const alive = cameBackToLife(before, after);
    let { status } = subject;
    if (reactivate && alive && status === "resolved") {
      threats.changeStatus([id], "active", { by: itself });
      status = "active";
    }
    const rose = updated !== undefined && rankOf(updated.severity) < rankOf(updated.previousSeverity);
    const result = { complete: isComplete(look), news: rose || alive, retryAfterMs: retryAfterMs(look) };
    store.saveLook(threatSeq, now, { rank: ranks.watch, ...nextLook(subject, result, now) });
    if (abilities.screenshots && wantsScreenshot(before, after, { asked, status, now })) {
      const rank = rankOf(updated?.severity ?? subject.severity);
      store.saveScreenshotDue(threatSeq, { rank, dueAt: now, failures: 0 });
    }
  }

  return async (threatSeq, signal) => {
    const subject = store.find(threatSeq);
    if (subject === undefined) return;
    const asked = subject.rank === ranks.asked;
    if (subject.status === "false_positive" && !asked) {
      postpone(store, subject, clock.now());
      return;
    }
    const look = await find(subject, asked, signal);
    const save = () => write(threatSeq, asked, look);
    // Facts are found again after a power cut; an event that was promised is not. Which of the two it is shows
    // only within, so a threat that could be reactivated takes the safe way.
    if (subject.status === "resolved") database.transaction(save);
    else relaxedTransaction(database, save);
  };
}

/** A person may change their mind about a false positive, so it stays in the queue; but nobody looks. */
function postpone(store: EnrichmentStore, { threatSeq, step }: Subject, now: Instant): void {
  store.saveLook(threatSeq, null, { rank: ranks.watch, dueAt: now + dayMs, step, failures: 0 });
}

/** A page that does not answer is a fact of many names; a silent resolver or registry is an outage. */
function isComplete({ existence, registration }: Look): boolean {
  const registrationKnown =
    registration === undefined || registration.ok || registration.unregistered === true;
  return existence?.exists !== "unknown" && registrationKnown;
}

function retryAfterMs({ registration }: Look): number | undefined {
  return registration?.ok === false ? registration.retryAfterMs : undefined;
}

const unknownExistence = {
  exists: "unknown" as const,
  addresses: [],
  mailServers: [],
  nameServers: [],
  wildcard: false,
};
