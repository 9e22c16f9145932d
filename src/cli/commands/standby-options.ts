import { openRepository, type Repository } from "../../operations/backups/repository/repository.ts";
import { openStore } from "../../operations/backups/stores/open-store.ts";
import type { Config } from "../../platform/config/config.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { standbyFolder } from "../../operations/standby/standby-folder.ts";
import { placeOf } from "../appliance/backup-place.ts";
import { fillRandom } from "../appliance/fill-random.ts";
import { FailedError } from "../terminal/failure.ts";

/** Returns the folder of the standby. @throws FailedError if the database is kept in memory */
export function requireStandbyFolder({ storage }: Config): string {
  if (storage.path === ":memory:")
    throw new FailedError("the database is kept in memory only (storage.path)");
  return standbyFolder(storage.path);
}

/**
 * Prepares the connection to the backups of the primary.
 * @param from place that replaces the one of the configuration
 * @throws UsageError for an invalid place, StoreError for a bucket without credentials
 */
export function openPrimary({
  config: { backup },
  from,
  signal,
}: {
  config: Config;
  from: string | undefined;
  signal: AbortSignal;
}): { name: string; openRepository: () => Promise<Repository> } {
  const { location, encryptWith } = placeOf(backup, from, "--from");
  const store = openStore({ location, clock: systemClock, fillRandom, signal });
  let opened: Repository | undefined;
  return {
    name: store.name,
    // Deriving the key takes a moment, so that a repository stays open.
    openRepository: async () =>
      (opened ??= await openRepository({ store, secret: encryptWith, fillRandom, createAt: undefined })),
  };
}
