import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Settings } from "../../access/settings/settings.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import { buildInfo } from "../../platform/lib/build-info.ts";
import type { Clock } from "../../platform/lib/clock.ts";
import type { FillRandom } from "../../platform/lib/ids.ts";
import type { Log } from "../../platform/lib/log.ts";
import type { StartWorker } from "../../platform/vocabulary/threads.ts";
import { createDatabaseCopies, type DatabaseCopies } from "./database-copies.ts";
import { createBackups, type Backups } from "./running/backups.ts";

/** Backups of the whole appliance, and copies of the database for a download. */
export type BackupServices = Backups & { copies: DatabaseCopies };

export function openBackups({
  environment: { clock, fillRandom, log, startWorker },
  live: { config, onChange },
  ...dependencies
}: {
  environment: {
    clock: Clock;
    fillRandom: FillRandom;
    log: Log;
    startWorker?: StartWorker | undefined;
  };
  /** The configuration in effect, and where to register for its changes. */
  live: { config: Pick<Config, "backup" | "source">; onChange(listener: () => void): void };
  auditLog: AuditLog;
  database: Database;
  settings: Settings;
}): BackupServices {
  const common = { ...dependencies, clock, fillRandom, log };
  const { version } = buildInfo;
  return {
    ...createBackups({ ...common, config, onConfigChange: onChange, startWorker, version }),
    copies: createDatabaseCopies(common),
  };
}
