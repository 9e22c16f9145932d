import { createClockFollower, type DueTable } from "../../platform/database/clock-follower.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { logDropped } from "../../platform/lib/log.ts";
import { readDated, type StoredScreenshot, type ScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import { createIntake, type KnownResult } from "./apply-results.ts";
import { explainMissingScreenshot } from "./facts/screenshot-facts.ts";
import { createHandoff, type Handoff } from "./jobs/handoff.ts";
import { lacksNetworks, looksUpAnything, ranks, type EnabledLookups } from "./plan.ts";
import { createPictureViews, type PictureViews } from "./pictures/picture-views.ts";
import { createLookupQueues, type LookupQueues } from "./queues.ts";
import {
  createRegistrationResponses,
  type RegistrationResponse,
  type RegistrationResponses,
} from "./registration-responses.ts";
import { createEnrichmentStore, type EnrichmentStore, type KnownFacts } from "./store.ts";
import type { DetectionSettings } from "../../platform/config/config.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { Inspector } from "../inspection/model/inspector.ts";
import type { Originals } from "../inspection/originals/open-originals.ts";
import type { Lookups } from "../lookups/lookups.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import type { ScreenshotKind } from "../../platform/vocabulary/inspections.ts";
import { createCheckJob } from "./check-job.ts";
import { createWorker, type Worker } from "./jobs/worker.ts";
import {
  createFurtherJob,
  networkLookup,
  registrationLookup,
  screenshotLookup,
  type FurtherLookup,
} from "./further-lookups.ts";

/** Determines facts about threats: when a threat is new, then at growing intervals, and on request. */
export interface Enrichment {
  /** Starts the jobs that are due, from this run or an earlier one. Does nothing if all lookups are disabled. */
  start(): void;
  /** Aborts the jobs in progress, which stay due. */
  stop(): Promise<void>;
  /** Requests a check of a threat as soon as possible. Returns whether anything can be looked up at all. */
  request(threatId: string): boolean;
  /**
   * Requests the networks of a threat's addresses, unless all are known or nothing may be looked up. Returns whether they
   * are being looked up.
   */
  requestNetworks(threatId: string): Promise<boolean>;
  /** Returns undefined if the threat was never checked. */
  factsOf(threatId: string): KnownFacts | undefined;
  /** Returns when the screenshot of each threat was taken; null if there is none. */
  capturesOf(threatIds: readonly string[]): Map<string, Instant | null>;
  readonly pictures: PictureViews;
  /** Returns the screenshot of a threat's page (WebP), or why there is none, as text for people. */
  screenshotOf(threatId: string): Promise<{ webp: Uint8Array<ArrayBuffer> } | { why: string }>;
  /** Returns the screenshot of the original page that a threat was last compared with (WebP). */
  originalOf(threatId: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Returns the latest screenshot of a protected domain's own page. @param id of the protected domain */
  originalOfDomain(id: string): Promise<StoredScreenshot | undefined>;
  /**
   * Saves what a scan or an inspection found as facts of their threats. Before it returns its promise, the DNS results are
   * all available to the checks that follow, which may begin while facts are saved.
   */
  handOff(results: readonly KnownResult[]): Promise<void>;
  /** Lookups that the configuration enables. */
  readonly enabledLookups: EnabledLookups;
  /** Returns whether nothing is due for a threat now. Retries that are due later do not count. */
  isSettled(threatId: string): boolean;
  /** Returns the latest raw response about a threat's registration. */
  registrationResponseOf(threatId: string): RegistrationResponse | undefined;
  /** Number of jobs in progress. */
  running(): number;
}

const admittedPerStepMax = 200;
const requestsMax = 1_000;

const checksDisabled = "pages are not checked because lookups.enabled is false";

export function createEnrichment(dependencies: EnrichmentDependencies): Enrichment {
  const { enabledLookups, clock, database, log, noBrowser, onStop, originals, screenshotFiles, threats } =
    dependencies;
  const store = createEnrichmentStore(database);
  const responses = createRegistrationResponses(database);
  const handoff = createHandoff(clock);
  const admission = createAdmission({ clock, database, log, store });
  const queues = createLookupQueues(database);
  const takeIn = createIntake({ ...dependencies, queues, store });
  const workers = createWorkers({ ...dependencies, admission, handoff, queues, responses, store });
  /** Before the first capture of a domain, there may be a screenshot of an earlier version of phishwatch. */
  const readOriginalOfDomain = async (id: string, address?: string) =>
    (await originals.screenshotAt(id, address)) ?? readDated(screenshotFiles, id);
  async function readOriginal(threatId: string) {
    const id = store.protectedDomainIdOf(threatId);
    if (id === undefined) return undefined;
    const facts = store.factsOf(threatId)?.facts;
    const address = facts?.screenshot?.original ?? facts?.page?.imitation?.original ?? undefined;
    return (await readOriginalOfDomain(id, address))?.webp;
  }
  return {
    start() {
      // In memory, nothing is reloaded, and the sandbox's clock would run each second of a month that it skips.
      if (!database.isShared && !looksUpAnything(enabledLookups)) return;
      admission.start();
      if (enabledLookups.names && noBrowser !== undefined)
        log.event("screenshots.disabled", { reason: noBrowser });
      for (const worker of workers) worker.start();
    },
    async stop() {
      admission.stop();
      await Promise.all(workers.map((worker) => worker.stop()));
      onStop?.();
    },
    request(threatId) {
      if (!looksUpAnything(enabledLookups) || threats.get(threatId) === undefined) return false;
      admission.request(threatId);
      return true;
    },
    async requestNetworks(threatId) {
      const subject = enabledLookups.registration ? store.findById(threatId) : undefined;
      if (subject === undefined || !lacksNetworks(subject.facts)) return false;
      if (subject.networkRank !== ranks.requested)
        await database.write(() =>
          queues.network.save(subject, { rank: ranks.requested, dueAt: clock.now(), failures: 0 }),
        );
      return true;
    },
    async screenshotOf(threatId) {
      const webp = await screenshotFiles.read(threatId);
      if (webp !== undefined) return { webp };
      const disabled = enabledLookups.names ? undefined : checksDisabled;
      return { why: explainMissingScreenshot(store.factsOf(threatId)?.facts, noBrowser ?? disabled) };
    },
    originalOf: readOriginal,
    pictures: createPictureViews({
      readScreenshot: screenshotFiles.read,
      readOriginal,
      isWhole: (id) => store.factsOf(id)?.facts.screenshot?.kept === undefined,
    }),
    capturesOf: (threatIds) =>
      new Map(
        threatIds.map((id) => {
          const screenshot = store.factsOf(id)?.facts.screenshot;
          const hasFile = screenshot?.deletedAt === undefined && screenshot?.kept !== "fingerprints";
          return [id, hasFile ? (screenshot?.at ?? null) : null];
        }),
      ),
    originalOfDomain: (id) => readOriginalOfDomain(id),
    registrationResponseOf: responses.find,
    factsOf: store.factsOf,
    async handOff(results) {
      for (const { threatId, existence } of results) handoff.put(threatId, existence);
      for (const result of results) await takeIn(result);
    },
    enabledLookups,
    isSettled: (threatId) => store.isSettled(threatId, clock.now()),
    running: () => workers.reduce((sum, worker) => sum + worker.running(), 0),
  };
}

const dueTable: DueTable = {
  name: "enrichments",
  key: "threat_seq",
  columns: ["due_at", "registration_due_at", "network_due_at", "screenshot_due_at"],
};

/** Adds new threats and requests to the queue. */
function createAdmission({
  clock,
  database,
  log,
  store,
}: Pick<EnrichmentDependencies, "clock" | "database" | "log"> & { store: EnrichmentStore }) {
  const requested = new Set<string>();
  const followClock = createClockFollower({ clock, database, log, table: dueTable });
  let started = false;

  /** Spreads a mass import over many turns of the event loop, so that requests are served in between. */
  async function admit(): Promise<void> {
    if (!started) return;
    try {
      if ((await store.admitNew(clock.now(), admittedPerStepMax)) === admittedPerStepMax)
        setImmediate(() => void admit());
    } catch (error) {
      logDropped(log, error, "lookup.new_threats_delayed");
    }
  }

  async function retryRequests(): Promise<void> {
    if (requested.size === 0) return;
    const admitted = await database.write(
      () => [...requested].filter((id) => store.request(id, clock.now())),
      { relaxed: true, patient: true },
    );
    for (const id of admitted) requested.delete(id);
  }

  return {
    start: () => void (started = true),
    stop: () => void (started = false),
    async run() {
      followClock();
      await admit();
      await retryRequests();
    },
    request(threatId: string) {
      // A threat of another process may not be admitted yet: the request waits for that.
      if (!store.request(threatId, clock.now()) && requested.size < requestsMax) requested.add(threatId);
    },
  };
}

export interface EnrichmentDependencies extends Needs<"clock" | "database" | "log"> {
  enabledLookups: EnabledLookups;
  /** Opens pages in a browser; undefined if no screenshots are taken. */
  inspector: Pick<Inspector, "inspect"> | undefined;
  /** Why no screenshots are taken. */
  noBrowser?: string | undefined;
  lookups: Lookups;
  /** Closes what the lookups keep open. */
  onStop?: () => void;
  /** Pages of the protected domains, to compare screenshots with. */
  originals: Pick<Originals, "capturedLooksOf" | "looksOf" | "screenshotAt">;
  screenshotFiles: ScreenshotFiles;
  /** Part of the screenshots of threats that may be kept. */
  screenshots: { readonly keep: ScreenshotKind };
  detection: Pick<DetectionSettings, "reactivate">;
  threats: Threats;
}

/** Lookups spend nearly all of their time waiting. */
const concurrencyMax = 128;
/** About 36,000 threats per hour: an import of 100,000 is spread over three hours, the most severe threats first. */
const startsPerSecondMax = 10;
/** A few of each suffix. Most of them then wait for their turn. */
const registrationStartsPerSecondMax = 50;
/** The five registries get one query per second each; most threats share the network of an earlier one. */
const networkStartsPerSecondMax = 10;
const networkConcurrencyMax = 32;
/** There is one browser: the others wait for it. */
const screenshotsMax = 4;

interface WorkersDependencies extends EnrichmentDependencies {
  admission: { run: () => Promise<void> };
  handoff: Handoff;
  queues: LookupQueues;
  responses: RegistrationResponses;
  store: EnrichmentStore;
}

/** Creates one worker for each kind of lookup. */
function createWorkers(dependencies: WorkersDependencies): Worker[] {
  const { admission, inspector, ...shared } = dependencies;
  const { clock, enabledLookups: enabled, log, lookups, queues, responses, store } = shared;
  const isAnyEnabled = () => looksUpAnything(enabled);
  const check = createWorker({
    clock,
    log,
    name: "check",
    concurrencyMax,
    startsPerSecondMax,
    prepare: async () => (isAnyEnabled() ? admission.run() : undefined),
    take: (limit) => (isAnyEnabled() ? store.due(clock.now(), limit) : []),
    run: createCheckJob({ ...shared, hasBrowser: inspector !== undefined }),
  });
  /** Creates the worker of a lookup that a check asks for, which `enabledBy` has to enable. */
  const further = <Found>(
    name: keyof LookupQueues,
    enabledBy: keyof EnabledLookups,
    limits: { concurrencyMax: number; startsPerSecondMax: number },
    lookup: FurtherLookup<Found>,
  ) =>
    createWorker({
      clock,
      log,
      name,
      ...limits,
      take: (limit) => (enabled[enabledBy] ? queues[name].due(clock.now(), limit) : []),
      run: createFurtherJob({ ...shared, queue: queues[name] }, lookup),
    });
  return [
    check,
    further(
      "registration",
      "registration",
      { concurrencyMax, startsPerSecondMax: registrationStartsPerSecondMax },
      registrationLookup({ log, lookUp: lookups.registration, responses }),
    ),
    further(
      "network",
      "registration",
      { concurrencyMax: networkConcurrencyMax, startsPerSecondMax: networkStartsPerSecondMax },
      networkLookup({ clock, log, lookUp: lookups.network }),
    ),
    ...(inspector === undefined
      ? []
      : [
          further(
            "screenshot",
            "names",
            { concurrencyMax: screenshotsMax, startsPerSecondMax: 1 },
            screenshotLookup({ ...shared, inspector }),
          ),
        ]),
  ];
}
