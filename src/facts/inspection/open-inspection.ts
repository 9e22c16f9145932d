import type { Config } from "../../platform/config/config.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Yielder } from "../../platform/lib/yielder.ts";
import type { LookUpExistence } from "../lookups/dns/existence.ts";
import type { OpenedLookups } from "../lookups/open-lookups.ts";
import type { Turns } from "../../platform/network/turns.ts";
import type { StartWorker } from "../../platform/vocabulary/threads.ts";
import { createInspections, type Inspections, type InspectionsDependencies } from "./inspections.ts";
import { openInspector } from "./inspector/open-inspector.ts";
import type { Inspector } from "./model/inspector.ts";
import { createBrands, type Brands } from "./originals/brands.ts";
import { openOriginals, type Originals } from "./originals/open-originals.ts";
import { createOriginalStore } from "./originals/store.ts";

/** Services that find pages that imitate a protected brand. */
export interface Inspection {
  /** Looks of the protected brands, with which pages are compared. */
  brands: Brands;
  inspections: Inspections;
  inspector: Inspector;
  originals: Originals;
  /** Starts what is queued, also by an earlier run, and captures originals on schedule. */
  start(): void;
  /** Aborts what is running. */
  stop(): Promise<void>;
  /** Ends the thread and the browser, for a command that inspects without starting anything. */
  close(): Promise<void>;
}

/** Replaces DNS and the web, for a sandbox. Inspections then do not depend on `lookups.enabled`. */
export interface ReplacedInspection {
  inspector: Inspector;
  lookUpExistence: LookUpExistence;
}

export type InspectionDependencies = Omit<InspectionsDependencies, "config" | "domains" | "inspector"> & {
  config: InspectionsDependencies["config"] & Pick<Config, "scan" | "screenshots" | "storage">;
  domains: ProtectedDomains;
  lookups: OpenedLookups;
  replaced: ReplacedInspection | undefined;
  startWorker: StartWorker | undefined;
  turns: Turns;
  yielder: () => Yielder;
};

/** Constructs the inspection. Nothing is loaded or started before the first page. */
export function openInspection(dependencies: InspectionDependencies): Inspection {
  const store = createOriginalStore(dependencies.database);
  const brands = createBrands({ ...dependencies, store });
  const { config, replaced } = dependencies;
  const inspector = replaced?.inspector ?? openInspector({ ...dependencies, brands });
  const originals = openOriginals({ ...dependencies, brands, inspector, store });
  const inspections = createInspections({
    ...dependencies,
    ...(replaced === undefined
      ? { inspector }
      : { ...replaced, config: { ...config, lookups: { enabled: true } } }),
  });
  return {
    brands,
    inspections,
    inspector,
    originals,
    start() {
      originals.start();
      inspections.start();
    },
    async stop() {
      await Promise.all([inspections.stop(), originals.stop()]);
      await inspector.close();
    },
    async close() {
      await inspector.close();
      dependencies.lookups.close();
    },
  };
}
