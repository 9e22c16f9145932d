import type { Timer } from "../../lib/clock.ts";
import { logDropped } from "../../lib/log.ts";
import type { Database } from "../database.ts";
import { type DiskRoom, diskRoomFor } from "../../lib/disk.ts";
import type { Needs } from "../needs.ts";
import { createCheckpoints, createHousekeeping } from "./housekeeping.ts";
import { createErrorsSeen, type ErrorsSeen } from "./errors-seen.ts";
import { createLostFile, createMarking, newMarker } from "./lost-file.ts";
import { isSame, type OpenFile } from "../files/open-file.ts";
import { readPragma } from "../pragmas.ts";
import { createFileChecks, type FileChecks, idleMs } from "./file-checks.ts";
import {
  createStateWriter,
  type QuickCheck,
  readState,
  type SqliteFailure,
  type StoredState,
} from "../files/state-file.ts";

/** State of the database of a server. */
export interface DatabaseStatus {
  /** Why the server cannot work as it should, and what to do. Undefined: it can. */
  problem: string | undefined;
  /** Last error of SQLite, even if it no longer stands. */
  lastError: SqliteFailure | null;
  /** Number of errors since the start, by code. */
  errors: readonly { code: string; total: number }[];
  /** Last complete check of all pages and indexes. */
  quickCheck: QuickCheck | null;
  /** Undefined in memory, or if it is not known. */
  disk: DiskRoom | undefined;
}

/** Watches the database of a server: errors, the file at its path, the disk, and the content of the whole file. */
export interface DatabaseHealth {
  status(): DatabaseStatus;
  /** Returns what is damaged, as far as it is known; undefined for nothing. */
  damage(): string | undefined;
  start(): void;
  stop(): Promise<void>;
}

const droppedText =
  "a page of the write-ahead log that the last server left was damaged, so the changes after it are lost; check the disk";
const tickMs = 1_000;
/** Pause between two pieces of housekeeping. */
const pieceMs = 20;

/** @param isLogDamaged whether SQLite has dropped transactions of the log that the previous server left */
export function createDatabaseHealth(
  { database, clock, log, fillRandom }: Needs<"clock" | "database" | "fillRandom" | "log">,
  isLogDamaged = false,
): DatabaseHealth {
  const { file, path } = database;
  const before = file === undefined ? undefined : readState(path);
  const dropped = isLogDamaged ? { at: clock.now(), code: "SQLITE_CORRUPT", text: droppedText } : undefined;
  if (dropped !== undefined) log.event("database.log_damaged", { file: `${path}-wal` });
  const errors = createErrorsSeen({ clock, log }, dropped ?? before?.lastError ?? null);
  let changedAtMs = clock.monotonicMs();
  database.observe({
    failed: errors.add,
    changed() {
      changedAtMs = clock.monotonicMs();
      errors.changed();
    },
  });
  if (file === undefined) return inMemory(errors);
  const idleForMs = () => clock.monotonicMs() - changedAtMs;
  return watchFile({ database, file, clock, log, errors, before, marker: newMarker(fillRandom), idleForMs });
}

function inMemory(errors: ErrorsSeen): DatabaseHealth {
  return {
    status: () => ({
      problem: errors.standing()?.text,
      lastError: errors.last(),
      errors: errors.totals(),
      quickCheck: null,
      disk: undefined,
    }),
    damage: () => undefined,
    start() {},
    stop: () => Promise.resolve(),
  };
}

interface Watched extends Needs<"clock" | "database" | "log"> {
  file: OpenFile;
  errors: ErrorsSeen;
  /** State that the previous server left. */
  before: StoredState | undefined;
  marker: number;
  idleForMs: () => number;
}

function watchFile(watched: Watched): DatabaseHealth {
  const { database, file, clock, log, errors, before, marker, idleForMs } = watched;
  const { path } = database;
  const lost = createLostFile(watched);
  const housekeeping = createHousekeeping({ database, log });
  const checkpoints = createCheckpoints(database, log);
  database.observe({ failed() {}, changed: checkpoints.committed });
  const isStopped = () => file.change() !== undefined;
  const checked = checksBefore(before, database, file);
  const checks = createFileChecks({ path, clock, log, errors, idleForMs, isStopped, ...checked });
  const marking = createMarking(watched);
  const store = createStateWriter(path, log);
  let timer: Timer | undefined;
  let working: Promise<void> | undefined;
  let checking: Promise<void> | undefined;

  const damage = () => damageOf(errors, checks);

  function problem(): string | undefined {
    const change = file.change();
    if (change !== undefined) return lost.describe(change);
    return file.names() > 1 ? secondName : (damage() ?? errors.standing()?.text);
  }

  async function work(): Promise<void> {
    const change = file.change();
    if (change !== undefined) {
      await lost.step(change);
      return;
    }
    if (!marking.isMarked() && storeState(null)) marking.mark();
    marking.probe();
    if (checking === undefined && checks.isDue())
      checking = checks.run().finally(() => (checking = undefined));
    // To move the pages of a damaged file would spread the damage.
    if (idleForMs() >= idleMs && damage() === undefined) while (await housekeeping.step()) await pause();
  }

  /** @param stored the marker, or null before it is written: the next start after a crash must accept both values */
  function storeState(stored: number | null): boolean {
    return store({
      file: file.identity,
      log: file.log ?? null,
      marker: stored,
      problem: problem() ?? null,
      lastError: errors.last(),
      quickCheck: checks.last(),
      startedCheck: checks.started(),
    });
  }

  function tick(): void {
    timer = clock.after(tickMs, tick);
    working ??= work()
      .catch((error: unknown) => logDropped(log, error, "database.maintenance_failed"))
      .finally(() => (working = undefined));
    if (marking.isMarked()) storeState(marker);
  }

  return {
    status: () => ({
      problem: problem(),
      lastError: errors.last(),
      errors: errors.totals(),
      quickCheck: checks.last(),
      disk: roomOrUndefined(path),
    }),
    damage: () => (marking.isWriting() ? undefined : damage()),
    start() {
      checkpoints.start();
      // Marking the file waits for the disk, which must not delay the start.
      timer = clock.after(0, tick);
    },
    async stop() {
      timer?.cancel();
      timer = undefined;
      checks.cancel();
      housekeeping.cancel();
      await Promise.all([working, checking, checkpoints.stop()]);
      if (marking.isMarked()) storeState(marker);
    },
  };
}

const secondName =
  "its file has a second name (hard link), through which another process would damage it; remove one of the names";

function damageOf(errors: ErrorsSeen, checks: FileChecks): string | undefined {
  const failure = errors.standing("damage");
  if (failure !== undefined) return failure.text;
  const result = checks.last()?.result ?? "ok";
  return result === "ok"
    ? undefined
    : `its file is damaged (${result}); no change is accepted: stop the server, and run 'phishwatch database repair'`;
}

/** Returns the checks of the previous server, unless they were of other content of the file. */
function checksBefore(before: StoredState | undefined, { sqlite }: Database, file: OpenFile) {
  const isOfFile =
    before !== undefined &&
    isSame(before.file, file.identity) &&
    (before.marker === null || before.marker === readPragma(sqlite, "user_version"));
  return isOfFile
    ? { last: before.quickCheck, started: before.startedCheck ?? null }
    : { last: null, started: null };
}

function pause(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, pieceMs));
}

function roomOrUndefined(path: string): DiskRoom | undefined {
  try {
    return diskRoomFor(path);
  } catch {
    // The folder was removed: the file is gone, too, which is reported.
    return undefined;
  }
}
