import { hostname } from "node:os";
import type { BackupConfig, BackupLocation } from "../../config/sections/backup.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FillRandom } from "../../lib/ids.ts";
import { makeBackup, type MadeBackup } from "../making/make-backup.ts";
import { openRepository, type Repository } from "../repository/repository.ts";
import { openStore } from "../stores/open-store.ts";

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
}

/** @throws StoreError, or an error of the system */
export async function runBackup(
  { settings, ...task }: BackupTask,
  { clock, fillRandom, signal }: { clock: Clock; fillRandom: FillRandom; signal: AbortSignal },
): Promise<MadeBackup> {
  const repository = await openBackups(settings, { clock, fillRandom, signal, creates: true });
  const random = new Uint8Array(tokenBytes);
  fillRandom(random);
  return makeBackup({
    ...task,
    repository,
    keep: settings.keep,
    owner: { host: hostname(), pid: process.pid, token: random.toHex() },
    isRunning,
    clock,
    fillRandom,
    signal,
  });
}

/**
 * Opens the repository of a configuration.
 * @param creates whether it is created if there is none
 * @throws StoreError
 */
export function openBackups(
  { location, encryptWith }: { location: BackupLocation; encryptWith: string | null },
  {
    clock,
    fillRandom,
    signal,
    creates,
  }: { clock: Clock; fillRandom: FillRandom; signal: AbortSignal; creates: boolean },
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
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
