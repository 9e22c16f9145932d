import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Static } from "@sinclair/typebox";
import type { Conflict } from "../fields/config-error.ts";
import {
  integer,
  matching,
  optionalSecret,
  optionalText,
  table,
  text,
  type Partly,
  type TextReader,
} from "../fields/fields.ts";
import { readBaseUrl } from "../fields/source-texts.ts";
import { readPath, readSchedule } from "../fields/texts.ts";
import { codeOf } from "../../lib/errors.ts";

/** Schema of backups: when they are made, how many are kept, and where. */

const bucketForm = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/|$)/;
const prefixForm = /^s3:\/\/[^/]*(?:\/[a-z0-9_-][a-z0-9._-]*)*\/?$/;
const s3CharactersMax = 200;

const readS3Location = (written: string): { value: string } | { allowed: string } => {
  const characters = "lowercase letters, digits, dots and hyphens";
  const rule =
    written.length > s3CharactersMax
      ? `of at most ${s3CharactersMax} characters`
      : !bucketForm.test(written)
        ? `with a bucket name of 3 to 63 ${characters} that begins and ends with a letter or digit`
        : !prefixForm.test(written)
          ? `with a prefix of ${characters} and underscores, whose parts are not empty and begin with no dot`
          : undefined;
  if (rule === undefined) return { value: written.replace(/\/$/, "") };
  return { allowed: `s3://BUCKET or s3://BUCKET/PREFIX ${rule}` };
};

const defaultFolder = "backups";
/** A folder with this file contains backups. */
const markerFile = "phishwatch-backups.json";

/** Null: the folder `backups` next to the database, as in the files of earlier versions. */
const readFolder: TextReader<{ path: string; isDefault: boolean } | null> = (written, context) => {
  if (written === "") return { value: null };
  const read = readPath(written, context);
  return "value" in read ? { value: { path: read.value, isDefault: written === defaultFolder } } : read;
};

const readRegion = matching(/^[a-z0-9-]{1,50}$/, `a region such as "eu-central-1"`);

/** Length and characters of `backup.encrypt_with`. */
export const backupSecretRule = { lengthMin: 16, lengthMax: 200, ascii: true } as const;

export const backup = table("backup", {
  schedule: optionalText("cron", readSchedule),
  keep: integer({ minimum: 1, maximum: 1_000 }),
  folder: text("path", readFolder),
  s3: optionalText("s3://", readS3Location),
  s3_endpoint: optionalText("URL", readBaseUrl),
  s3_region: text("region", readRegion),
  s3_access_key: optionalSecret({ lengthMin: 1, lengthMax: 200, ascii: true }),
  s3_secret_key: optionalSecret({ lengthMin: 1, lengthMax: 200, ascii: true }),
  encrypt_with: optionalSecret({ ...backupSecretRule, hint: "create one with: openssl rand -hex 32" }),
});

type BackupValues = Static<typeof backup>;

/** Where and when backups are made. Null: not set. */
export type BackupConfig = ReturnType<typeof toBackup>;

export type BackupLocation =
  | { kind: "folder"; folder: string }
  | {
      kind: "s3";
      bucket: string;
      /** Without slashes at its ends; empty: none. */
      prefix: string;
      settings: S3Settings;
    };

export interface S3Settings {
  /** With a slash at its end; null: Amazon S3. */
  endpoint: string | null;
  region: string;
  accessKey: string | null;
  secretKey: string | null;
}

export function toBackup(values: BackupValues, databasePath: string) {
  const settings: S3Settings = {
    endpoint: values.s3_endpoint,
    region: values.s3_region,
    accessKey: values.s3_access_key,
    secretKey: values.s3_secret_key,
  };
  const folder = folderOf(values.folder, join(dirname(databasePath), defaultFolder));
  const location: BackupLocation =
    values.s3 === null ? { kind: "folder", folder } : { kind: "s3", ...s3Parts(values.s3), settings };
  return {
    schedule: values.schedule,
    keep: values.keep,
    location,
    /** For buckets, also those that a command names. */
    s3: settings,
    encryptWith: values.encrypt_with,
  };
}

/**
 * Earlier versions had another default, `former`: backups that are there are continued. It also remains where this
 * user may not create the present one, as a service that has its configuration in /etc.
 */
function folderOf(folder: BackupValues["folder"], former: string): string {
  if (folder === null) return former;
  const hasBackups = (path: string) => existsSync(join(path, markerFile));
  if (!folder.isDefault || hasBackups(folder.path)) return folder.path;
  return hasBackups(former) || !(existsSync(folder.path) || mayWrite(dirname(folder.path)))
    ? former
    : folder.path;
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    // It may be created before the first backup.
    return codeOf(error) === "ENOENT";
  }
}

/**
 * Reads the place of backups that a command names: a folder or `s3://BUCKET/PREFIX`.
 * @returns the allowed form of text that begins with `s3://` and is invalid
 */
export function readBackupLocation(
  written: string,
  settings: S3Settings,
): { value: BackupLocation } | { allowed: string } {
  if (!written.startsWith("s3://")) return { value: { kind: "folder", folder: resolve(written) } };
  const result = readS3Location(written);
  if (!("value" in result)) return { allowed: result.allowed };
  return { value: { kind: "s3", ...s3Parts(result.value), settings } };
}

/** @param location as `readS3Location` accepts it */
function s3Parts(location: string): { bucket: string; prefix: string } {
  const [bucket = "", ...prefix] = location.slice("s3://".length).split("/");
  return { bucket, prefix: prefix.join("/") };
}

export function* backupConflicts({ backup: values }: Partly<{ backup: BackupValues }>): Generator<Conflict> {
  if (values === undefined) return;
  const { folder, s3, s3_access_key: accessKey, s3_secret_key: secretKey } = values;
  if (typeof s3 === "string" && folder?.isDefault === false)
    yield { path: "backup.s3", found: "folder beside it", allowed: "either folder or s3" };
  if (typeof s3 !== "string") return;
  for (const [key, value] of [
    ["s3_access_key", accessKey],
    ["s3_secret_key", secretKey],
  ] as const)
    if (value === null)
      yield { path: "backup.s3", found: `no ${key} beside it`, allowed: `${key} to be set` };
}
