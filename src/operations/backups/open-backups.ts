import type { Settings } from "../../access/settings/settings.ts";
import type { Config } from "../../platform/config/config.ts";
import { buildInfo } from "../../platform/lib/build-info.ts";
import type { StartWorker } from "../../platform/vocabulary/threads.ts";
import { type Backups, createBackups } from "./running/backups.ts";
import type { Needs } from "../../access/audit/needs.ts";
import { createLiveCopies, type LiveCopy } from "../../platform/database/backup.ts";
import { messageOf, PublicError } from "../../platform/lib/errors.ts";
import type { Actor } from "../../access/audit/actor.ts";

/** Backups of the whole appliance, and copies of the database for a download. */
export type BackupServices = Backups & { copies: DatabaseCopies };

export function openBackups({
  environment: { clock, fillRandom, log, startWorker },
  live: { config, onChange },
  ...dependencies
}: Needs<"auditLog" | "database"> & {
  environment: Needs<"clock" | "fillRandom" | "log"> & { startWorker?: StartWorker | undefined };
  /** The configuration in effect, and where to register for its changes. */
  live: { config: Pick<Config, "backup" | "source">; onChange(listener: () => void): void };
  settings: Settings;
}): BackupServices {
  const common = { ...dependencies, clock, fillRandom, log };
  const { version } = buildInfo;
  return {
    ...createBackups({ ...common, config, onConfigChange: onChange, startWorker, version }),
    copies: createDatabaseCopies(common),
  };
}

/** Copies of the database while it is in use, for a download. */
export interface DatabaseCopies {
  /**
   * Makes a consistent copy of the database and records it in the audit log.
   * @throws PublicError `bad_request` while another copy is being made.
   */
  create(options: { by: Actor }): Promise<LiveCopy>;
  /** Returns the outcome of the latest copy of this process; `error` is null if it was made. */
  latest(): { error: string | null } | undefined;
}

export function createDatabaseCopies({
  database,
  fillRandom,
  auditLog,
}: Needs<"auditLog" | "database" | "fillRandom">): DatabaseCopies {
  const copyDatabase = createLiveCopies({ database, fillRandom });
  let latest: { error: string | null } | undefined;
  return {
    async create({ by }) {
      try {
        const copy = await copyDatabase();
        await database.write(() => auditLog.record(by, "backup.make", null, { bytes: copy.bytes }));
        latest = { error: null };
        return copy;
      } catch (error) {
        // A second copy at the same time is rejected, which says nothing about the first.
        if (!(error instanceof PublicError)) latest = { error: messageOf(error) };
        throw error;
      }
    },
    latest: () => latest,
  };
}
