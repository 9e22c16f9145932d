import { system } from "../access/audit/actor.ts";
import type { Database } from "../database/database.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { createKeyedLimiter } from "../lib/limiter.ts";
import type { Log } from "../lib/log.ts";
import type { Threats } from "../threats/threats.ts";
import { boundedLookUp } from "./guarded-lookup.ts";
import { cameBackToLife, changesBetween } from "./facts/fact-changes.ts";
import { mergeLook, threatFactsOf, type Facts, type Look } from "./facts/facts.ts";
import type { HandedOver } from "./handoff.ts";
import {
  nextLook,
  rankOf,
  ranks,
  wantsPage,
  wantsRegistration,
  wantsScreenshot,
  type Abilities,
} from "./plan.ts";
import type { LookUps } from "./lookups.ts";
import type { RegistrationQueue } from "./registration-queue.ts";
import type { EnrichmentStore, Subject } from "./store.ts";

const dayMs = 86_400_000;
/** Each look-up has time limits of its own; these are for the case that one does not hold. */
const existenceTimeoutMs = 30_000;
const pageTimeoutMs = 60_000;
/** Hosts of parked names stand behind few addresses, which are nobody's to flood. */
const pagesPerAddressMax = 2;

/** Finds out what DNS and the web say of one threat, writes it down, and orders what takes longer. */
export type LookAt = (threatSeq: number, signal: AbortSignal) => Promise<void>;

export function createLook({
  abilities,
  clock,
  database,
  handedOver,
  log,
  lookUps,
  reactivate,
  registrationQueue,
  store,
  threats,
}: {
  abilities: Abilities;
  clock: Clock;
  database: Database;
  handedOver: HandedOver;
  log: Log;
  lookUps: LookUps;
  /** `detection.reactivate`. */
  reactivate: boolean;
  registrationQueue: RegistrationQueue;
  store: EnrichmentStore;
  threats: Pick<Threats, "updateFacts" | "changeStatus">;
}): LookAt {
  const perAddress = createKeyedLimiter(pagesPerAddressMax);

  async function find(subject: Subject, asked: boolean, signal: AbortSignal): Promise<Look> {
    if (!abilities.names) return {};
    const { domain, facts: before, id } = subject;
    const look: Look = {};
    look.existence =
      handedOver.take(id) ??
      (await boundedLookUp(lookUps.existence(domain, { signal }), {
        log,
        signal,
        timeoutMs: existenceTimeoutMs,
        unknown: (reason) => ({ ...unknownExistence, reason }),
      }));
    const facts = mergeLook(before, look, clock.now());
    if (wantsPage(facts, asked, clock.now()))
      look.page = await boundedLookUp(fetchPage(subject, facts), {
        log,
        signal,
        timeoutMs: pageTimeoutMs,
        unknown: (reason) => ({ ok: false as const, reason }),
      });
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
      threats.changeStatus([id], "active", { by: system });
      status = "active";
    }
    const rose = updated !== undefined && rankOf(updated.severity) < rankOf(updated.previousSeverity);
    const complete = look.existence?.exists !== "unknown";
    store.saveLook(threatSeq, now, {
      rank: ranks.watch,
      ...nextLook(subject, { complete, news: rose || alive }, now),
    });
    const rank = rankOf(updated?.severity ?? subject.severity);
    // One that waits already has its own time.
    const wanted = asked || subject.registrationRank === null;
    if (
      abilities.registration &&
      wanted &&
      wantsRegistration(after, before, { asked, retry: subject.failures > 0, now })
    ) {
      const due = { rank: asked ? ranks.asked : rank, dueAt: now, failures: 0 };
      registrationQueue.save(threatSeq, subject.domain, due);
    }
    if (abilities.screenshots && wantsScreenshot(before, after, { asked, status, now })) {
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

const unknownExistence = {
  exists: "unknown" as const,
  addresses: [],
  mailServers: [],
  nameServers: [],
  wildcard: false,
};
