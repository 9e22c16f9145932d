import type { AuditLog } from "../access/audit/audit-log.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import type { ProtectedDomains } from "../domains/domains.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Yielder } from "../lib/yielder.ts";
import type { Inspector } from "./model/inspector.ts";
import { createBrands, type Brands } from "./originals/brands.ts";
import { openOriginals, type Originals } from "./originals/open-originals.ts";
import { createOriginalStore } from "./originals/store.ts";

/** Services that find pages that imitate a protected brand. */
export interface Inspection {
  /** Looks of the protected brands, with which pages are compared. */
  brands: Brands;
  originals: Originals;
}

export function openInspection({
  inspector,
  ...dependencies
}: {
  auditLog: Pick<AuditLog, "record">;
  clock: Clock;
  config: Pick<Config, "lookups" | "storage">;
  database: Database;
  domains: ProtectedDomains;
  /** Undefined: no page can be opened. */
  inspector: Pick<Inspector, "inspect"> | undefined;
  log: Log;
  yielder: () => Yielder;
}): Inspection {
  const store = createOriginalStore(dependencies.database);
  const brands = createBrands({ ...dependencies, store });
  return { brands, originals: openOriginals({ ...dependencies, brands, inspector, store }) };
}
