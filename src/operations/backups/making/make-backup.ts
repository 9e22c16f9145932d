import { dirname, join } from "node:path";
import { archiveFolder } from "../../../engines/archive/files/folder.ts";
import { diskRoomFor } from "../../../platform/lib/disk.ts";
import { newCopyPath, removeDatabase } from "../../../platform/database/files/pending-restore.ts";
import { type Lock, lockCopies } from "../../../platform/database/lock.ts";
import { toIsoTime } from "../../../platform/lib/clock.ts";
import { bytesText } from "../../../platform/lib/durations.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { randomHex } from "../../../platform/lib/ids.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import { listChunks, readFileList } from "../repository/file-list.ts";
import type { BackupManifest, FileEntry } from "../repository/format.ts";
import {
  foreignBackup,
  type ForeignBackup,
  hostCharactersMax,
  type Lineage,
  rotate,
} from "../repository/lineage.ts";
import { type LockOwner, lockRepository, type RepositoryLock } from "../repository/lock.ts";
import { findUndamaged, newBackupId, type Repository } from "../repository/repository.ts";
import { checkDatabase, DamagedDatabaseError } from "../restoring/open-database.ts";
import { writeFileOf } from "../restoring/write-file.ts";
import { type PreviousDatabase, readBlockIndex, storeDatabase, writeBlockIndex } from "./database-file.ts";
import { type ChunkWriter, createChunkWriter } from "./chunk-writer.ts";
import { openSnapshot } from "./database-snapshot.ts";
import { StoreError } from "../stores/store.ts";
import { createFileSaver, saveArchive, saveScreenshots } from "./small-files.ts";

const lineageBytes = 4;

export interface BackupOptions extends Needs<"clock" | "fillRandom"> {
  databasePath: string;
  /** See `openSnapshot`. */
  descriptor: number | undefined;
  repository: Repository;
  /** Number of backups to keep. */
  keep: number;
  /** Outcomes of the backups before. */
  outcomes: { lineage: Lineage | null; completed: { id: string } | null };
  /** Text of the configuration file. */
  configuration: string | undefined;
  /** Version of phishwatch. */
  version: string;
  /** Whether the database is restored into a temporary file and opened afterward. */
  opensDatabase: boolean;
  owner: LockOwner;
  isRunning: (pid: number) => boolean;
  signal: AbortSignal;
}

/** A backup that was made. */
export interface MadeBackup {
  id: string;
  files: number;
  bytes: number;
  newBytes: number;
  storedBytes: number;
  durationMs: number;
  /** Whether the database was opened and checked. */
  isOpened: boolean;
  /** Why the database was not checked, although it should have been; null: it was, or should not be. */
  notChecked: string | null;
  /** Number of backups in the repository. */
  kept: number;
  lineage: Lineage;
  /** See `BackupOutcomes`. */
  foreign: ForeignBackup | null;
  /** Name of the store. */
  store: string;
  /** Names what was damaged in the store, and was stored again; undefined: nothing is known to be. */
  repaired: string | undefined;
}

/**
 * Makes a backup and deletes the oldest ones. It is complete when its manifest is written, which is after everything
 * else. If the process is killed, the repository has the earlier backups.
 * @throws StoreError, or an error of the system
 */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { repository, owner, outcomes, isRunning, clock, keep } = options;
  const startedMs = clock.monotonicMs();
  const lock = await lockRepository({ store: repository.store, owner, isRunning, clock });
  try {
    await repository.keepHead();
    const own = { lineage: outcomes.lineage, last: outcomes.completed?.id ?? null, host: owner.host };
    const before = (await repository.ids()).at(-1);
    const newest = before === undefined ? undefined : await findUndamaged(repository, before);
    const foreign = foreignBackup(newest, own);
    const { manifest, notChecked, repaired } = await writeAndOpen(options, lock);
    await lock.requireHeld();
    const lineage = outcomes.lineage ?? { id: manifest.lineage!, since: manifest.id };
    const kept = await rotate(repository, { keep, newest: manifest.id, lineage, now: clock.now() });
    const { id, files, bytes, newBytes, storedBytes } = manifest;
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    const store = repository.store.name;
    const damage = [repository.headProblem, repaired].filter((part) => part !== undefined).join("; ");
    const isOpened = options.opensDatabase && notChecked === null;
    const made = { id, files, bytes, newBytes, storedBytes, durationMs, isOpened, notChecked };
    return { ...made, lineage, foreign, kept, store, repaired: damage === "" ? undefined : damage };
  } finally {
    await lock.release();
  }
}

/**
 * Writes a backup, and opens its database. What earlier backups have stored is not stored again: if it was damaged since,
 * no later backup would be better. Then the backup is written once more, with everything that it consists of.
 */
async function writeAndOpen(
  options: BackupOptions,
  lock: RepositoryLock,
): Promise<{ manifest: BackupManifest } & Pick<MadeBackup, "notChecked" | "repaired">> {
  const { opensDatabase, repository } = options;
  let repaired: string | undefined;
  for (;;) {
    const manifest = await writeBackup(options, { lock, reuses: repaired === undefined });
    try {
      return { manifest, notChecked: opensDatabase ? await openAgain(options, manifest) : null, repaired };
    } catch (error) {
      // A store that cannot be reached says nothing about the backup.
      if (!(error instanceof StoreError) || error.code !== "damaged") throw error;
      await repository.remove(manifest.id);
      // The database itself is damaged, or the store damages what was stored just now.
      if (error instanceof DamagedDatabaseError || repaired !== undefined) throw error;
      repaired = error.message;
    }
  }
}

