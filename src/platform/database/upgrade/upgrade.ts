import { buildInfo } from "../../lib/build-info.ts";
import { StartError } from "../../lib/errors.ts";
import type { Needs } from "../../lib/needs.ts";
import { tryLock, type Lock } from "../lock.ts";
import type { PendingMigrations } from "../migrate.ts";
import type { UpgradeCopy } from "../versions/copies.ts";
import { copyBeforeUpgrade } from "./prepare.ts";

/** Outcome of the upgrade of a database of an earlier version. */
export interface UpgradeResult extends PendingMigrations {
  /** Undefined if the disk had no room for it. */
  copy: UpgradeCopy | undefined;
}

/** The steps around the migration of a database of an earlier version, if it needs one. */
export interface Upgrade {
  /** Is called before anything changes: makes sure that no server runs, and copies the database. @throws StartError */
  before(pending: PendingMigrations): void;
  /** Is called after the migration, which it logs. Returns undefined if there was none. */
  finished(): UpgradeResult | undefined;
  release(): void;
}

/** @param isLocked whether the caller holds the lock for serving; otherwise, a running server is an error */
export function createUpgrade({
  path,
  isLocked,
  clock,
  log,
}: Needs<"clock" | "log"> & { path: string; isLocked: boolean }): Upgrade {
  let lock: Lock | undefined;
  let result: UpgradeResult | undefined;
  let startedAtMs = 0;
  return {
    before(pending) {
      if (path === ":memory:") return;
      if (!isLocked) lock = lockFor(path, pending);
      const copy = copyBeforeUpgrade({ ...pending, path }, { at: clock.now(), log });
      result = { ...pending, path, copy };
      startedAtMs = clock.monotonicMs();
    },
    finished() {
      if (result === undefined) return undefined;
      const { version } = buildInfo;
      const durationMs = Math.round(clock.monotonicMs() - startedAtMs);
      log.event("database.upgraded", {
        from: result.from,
        version,
        migrations: result.names.length,
        durationMs,
      });
      return result;
    },
    release: () => lock?.release(),
  };
}

/** @throws StartError while a server runs: it is of the earlier version, and would work with a schema that it does not know */
function lockFor(path: string, { from = "an earlier version" }: PendingMigrations): Lock {
  const lock = tryLock(path, "lock");
  if (lock !== undefined) return lock;
  throw new StartError(
    `the database ${path} is of version ${from}, and a server of that version is running; restart the server with version ${buildInfo.version} first`,
    { exitCode: 1 },
  );
}
