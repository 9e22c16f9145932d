import { openRepository, type Repository } from "../../backups/repository/repository.ts";
import { openStore } from "../../backups/stores/open-store.ts";
import type { Config } from "../../config/config.ts";
import { readListen, type HostPort } from "../../config/fields/texts.ts";
import { readBackupLocation } from "../../config/sections/backup.ts";
import { systemClock } from "../../lib/clock.ts";
import { visible } from "../../lib/safe-text.ts";
import { standbyFolder } from "../../standby/standby-folder.ts";
import { UsageError, type Flag } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { text } from "../terminal/flags.ts";

/** Options that the commands of a standby share. */

export const fromFlag = text(
  "--from <place>",
  "folder or s3://BUCKET/PREFIX with the backups of the primary (default: that of [backup])",
);

export const listenFlag: Flag<HostPort | undefined> = {
  form: "--listen <host:port>",
  description: "serve /readyz and /metrics here",
  read(given) {
    const result = readListen(given);
    if ("value" in result) return result.value;
    throw new UsageError(`--listen must be ${result.allowed}, not "${visible(given, 60)}"`);
  },
  repeatable: false,
  absent: undefined,
};

/** Returns the folder of the standby. @throws FailedError if the database is kept in memory */
export function requireStandbyFolder({ storage }: Config): string {
  if (storage.path === ":memory:")
    throw new FailedError("the database is kept in memory only (storage.path)");
  return standbyFolder(storage.path);
}

/** Prepares the connection to the backups of the primary. */
export function openPrimary({
  config: { backup },
  from,
  signal,
}: {
  config: Config;
  from: string | undefined;
  signal: AbortSignal;
}): { name: string; openRepository: () => Promise<Repository> } {
  const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const given = from === undefined ? { value: backup.location } : readBackupLocation(from, backup.s3);
  if (!("value" in given))
    throw new UsageError(`--from must be a folder or ${given.allowed}, not "${visible(from ?? "", 60)}"`);
  const store = openStore({ location: given.value, clock: systemClock, fillRandom, signal });
  let opened: Repository | undefined;
  return {
    name: store.name,
    // Deriving the key takes a moment, so that a repository stays open.
    async openRepository() {
      opened ??= await openRepository({
        store,
        secret: backup.encryptWith,
        fillRandom,
        createAt: undefined,
      });
      return opened;
    },
  };
}
