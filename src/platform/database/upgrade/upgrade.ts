import { buildInfo } from "../../lib/build-info.ts";
import { messageOf, StartError } from "../../lib/errors.ts";
import type { Needs } from "../../lib/needs.ts";
import { type Lock, tryLock } from "../lock.ts";
import type { PendingMigrations } from "../migrate.ts";
import {
  listUpgradeCopies,
  surplus,
  unreleased,
  type UpgradeCopy,
  upgradeCopyPath,
} from "../upgrade-copies.ts";
import { renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Instant } from "../../lib/clock.ts";
import { bytesText } from "../../lib/durations.ts";
import type { Log } from "../../lib/log.ts";
import { diskRoomFor, syncToDisk } from "../../lib/disk.ts";
import { copyDatabase } from "../backup.ts";
import { removeDatabase, upgradePartialEnding } from "../files/pending-restore.ts";

/** Outcome of the upgrade of a database of an earlier version. */
export interface UpgradeResult extends PendingMigrations {
  /** Undefined if the disk had no room for it. */
  copy: UpgradeCopy | undefined;
}

/**
 * Returns the steps around the migration of a database of an earlier version, if it needs one.
 * @param isLocked whether the caller holds the lock for serving; otherwise, a running server is an error
 */
export function createUpgrade(given: Needs<"clock" | "log"> & { path: string; isLocked: boolean }) {
  const { path, isLocked, clock, log } = given;
  let lock: Lock | undefined;
  let result: UpgradeResult | undefined;
  let startedAtMs = 0;
  return {
    /** Is called before anything changes: makes sure that no server runs, and copies the database. @throws StartError */
    before(pending: PendingMigrations) {
      if (path === ":memory:") return;
      if (!isLocked) lock = lockFor(path, pending);
      const copy = copyBeforeUpgrade({ ...pending, path }, { at: clock.now(), log });
      result = { ...pending, path, copy };
      startedAtMs = clock.monotonicMs();
    },

    /** Is called after the migration, which it logs. Returns undefined if there was none. */
    finished(): UpgradeResult | undefined {
      if (result === undefined) return undefined;
      const { from, names } = result;
      const durationMs = Math.round(clock.monotonicMs() - startedAtMs);
      const { version } = buildInfo;
      log.event("database.upgraded", { from, version, migrations: names.length, durationMs });
      return result;
    },
    release: () => lock?.release(),
  };
}

/** @throws StartError while a server of the earlier version runs: it would work with a schema that is newer than its code */
function lockFor(path: string, { from = "an earlier version" }: PendingMigrations): Lock {
  const lock = tryLock(path, "lock");
  if (lock !== undefined) return lock;
  throw new StartError(
    `the database ${path} is of version ${from}, and a server of that version is running; restart the server with version ${buildInfo.version} first`,
  );
}

/** Room that must remain on the disk after the upgrade. */
const reservedBytes = 64 << 20;

export type UpgradeRoom = ReturnType<typeof roomForUpgrade>;

/** @throws the system's error */
export function roomForUpgrade(path: string) {
  const bytesOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  const databaseBytes = bytesOf(path) + bytesOf(`${path}-wal`);
  return {
    /** Size of the database with its write-ahead log: the copy is at most this large. */
    databaseBytes,
    /** The copy, a migration that rewrites everything in the write-ahead log, and a reserve. */
    neededBytes: 2 * databaseBytes + reservedBytes,
    freeBytes: diskRoomFor(path).freeBytes,
  };
}

/**
 * Copies a database before its upgrade, if the disk has room for the copy and the migrations. Without room, logs a
 * warning: migrations are one transaction, which leaves the database as it was if it fails. The caller must hold the
 * lock for serving.
 * @throws StartError if there is room and the copy fails, because then the database cannot be read in full
 */
export function copyBeforeUpgrade(
  { path, from }: Pick<PendingMigrations, "path" | "from">,
  { at, log, room = roomForUpgrade(path) }: { at: Instant; log: Log; room?: UpgradeRoom },
): UpgradeCopy | undefined {
  if (room.freeBytes < room.neededBytes) {
    const reason = `the disk has ${bytesText(room.freeBytes)} free, and a copy needs ${bytesText(room.neededBytes)}`;
    log.event("database.upgrade_copy_skipped", { reason });
    return undefined;
  }
  try {
    const copy = makeUpgradeCopy(path, { version: from ?? unreleased, at });
    log.event("database.upgrade_copied", { file: copy.path, bytes: copy.bytes });
    return copy;
  } catch (error) {
    throw new StartError(
      `the database is of an earlier version, and cannot be copied before its upgrade: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/** A copy has its final name only when it is complete and on the disk. */
function makeUpgradeCopy(path: string, { version, at }: { version: string; at: Instant }): UpgradeCopy {
  const partial = `${path}${upgradePartialEnding}`;
  const target = upgradeCopyPath(path, { version, at });
  removeDatabase(partial);
  try {
    copyDatabase(path, partial);
    renameSync(partial, target);
    syncToDisk(dirname(path));
  } finally {
    removeDatabase(partial);
  }
  for (const { path: old } of surplus(listUpgradeCopies(path))) removeDatabase(old);
  return { path: target, version, at, bytes: statSync(target).size };
}
