import type { DetectionSettings } from "../../platform/config/config.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { Inspector } from "../inspection/model/inspector.ts";
import type { Originals } from "../inspection/originals/open-originals.ts";
import type { Log } from "../../platform/lib/log.ts";
import type { Lookups } from "../lookups/lookups.ts";
import type { ScreenshotFiles } from "../lookups/page/screenshot-files.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import type { ScreenshotKind } from "../../platform/vocabulary/inspections.ts";
import { createCheckJob } from "./check-job.ts";
import type { Handoff } from "./jobs/handoff.ts";
import { createWorker, type Worker } from "./jobs/worker.ts";
import { createNetworkJob } from "./network-job.ts";
import type { NetworkQueue } from "./network-queue.ts";
import { looksUpAnything, withScreenshots, type EnabledLookups } from "./plan.ts";
import { createRegistrationJob } from "./registration-job.ts";
import type { RegistrationQueue } from "./registration-queue.ts";
import type { RegistrationResponses } from "./registration-responses.ts";
import { createScreenshotJob } from "./screenshot-job.ts";
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

/** Creates one worker for each kind of lookup. */
export function createWorkers({
  enabledLookups: enabled,
  admission,
  clock,
  database,
  detection,
  handoff,
  inspector,
  log,
  lookups,
  networkQueue,
  originals,
  registrationQueue,
  responses,
  screenshotFiles: files,
  screenshots: kept,
  store,
  threats,
}: EnrichmentDependencies & {
  admission: { run: () => Promise<void> };
  handoff: Handoff;
  networkQueue: NetworkQueue;
  registrationQueue: RegistrationQueue;
  responses: RegistrationResponses;
  store: EnrichmentStore;
}): Worker[] {
  const enabledLookups = withScreenshots(enabled, inspector !== undefined);
  const checks = createWorker({
    clock,
    log,
    name: "check",
    concurrencyMax,
    startsPerSecondMax,
    prepare: async () => (looksUpAnything(enabled) ? admission.run() : undefined),
    take: (limit) => (looksUpAnything(enabled) ? store.due(clock.now(), limit) : []),
    run: createCheckJob({
      enabledLookups,
      clock,
      database,
      detection,
      handoff,
      log,
      lookups,
      networkQueue,
      registrationQueue,
      store,
      threats,
    }),
  });
  const registrations = createWorker({
    clock,
    log,
    name: "registration",
    concurrencyMax,
    startsPerSecondMax: registrationStartsPerSecondMax,
    take: (limit) => (enabled.registration ? registrationQueue.due(clock.now(), limit) : []),
    run: createRegistrationJob({
      clock,
      database,
      log,
      lookUp: lookups.registration,
      queue: registrationQueue,
      responses,
      store,
      threats,
    }),
  });
  const networks = createWorker({
    clock,
    log,
    name: "network",
    concurrencyMax: networkConcurrencyMax,
    startsPerSecondMax: networkStartsPerSecondMax,
    take: (limit) => (enabled.registration ? networkQueue.due(clock.now(), limit) : []),
    run: createNetworkJob({
      clock,
      database,
      log,
      lookUp: lookups.network,
      queue: networkQueue,
      store,
      threats,
    }),
  });
  const screenshots =
    inspector === undefined
      ? []
      : [
          createScreenshotWorker({
            enabled,
            job: { clock, database, files, inspector, kept, originals, store, threats },
            log,
          }),
        ];
  return [checks, registrations, networks, ...screenshots];
}

function createScreenshotWorker({
  enabled,
  job,
  log,
}: {
  enabled: Pick<EnabledLookups, "names">;
  job: Parameters<typeof createScreenshotJob>[0];
  log: Log;
}): Worker {
  const { clock, store } = job;
  return createWorker({
    clock,
    log,
    name: "screenshot",
    concurrencyMax: screenshotsMax,
    startsPerSecondMax: 1,
    // The others may wait for the browser's next minute, which must not delay what a person waits for.
    take: (limit) => (enabled.names ? store.dueScreenshots(clock.now(), limit, 1) : []),
    run: createScreenshotJob(job),
  });
}
