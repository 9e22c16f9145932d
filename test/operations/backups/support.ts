import { hostname } from "node:os";
import {
  makeBackup,
  type BackupOptions,
  type MadeBackup,
} from "../../../src/operations/backups/making/make-backup.ts";
import { openRepository, type Repository } from "../../../src/operations/backups/repository/repository.ts";
import { createFolderStore } from "../../../src/operations/backups/stores/folder-store.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";

export const fillRandom = (bytes: Uint8Array) =>
  void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);

export function openFolder(folder: string, secret: string | null = null): Promise<Repository> {
  const store = createFolderStore({ folder, fillRandom });
  return openRepository({ store, secret, fillRandom, createAt: systemClock.now() });
}

let made = 0;

/** Makes a backup as another process of this machine would. */
export function backUp(
  repository: Repository,
  databasePath: string,
  options: Partial<BackupOptions> = {},
): Promise<MadeBackup> {
  return makeBackup({
    databasePath,
    descriptor: undefined,
    repository,
    keep: 14,
    outcomes: { lineage: null, completed: null },
    configuration: '[storage]\npath = "phishwatch.db"\n',
    version: "0.3.0",
    opensDatabase: false,
    owner: { host: hostname(), pid: process.pid, token: `${++made}`.padStart(32, "0") },
    isRunning: () => true,
    clock: systemClock,
    fillRandom,
    signal: new AbortController().signal,
    ...options,
  });
}
