import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeBackup } from "../../src/operations/backups/making/make-backup.ts";
import { openRepository, type Repository } from "../../src/operations/backups/repository/repository.ts";
import type { BackupStore } from "../../src/operations/backups/stores/store.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { openNewDatabase } from "./new-database.ts";
import { temporaryFolder } from "./appliance.ts";

export const fillRandom = (bytes: Uint8Array) =>
  void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);

/** A primary with a database, screenshots and an archive of a few files, and a place for the database of a standby. */
export function standbyWorld(store: BackupStore) {
  const primary = temporaryFolder();
  const standby = temporaryFolder();
  const databasePath = join(primary.path, "phishwatch.db");
  const database = openNewDatabase(databasePath);
  let nextMs = Date.UTC(2026, 0, 31);
  const open = () => openRepository({ store, secret: null, fillRandom, createAt: nextMs });
  return {
    databasePath,
    standby: join(standby.path, "standby"),
    standbyRoot: standby.path,
    open,
    repository: undefined as Repository | undefined,
    /** Adds a setting, and so changes a page of the database. */
    change(value: string) {
      database.sqlite.run("INSERT INTO settings (name, value, updated_at) VALUES (?, ?, 0)", [
        `test-${value}`,
        value,
      ]);
    },
    sqlite: database.sqlite,
    file(path: string, content: string | Uint8Array) {
      const target = join(primary.path, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
    },
    remove: primary.dispose,
    /** Makes a backup, by default a minute after the one before. */
    async backUp(afterMs = 60_000) {
      nextMs += afterMs;
      const at = nextMs;
      return makeBackup({
        databasePath,
        descriptor: undefined,
        repository: await open(),
        keep: 3,
        outcomes: { lineage: null, completed: null },
        configuration: "[server]\n",
        version: "0.3.0",
        opensDatabase: false,
        owner: { host: "primary", pid: 1, token: "00ff" },
        isRunning: () => false,
        clock: { ...systemClock, now: () => at },
        fillRandom,
        signal: new AbortController().signal,
      });
    },
    dispose() {
      database.close();
      primary.dispose();
      standby.dispose();
    },
  };
}
