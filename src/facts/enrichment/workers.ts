import type { DetectionSettings } from "../../platform/config/config.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { Inspector } from "../inspection/model/inspector.ts";
import type { Originals } from "../inspection/originals/open-originals.ts";
import type { Lookups } from "../lookups/lookups.ts";
import type { ScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import type { ScreenshotKind } from "../../platform/vocabulary/inspections.ts";
import { createCheckJob } from "./check-job.ts";
import type { Handoff } from "./jobs/handoff.ts";
import { createWorker, type Worker } from "./jobs/worker.ts";
import { createFurtherJob, networkLookup, registrationLookup, screenshotLookup } from "./further-lookups.ts";
import { looksUpAnything, withScreenshots, type EnabledLookups } from "./plan.ts";
import type { LookupQueues } from "./queues.ts";
import type { RegistrationResponses } from "./registration-responses.ts";
import type { EnrichmentStore } from "./store.ts";

export interface EnrichmentDependencies extends Needs<"clock" | "database" | "log"> {
  enabledLookups: Omit<EnabledLookups, "screenshots">;
  /** Opens pages in a browser; undefined if no screenshots are taken. */
  inspector: Pick<Inspector, "inspect"> | undefined;
  /** Why no screenshots are taken. */
  noBrowser?: string | undefined;
  lookups: Lookups;
  /** Closes what the lookups keep open. */
  onStop?: () => void;
  /** Pages of the protected domains, with which screenshots are compared. */
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
/** A few of each suffix, most of which then wait for their turn. */
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
export function createWorkers(dependencies: WorkersDependencies): Worker[] {
  const { admission, enabledLookups: enabled, inspector, ...shared } = dependencies;
  const { clock, log, lookups, queues, responses, store } = shared;
  const enabledLookups = withScreenshots(enabled, inspector !== undefined);
  const workers = [
    createWorker({
      clock,
      log,
      name: "check",
      concurrencyMax,
      startsPerSecondMax,
      prepare: async () => (looksUpAnything(enabled) ? admission.run() : undefined),
      take: (limit) => (looksUpAnything(enabled) ? store.due(clock.now(), limit) : []),
      run: createCheckJob({ ...shared, enabledLookups }),
    }),
    createWorker({
      clock,
      log,
      name: "registration",
      concurrencyMax,
      startsPerSecondMax: registrationStartsPerSecondMax,
      take: (limit) => (enabled.registration ? queues.registration.due(clock.now(), limit) : []),
      run: createFurtherJob(
        { ...shared, queue: queues.registration },
        registrationLookup({ log, lookUp: lookups.registration, responses }),
      ),
    }),
    createWorker({
      clock,
      log,
      name: "network",
      concurrencyMax: networkConcurrencyMax,
      startsPerSecondMax: networkStartsPerSecondMax,
      take: (limit) => (enabled.registration ? queues.network.due(clock.now(), limit) : []),
      run: createFurtherJob(
        { ...shared, queue: queues.network },
        networkLookup({ clock, log, lookUp: lookups.network }),
      ),
    }),
  ];
  if (inspector === undefined) return workers;
  const screenshots = createWorker({
    clock,
    log,
    name: "screenshot",
    concurrencyMax: screenshotsMax,
    startsPerSecondMax: 1,
    take: (limit) => (enabled.names ? queues.screenshot.due(clock.now(), limit) : []),
    run: createFurtherJob(
      { ...shared, queue: queues.screenshot },
      screenshotLookup({ ...shared, inspector }),
    ),
  });
  return [...workers, screenshots];
}
