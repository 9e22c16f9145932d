import type { Collector } from "../metrics/metrics.ts";
import { accessCollector } from "./access.ts";
import { applianceCollector, reloadCollector } from "./appliance.ts";
import { caseCollector } from "./cases.ts";
import { deliveryCollector } from "./deliveries.ts";
import { inspectionCollector, originalCollector } from "./inspections.ts";
import { processCollector } from "./process.ts";
import type { MonitoredServices } from "./services.ts";
import { sourceCollector } from "./sources.ts";
import { backupCollector, storageCollector } from "./storage.ts";
import { lookupCollector, scanCollector, threatCollector } from "./threats.ts";

const all: readonly ((services: MonitoredServices) => Collector)[] = [
  applianceCollector,
  accessCollector,
  threatCollector,
  scanCollector,
  lookupCollector,
  caseCollector,
  sourceCollector,
  inspectionCollector,
  originalCollector,
  deliveryCollector,
  storageCollector,
  backupCollector,
  reloadCollector,
  processCollector,
];

/** Creates the collectors of all services, at the first scrape. The HTTP server adds its own. */
export function createCollectors(services: MonitoredServices): readonly Collector[] {
  return all.map((create) => create(services));
}
