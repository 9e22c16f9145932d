import type { Database } from "../database/database.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { logDropped, type Log } from "../lib/log.ts";
import type { Threats } from "../threats/threats.ts";
import type { Facts } from "./facts/facts.ts";
import type { Camera } from "../lookups/page/chromium.ts";
import type { Existence } from "../lookups/dns/existence.ts";
import { createHandedOver } from "./handoff.ts";
import { createEvidenceStore, type RegistrationAnswer } from "./registration-responses.ts";
import { createLook } from "./check-job.ts";
import type { Pictures } from "../lookups/page/screenshot-files.ts";
import type { Abilities } from "./plan.ts";
import type { LookUps } from "./lookups.ts";
import { createRegistrationQueue } from "./registration-queue.ts";
import { createRegistrations } from "./registration-job.ts";
import { createScreenshots } from "./screenshot-job.ts";
import { createEnrichmentStore } from "./store.ts";
import { whyNoCapture } from "./facts/missing-screenshot.ts";
import { createWorker, type Worker } from "./worker.ts";

/** Facts about threats: found out when a threat is new, then at growing intervals, and when a person asks. */
export interface Enrichment {
  /** Takes up what is due, from this run or an earlier one. Does nothing where everything is switched off. */
  start(): void;
  /** Gives up what is under way; it stays due. */
  stop(): Promise<void>;
  /** Looks at a threat as soon as possible. Answers whether anything can be looked up at all. */
  request(threatId: string): boolean;
  /** What is known; undefined: never looked at. */
  factsOf(threatId: string): { facts: Facts; lookedAt: Instant | null; dueAt: Instant } | undefined;
  /** The captured page of a threat (WebP), or why there is none, for people. */
  captureOf(threatId: string): Promise<{ webp: Uint8Array<ArrayBuffer> } | { why: string }>;
  /** Takes what a scan heard from DNS about a threat, so that the next look need not ask again. */
  hand(threatId: string, existence: Existence): void;
  /** Whether all is done for a threat that is due, what failed and is tried again later included. */
  isSettled(threatId: string): boolean;
  /** The page of the domain that a threat imitates, as it was last compared with a threat (WebP). */
  originalOf(threatId: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** What registry or registrar last said about a threat's registration. */
  registrationAnswerOf(threatId: string): RegistrationAnswer | undefined;
  /** Looks, questions about registrations and screenshots under way. */
  running(): number;
}

/** Look-ups wait for others nearly all of the time. */
const concurrencyMax = 128;
/** About 36,000 threats an hour: an import of 100,000 is spread over three hours, the most severe ones first. */
const startsPerSecondMax = 10;
/** A few of each suffix; most of them then wait for their turn. */
const registrationStartsPerSecondMax = 50;
const admittedPerStepMax = 200;
const requestsMax = 1_000;

export function createEnrichment({
  abilities: { names, registration },
  camera,
  clock,
  database,
  log,
  lookUps,
  noCamera,
  onStop = () => {},
  pictures,
  reactivate,
  threats,
}: {
  abilities: Omit<Abilities, "screenshots">;
  /** Undefined: no screenshots. */
  camera: Camera | undefined;
  /** Why there is none. */
  noCamera?: string | undefined;
  clock: Clock;
  database: Database;
  log: Log;
  lookUps: LookUps;
  /** Closes what the look-ups keep open. */
  onStop?: () => void;
  pictures: Pictures;
  reactivate: boolean;
  threats: Threats;
}): Enrichment {
  const store = createEnrichmentStore(database);
  const evidence = createEvidenceStore(database);
  const registrationQueue = createRegistrationQueue(database);
  const handedOver = createHandedOver(clock);
  const requested = new Set<string>();
  const anything = names || registration;
  // Which page to show, DNS and the web have to say.
  const abilities: Abilities = { names, registration, screenshots: names && camera !== undefined };
  const looks: Worker = createWorker({
    clock,
    log,
    name: "enrichment",
    concurrencyMax,
    startsPerSecondMax,
    prepare() {
      admit();
      for (const id of requested) if (store.ask(id, clock.now())) requested.delete(id);
    },
    take: (limit) => store.due(clock.now(), limit),
    work: createLook({
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
    }),
  });
  const lookUp = lookUps.registration;
  const registrations: Worker | undefined = registration
    ? createWorker({
        clock,
        log,
        name: "registration data",
        concurrencyMax,
        startsPerSecondMax: registrationStartsPerSecondMax,
        take: (limit) => registrationQueue.due(clock.now(), limit),
        work: createRegistrations({
          clock,
          database,
          log,
          lookUp,
          evidence,
          queue: registrationQueue,
          store,
          threats,
        }),
      })
    : undefined;
  const screenshots: Worker | undefined =
    camera === undefined || !names
      ? undefined
      : createWorker({
          clock,
          log,
          name: "a screenshot",
          concurrencyMax: 1,
          startsPerSecondMax: 1,
          take: (limit) => store.dueScreenshots(clock.now(), limit),
          work: createScreenshots({ camera, clock, database, evidence, pictures, store, threats }),
        });
  let started = false;

  /** A mass import comes over many turns of the event loop, so that requests are answered in between. */
  function admit(): void {
    if (!started) return;
    try {
      if (store.admitNew(clock.now(), admittedPerStepMax) === admittedPerStepMax) setImmediate(admit);
    } catch (error) {
      logDropped(log, error, "new threats wait to be enriched");
    }
  }

  return {
    start() {
      if (!anything) return;
      started = true;
      if (names && noCamera !== undefined) log.info({ reason: noCamera }, "pages are not captured");
      looks.start();
      registrations?.start();
      screenshots?.start();
    },
    async stop() {
      started = false;
      await Promise.all([looks.stop(), registrations?.stop(), screenshots?.stop()]);
      camera?.close();
      onStop();
    },
    request(threatId) {
      if (!anything || threats.get(threatId) === undefined) return false;
      // From another process, or before it was admitted: the queue finds it there.
      if (!store.ask(threatId, clock.now()) && requested.size < requestsMax) requested.add(threatId);
      return true;
    },
    async captureOf(threatId) {
      const webp = await pictures.read(threatId);
      if (webp !== undefined) return { webp };
      const off = names ? undefined : "without scan.schedule no pages are looked at";
      return { why: whyNoCapture(store.factsOf(threatId)?.facts, noCamera ?? off) };
    },
    async originalOf(threatId) {
      const id = evidence.protectedDomainOf(threatId);
      return id === undefined ? undefined : pictures.read(id);
    },
    registrationAnswerOf: evidence.answerOf,
    factsOf: (threatId) => store.factsOf(threatId),
    hand: handedOver.put,
    isSettled: (threatId) => store.isSettled(threatId, clock.now()),
    running: () => looks.running() + (registrations?.running() ?? 0) + (screenshots?.running() ?? 0),
  };
}
