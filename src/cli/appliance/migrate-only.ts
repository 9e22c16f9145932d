import { existsSync } from "node:fs";
import type { Config } from "../../platform/config/config.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { createUpgrade } from "../../platform/database/upgrade/upgrade.ts";
import { recordVersion } from "../../platform/database/versions.ts";
import { buildInfo } from "../../platform/lib/build-info.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { counted } from "../../platform/lib/wording.ts";
import { FailedError } from "../terminal/command.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { openLog } from "./open-log.ts";

/**
 * Migrates the database, and prints what was done. The caller must hold the lock for serving.
 * @throws FailedError if there is no database, StartError if it cannot be migrated
 */
export function migrateOnly(config: Config, terminal: Terminal): void {
  const { path } = config.storage;
  if (path === ":memory:") throw new FailedError("the database is kept in memory only (storage.path)");
  if (!existsSync(path)) throw new FailedError(`${path} does not exist, so there is nothing to migrate`);
  const log = openLog(config, terminal);
  const upgrade = createUpgrade({ path, isLocked: true, clock: systemClock, log });
  const database = openDatabase(path, { beforeMigration: upgrade.before });
  try {
    const { version } = buildInfo;
    database.transaction(() => recordVersion(database.sqlite, { version, at: systemClock.now() }));
    const result = upgrade.finished();
    if (result === undefined) {
      terminal.out.write(`${path} is up to date with version ${version}\n`);
      return;
    }
    const { from = "an unreleased version", names, copy } = result;
    terminal.out.write(
      `upgraded ${path} from version ${from} to ${version}: ${counted(names.length, "migration")}\n`,
    );
    terminal.out.write(
      copy === undefined ? "no copy was made: the disk has no room\n" : `the copy before is ${copy.path}\n`,
    );
  } finally {
    database.close();
  }
}