async function writeBackup(
  options: BackupOptions,
  { lock, reuses }: { lock: RepositoryLock; reuses: boolean },
): Promise<BackupManifest> {
  const { repository, clock, databasePath, version, signal } = options;
  const { store } = repository;
  const beganAt = clock.now();
  const ids = await repository.ids();
  const chunks = await createChunkWriter({ store, reuses, signal });
  const previous = await readPrevious(repository, reuses ? ids.at(-1) : undefined, databasePath);
  const content = await storeContent(options, chunks, previous, lock).catch(async (error: unknown) => {
    await chunks.abandon(lock);
    throw error;
  });
  const { database, entries, hashes, list } = content;
  const { schema, sequences } = database;
  const id = newBackupId(beganAt, ids.at(-1));
  // From here on, the backup may exist even if an error is reported.
  await repository.add({
    id,
    beganAt: toIsoTime(beganAt),
    completedAt: toIsoTime(clock.now()),
    version,
    host: options.owner.host.slice(0, hostCharactersMax),
    lineage: options.outcomes.lineage?.id ?? randomHex(options.fillRandom, lineageBytes),
    database: { schema, sequences },
    files: entries.length,
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    ...chunks.written,
    list,
  });
  writeBlockIndex(databasePath, repository.id, { id, hashes });
  return (await repository.find(id))!;
}

/** Stores everything but the manifest, and reads it again. */
async function storeContent(
  options: BackupOptions,
  chunks: ChunkWriter,
  previous: Awaited<ReturnType<typeof readPrevious>>,
  lock: RepositoryLock,
) {
  const { databasePath, configuration } = options;
  const saver = createFileSaver(previous.files, chunks);
  // The archive first: the database then has the threats of all names in it. Screenshots last: those that the database
  // names exist.
  const archive = await saveArchive(archiveFolder(databasePath), saver);
  const { database, hashes } = await saveDatabase(options, chunks, previous.database);
  const screenshots = await saveScreenshots(join(dirname(databasePath), "screenshots"), saver);
  const entries = [...archive, ...screenshots, database.entry];
  if (configuration !== undefined) entries.push(await saveText("configuration", configuration, chunks));
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const list: string[] = [];
  for (const content of listChunks(entries)) list.push(await chunks.write(content));
  await chunks.finish();
  await chunks.verifyWritten();
  await lock.requireHeld();
  return { database, entries, hashes, list };
}

async function saveDatabase(
  { databasePath, ...options }: BackupOptions,
  chunks: ChunkWriter,
  previous: PreviousDatabase | undefined,
) {
  const snapshot = openSnapshot(databasePath, options);
  try {
    const { entry, hashes } = await storeDatabase(snapshot, chunks, previous);
    return { database: { entry, schema: snapshot.schema, sequences: snapshot.sequences }, hashes };
  } finally {
    snapshot.close();
  }
}

async function saveText(path: string, text: string, chunks: ChunkWriter): Promise<FileEntry> {
  const content = Buffer.from(text);
  const names = content.length === 0 ? [] : [await chunks.write(content)];
  return { path, bytes: content.length, modifiedAt: 0, chunks: names };
}

/** Returns the files of the last backup. A damaged one is not used: what it should have is stored again. */
async function readPrevious(
  { id: repositoryId, store, find }: Repository,
  id: string | undefined,
  databasePath: string,
): Promise<{ files: Map<string, FileEntry>; database: PreviousDatabase | undefined }> {
  const files = new Map<string, FileEntry>();
  if (id === undefined) return { files, database: undefined };
  try {
    const manifest = await find(id);
    if (manifest !== undefined)
      for await (const entry of readFileList(store, manifest)) files.set(entry.path, entry);
  } catch {
    files.clear();
  }
  const index = readBlockIndex(databasePath, repositoryId);
  const entry = files.get("database");
  const isOfBackup = index?.id === id && entry !== undefined;
  return { files, database: isOfBackup ? { entry, hashes: index.hashes } : undefined };
}

/**
 * Restores the database from the store into a temporary file and checks it.
 * @returns why it was not checked; null: it was
 * @throws StoreError; `damaged` only for what was read
 */
async function openAgain(options: BackupOptions, manifest: BackupManifest): Promise<string | null> {
  const { databasePath, fillRandom, signal } = options;
  const target = newCopyPath(databasePath, fillRandom);
  let lock: Lock | undefined;
  try {
    lock = lockCopies(databasePath);
    return await openCopy(options, manifest, target);
  } catch (error) {
    // An error of this machine, such as a full disk, says nothing about the backup, which is complete.
    if (error instanceof StoreError || signal.aborted) throw error;
    return messageOf(error);
  } finally {
    removeDatabase(target);
    lock?.release();
  }
}

async function openCopy(
  { repository: { store }, databasePath, signal }: BackupOptions,
  manifest: BackupManifest,
  target: string,
): Promise<string | null> {
  for await (const entry of readFileList(store, manifest)) {
    if (entry.path !== "database") continue;
    const { freeBytes } = diskRoomFor(databasePath);
    const neededBytes = 2 * entry.bytes;
    if (freeBytes < neededBytes)
      return `a temporary copy needs ${bytesText(neededBytes)}, and ${bytesText(freeBytes)} are free`;
    await writeFileOf({ store, entry, target, signal });
  }
  checkDatabase(target, manifest, store.name);
  return null;
}
