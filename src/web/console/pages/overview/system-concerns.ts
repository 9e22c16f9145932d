import type { BackupServices } from "../../../../operations/backups/open-backups.ts";
import type { CertificateEnd } from "../../../../operations/conditions/certificate-ends.ts";
import type { Condition } from "../../../../operations/conditions/condition.ts";
import {
  backupCondition,
  certificateConditions,
  databaseCondition,
  diskCondition,
  overdueCondition,
  reloadCondition,
} from "../../../../operations/conditions/observed.ts";
import { daysUntilFull, type Growth, untilFullText } from "../../../../operations/stores/growth.ts";
import type { DatabaseStatus } from "../../../../platform/database/health/health.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { capitalized, counted, ended } from "../../../../platform/lib/wording.ts";
import type { ReloadOutcome } from "../../../../platform/reload/reload.ts";
import { systemPath } from "../../kit/paths.ts";
import type { Concern } from "./attention.ts";

/** Errors of a configuration file are long, and the log has all of them. */
const reasonMax = 400;

const link = { path: systemPath, action: "Review" };

/** The disk is reported if it would be full before this many days. */
const fullSoonDays = 14;
/** The first days, with large imports, say little about the next ones. */
const comparedDaysMin = 3;

/** @param freeBytes free space of the disk; undefined if it is not known */
export function growthConcerns(growth: Growth, freeBytes: number | undefined): Concern[] {
  const days = freeBytes === undefined ? undefined : daysUntilFull(freeBytes, growth);
  if (days === undefined || days >= fullSoonDays || growth.days < comparedDaysMin) return [];
  const cause =
    "The page System shows what grows. Shorten how long it is kept, or move the database to a larger disk.";
  return [{ ...link, tone: "warn", title: capitalized(untilFullText(days)), cause }];
}

/** Concerns about the database, the backups, the certificates and the disk, in the words of the messages that people are sent. */
export function conditionConcerns(given: {
  backups: { copies: Pick<BackupServices["copies"], "latest">; status: BackupServices["status"] };
  certificates: readonly CertificateEnd[];
  database: Pick<DatabaseStatus, "disk" | "quickCheck">;
  now: Instant;
}): Concern[] {
  const { backups, certificates, database, now } = given;
  const { disk, quickCheck } = database;
  const status = backups.status();
  const concern = (tone: Concern["tone"], { state, began }: Condition): Concern[] =>
    state === "holds"
      ? [{ ...link, tone, title: visible(began.title, reasonMax), cause: visible(began.text, reasonMax) }]
      : [];
  return [
    // Other problems of the database are why it is not ready.
    ...concern("bad", databaseCondition({ problem: undefined, quickCheck })),
    ...concern(disk?.level === "full" ? "bad" : "warn", diskCondition(disk)),
    ...concern("bad", backupCondition(backups.copies.latest(), status)),
    ...concern("bad", overdueCondition(status)),
    ...certificateConditions(certificates, now).flatMap((condition, index) =>
      concern(certificates[index]!.endsAt <= now ? "bad" : "warn", condition),
    ),
  ];
}

/** @param lastReload the last reload of the configuration file; undefined if there was none */
export function reloadConcerns(
  lastReload: Pick<ReloadOutcome, "errors" | "restart" | "result"> | undefined,
): Concern[] {
  if (lastReload?.result === "failed")
    return [
      {
        ...link,
        tone: "bad",
        title: reloadCondition(lastReload).began.title,
        cause: `${ended(visible(lastReload.errors.join("; "), reasonMax))} The previous configuration stays in effect.`,
      },
    ];
  const keys = lastReload?.restart ?? [];
  if (keys.length === 0) return [];
  const title = `${counted(keys.length, "changed setting")} ${keys.length === 1 ? "needs" : "need"} a restart`;
  return [
    {
      ...link,
      tone: "warn",
      title,
      cause: `The configuration file has new values for ${visible(keys.join(", "), reasonMax)}.`,
    },
  ];
}
