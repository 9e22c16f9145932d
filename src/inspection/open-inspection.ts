import type { AuditLog } from "../access/audit/audit-log.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import type { ProtectedDomains } from "../domains/domains.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Yielder } from "../lib/yielder.ts";
import type { OpenedLookups } from "../lookups/open-lookups.ts";
import type { DnsClient } from "../network/dns/dns-client.ts";
import type { Turns } from "../network/turns.ts";
import type { StartWorker } from "../vocabulary/threads.ts";
import { openInspector } from "./inspector/open-inspector.ts";
import type { Inspector } from "./model/inspector.ts";
import { createBrands, type Brands } from "./originals/brands.ts";
import { openOriginals, type Originals } from "./originals/open-originals.ts";
import { createOriginalStore } from "./originals/store.ts";

/** Services that find pages that imitate a protected brand. */
export interface Inspection {
  /** Looks of the protected brands, with which pages are compared. */
  brands: Brands;
  inspector: Inspector;
  originals: Originals;
  /** Aborts what is running. */
  stop(): Promise<void>;
}

export function openInspection({
  environment: { clock, dns, log, startWorker },
  lookups,
  turns,
  ...dependencies
}: {
  /** `dns` replaces the resolvers of the configuration, which is not possible in another thread. */
  environment: {
    clock: Clock;
    dns?: DnsClient;
    log: Log;
    startWorker?: StartWorker;
  };
  auditLog: Pick<AuditLog, "record">;
  config: Pick<Config, "lookups" | "scan" | "storage">;
  database: Database;
  domains: ProtectedDomains;
  lookups: OpenedLookups;
  turns: Turns;
  yielder: () => Yielder;
}): Inspection {
  const shared = { ...dependencies, clock, log };
  const store = createOriginalStore(dependencies.database);
  const brands = createBrands({ ...dependencies, store });
  const inspector = openInspector({
    brands,
    clock,
    config: dependencies.config,
    lookups,
    startWorker: dns === undefined ? startWorker : undefined,
    turns,
  });
  const originals = openOriginals({ ...shared, brands, inspector, store });
  return {
    brands,
    inspector,
    originals,
    async stop() {
      await originals.stop();
      await inspector.close();
    },
  };
}
