import { dirname } from "node:path";
import { backupPrefix, idOfKey } from "../../operations/backups/repository/format.ts";
import type { ForeignBackup } from "../../operations/backups/repository/lineage.ts";
import { openRepository } from "../../operations/backups/repository/repository.ts";
import { openStore } from "../../operations/backups/stores/open-store.ts";
import { StoreError, type BackupStore } from "../../operations/backups/stores/store.ts";
import type { Config } from "../../platform/config/config.ts";
import { dayMs, fromIsoTime, toPlainTime, type Clock, type Instant } from "../../platform/lib/clock.ts";
import { spanText } from "../../platform/lib/durations.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import type { FillRandom } from "../../platform/lib/ids.ts";
import { nextTime } from "../../platform/lib/schedule.ts";
import { statOf, writingProblem } from "./file-access.ts";
import { resultsOf, type CheckResult } from "./result.ts";

/** Without a schedule, an older backup is reported. */
const unscheduledAgeMsMax = 7 * dayMs;
const requestMsMax = 20_000;

/** Reports when the newest backup was made, and whether backups are scheduled, encrypted and kept on another disk. */
export async function backupResults(
  config: Pick<Config, "backup" | "storage">,
  {
    clock,
    fillRandom,
    offline,
    foreign = null,
  }: { clock: Clock; fillRandom: FillRandom; offline: boolean; foreign?: ForeignBackup | null | undefined },
): Promise<CheckResult[]> {
  const { backup, storage } = config;
  const { encryptWith: secret, location } = backup;
  if (storage.path === ":memory:") return [];
  const results = resultsOf("backups", "backups");
  if (location.kind === "s3" && offline)
    return [...placeResults(config), results.skipped("the bucket was not asked")];
  const problem =
    location.kind === "folder" && backup.schedule !== null ? writingProblem(location.folder) : undefined;
  if (problem !== undefined) {
    const change = "create the folder, and let the user of the server own it (chown)";
    return [results.error(problem, change, "backup.folder")];
  }
  try {
    const signal = AbortSignal.timeout(requestMsMax);
    const store = openStore({ location, clock, fillRandom, signal });
    const newest = await newestBackup(store);
    // Opening tells whether the secret is the right one.
    const opened = newest && (await openRepository({ store, secret, fillRandom, createAt: undefined }));
    const warning = warningOf(opened ? opened.headProblem : undefined, foreign);
    const result = warning ?? ageResult(backup.schedule, store.name, newest, clock.now());
    return [result, ...placeResults(config)];
  } catch (error) {
    const isSecret = error instanceof StoreError && error.code === "wrong_secret";
    const setting = isSecret ? "encrypt_with" : location.kind;
    return [
      results.error(
        messageOf(error),
        "follow the message, then run 'phishwatch backup'",
        `backup.${setting}`,
      ),
    ];
  }
}

/** @param foreign what the last backup found */
function warningOf(headProblem: string | undefined, foreign: ForeignBackup | null): CheckResult | undefined {
  const { warning } = resultsOf("backups", "backups");
  const again = "run 'phishwatch backup', which writes it again from the other copy, and check the disk";
  if (headProblem !== undefined) return warning(headProblem, again);
  if (foreign === null) return undefined;
  const detail = `another appliance writes to the same place: ${foreign.host} made ${foreign.id}`;
  return warning(detail, "stop one of the two appliances, or give it another folder or prefix");
}

/** Returns when the newest backup began, or undefined if there is none. */
async function newestBackup(store: BackupStore): Promise<Instant | undefined> {
  let newest: Instant | undefined;
  try {
    for await (const { key } of store.list(backupPrefix)) {
      const [, day, hour, minute, second] =
        /^(\d{4}-\d\d-\d\d)-(\d\d)(\d\d)(\d\d)/.exec(idOfKey(key) ?? "") ?? [];
      const at = day === undefined ? undefined : fromIsoTime(`${day}T${hour}:${minute}:${second}Z`);
      if (at !== undefined && at > (newest ?? 0)) newest = at;
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === "not_found") return undefined;
    throw error;
  }
  return newest;
}

/** @param newest time of the newest backup */
export function ageResult(
  schedule: string | null,
  store: string,
  newest: Instant | undefined,
  now: Instant,
): CheckResult {
  const results = resultsOf("backups", "backups");
  const setting = "backup.schedule";
  const daily =
    "set it to \"30 2 * * *\" for a backup every night, or run 'phishwatch backup' on a schedule of your own";
  const run = "leave the server running, or run 'phishwatch backup'; its log says why backups fail";
  if (newest === undefined) {
    const none = `there is none in ${store}`;
    return schedule === null
      ? results.warning(`${none}, and none is scheduled`, daily, setting)
      : results.warning(none, run);
  }
  const detail = `the newest one in ${store} is of ${toPlainTime(newest)}`;
  const late = `${detail}, ${spanText(now - newest)} ago`;
  if (schedule === null)
    return now - newest > unscheduledAgeMsMax
      ? results.warning(`${late}, and none is scheduled`, daily, setting)
      : results.ok(detail);
  // A backup that is due now may still be running.
  const due = nextTime(schedule, newest);
  const missed = due === null ? null : nextTime(schedule, due);
  return missed !== null && now > missed
    ? results.warning(`${late}: a scheduled one is missing`, run)
    : results.ok(detail);
}

/** Returns what would be lost with the disk, and what others could read. */
function placeResults({ backup, storage }: Pick<Config, "backup" | "storage">): CheckResult[] {
  const { encryptWith, location, schedule } = backup;
  const { warning } = resultsOf("backups", "place of backups");
  if (location.kind === "s3") {
    if (encryptWith !== null) return [];
    const detail = "backups in a bucket are not encrypted, and contain the secrets of endpoints and channels";
    const change = 'set it to a secret that is also kept elsewhere, such as { file = "backup.key" }';
    return [warning(detail, change, "backup.encrypt_with")];
  }
  const disk = statOf(dirname(storage.path))?.dev;
  if (schedule === null || disk === undefined || statOf(location.folder)?.dev !== disk) return [];
  const detail = `${location.folder} is on the disk of the database, so both are lost if it breaks`;
  const change = "set it to a folder on another disk or machine, or copy the folder there";
  return [warning(detail, change, "backup.folder")];
}
