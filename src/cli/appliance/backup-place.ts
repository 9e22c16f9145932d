import { openBackups } from "../../operations/backups/running/run-backup.ts";
import type { Repository } from "../../operations/backups/repository/repository.ts";
import { StoreError } from "../../operations/backups/stores/store.ts";
import {
  type BackupConfig,
  type BackupLocation,
  readBackupLocation,
  type S3Settings,
} from "../../platform/config/sections/backup.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { fillRandom } from "./fill-random.ts";
import { FailedError, UsageError } from "../terminal/command.ts";
import { text } from "../terminal/flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Options of commands that read backups. */
export const fromFlag = text(
  "--from <place>",
  "folder or s3://BUCKET/PREFIX with the backups (default: that of [backup])",
);

/** Where backups are, and the secret that opens them. */
export type BackupPlace = Pick<BackupConfig, "location" | "encryptWith">;

/**
 * Returns the place that an option names, or else the configured one.
 * @param option its name, for messages
 * @throws UsageError
 */
export function placeOf(backup: BackupConfig, given: string | undefined, option: string): BackupPlace {
  const { encryptWith, s3 } = backup;
  return { location: given === undefined ? backup.location : readPlace(given, s3, option), encryptWith };
}

/**
 * Returns the place that an option names, on a machine without a configuration file: secrets are in the environment.
 * @throws UsageError
 */
export function placeWithoutConfiguration(given: string | undefined, env: Terminal["env"]): BackupPlace {
  if (given === undefined)
    throw new UsageError(
      "there is no configuration file here; name the place of the backups with --from FOLDER or --from s3://BUCKET/PREFIX",
    );
  const value = (name: string) => env[name] || null;
  const s3: S3Settings = {
    endpoint: value("AWS_ENDPOINT_URL_S3") ?? value("AWS_ENDPOINT_URL"),
    region: value("AWS_REGION") ?? "us-east-1",
    accessKey: value("AWS_ACCESS_KEY_ID"),
    secretKey: value("AWS_SECRET_ACCESS_KEY"),
  };
  return { location: readPlace(given, s3, "--from"), encryptWith: value("PHISHWATCH_BACKUP_SECRET") };
}

function readPlace(given: string, settings: S3Settings, option: string): BackupLocation {
  if (given === "") throw new UsageError(`${option} must be a folder or s3://BUCKET/PREFIX`);
  const result = readBackupLocation(given, settings);
  if ("value" in result) return result.value;
  throw new UsageError(`${option} must be a folder or ${result.allowed}, not "${visible(given, 60)}"`);
}

/** Opens backups for reading. @throws FailedError */
export function openPlace(place: BackupPlace, signal: AbortSignal): Promise<Repository> {
  return explained(() => openBackups(place, { clock: systemClock, fillRandom, signal, creates: false }));
}

/** Runs work, and turns the errors of a store into errors of the command. */
export async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreError ? new FailedError(error.message) : error;
  }
}

/** Returns the newest backup, or the one with an id. @throws FailedError */
export async function findBackup(repository: Repository, given: string | undefined) {
  return explained(async () => {
    const id = given === undefined || given === "latest" ? (await repository.ids()).at(-1) : given;
    const { name } = repository.store;
    if (id === undefined) throw new FailedError(`${name}: there are no backups`);
    const manifest = isBackupId(id) ? await repository.find(id) : undefined;
    if (manifest !== undefined) return manifest;
    throw new FailedError(
      `${name}: there is no backup "${visible(id, 60)}"; 'phishwatch backups list' lists them`,
    );
  });
}

/** Whether an argument names a backup instead of a file. */
export function isBackupId(given: string): boolean {
  return /^\d{4}-\d\d-\d\d-\d{6}(-\d{1,4})?$/.test(given);
}
