import { hostname } from "node:os";
import type { BackupConfig, BackupLocation } from "../../../platform/config/sections/backup.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { type FillRandom, randomHex } from "../../../platform/lib/ids.ts";
import { type MadeBackup, makeBackup } from "../making/make-backup.ts";
import { openRepository, type Repository } from "../repository/repository.ts";
import { openStore } from "../stores/open-store.ts";
import type { BackupOutcomes } from "./outcomes.ts";
import { StoreError } from "../stores/store.ts";
import { shellWord } from "../../../platform/lib/shell-word.ts";
import type { MessagePort } from "node:worker_threads";
import { messageOf, codeOf } from "../../../platform/lib/errors.ts";
import type { Needs } from "../repository/needs.ts";

const tokenBytes = 16;

/** A backup to make. Can be sent to a thread. */
export interface BackupTask {
  databasePath: string;
  /** See `openSnapshot`. */
  descriptor: number | undefined;
  settings: Pick<BackupConfig, "location" | "encryptWith" | "keep">;
  /** Text of the configuration file. */
  configuration: string | undefined;
  /** Version of phishwatch. */
  version: string;
  opensDatabase: boolean;
  /** Outcomes of the backups before. If the place has the name of `store`, it has backups. */
  outcomes: BackupOutcomes;
}

/** @throws StoreError, or an error of the system */
export async function runBackup(
  { settings, ...task }: BackupTask,
  { clock, fillRandom, signal }: Needs<"clock" | "fillRandom" | "signal">,
): Promise<MadeBackup> {
  const repository = await openForWriting(settings, task.outcomes.store, { clock, fillRandom, signal });
  return makeBackup({
    ...task,
    repository,
    keep: settings.keep,
    owner: { host: hostname(), pid: process.pid, token: randomHex(fillRandom, tokenBytes) },
    isRunning,
    clock,
    fillRandom,
    signal,
  });
}

/**
 * Creates the repository if there is none. But a folder that had backups and is empty is the mount point of a disk that is
 * missing: backups there would fill another disk.
 */
async function openForWriting(
  settings: Pick<BackupConfig, "location" | "encryptWith">,
  lastStore: string | null,
  dependencies: { clock: Clock; fillRandom: FillRandom; signal: AbortSignal },
): Promise<Repository> {
  const { name } = openStore({ location: settings.location, ...dependencies });
  try {
    return await openBackups(settings, { ...dependencies, creates: name !== lastStore });
  } catch (error) {
    if (name !== lastStore || !(error instanceof StoreError) || error.code !== "not_found") throw error;
    throw new StoreError(
      "not_found",
      `${name}: the earlier backups are not there; is the disk mounted? To begin new ones there: phishwatch backup --to ${shellWord(name)}`,
      error,
    );
  }
}

/**
 * Opens the repository of a configuration.
 * @param creates whether it is created if there is none
 * @throws StoreError
 */
export function openBackups(
  { location, encryptWith }: { location: BackupLocation; encryptWith: string | null },
  { clock, fillRandom, signal, creates }: Needs<"clock" | "fillRandom" | "signal"> & { creates: boolean },
): Promise<Repository> {
  const store = openStore({ location, clock, fillRandom, signal });
  return openRepository({
    store,
    secret: encryptWith,
    fillRandom,
    createAt: creates ? clock.now() : undefined,
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists.
    return codeOf(error) === "EPERM";
  }
}

/** Message of the thread after a backup. */
export type Reply = { made: MadeBackup } | { error: string };

/**
 * Makes one backup for each message, in a worker thread: reading, hashing and compressing take seconds to minutes. The
 * message `stop` ends the one in progress.
 */
export function serveBackup(port: MessagePort, clock: Clock): void {
  const stopping = new AbortController();
  const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  port.on("message", (task: BackupTask | "stop") => {
    if (task === "stop") return stopping.abort(new Error("phishwatch was stopped"));
    const reply = runBackup(task, { clock, fillRandom, signal: stopping.signal }).then(
      (made): Reply => ({ made }),
      (error: unknown): Reply => ({ error: messageOf(error) }),
    );
    void reply.then((message) => port.postMessage(message));
  });
}
