import { STATUS_CODES } from "node:http";
import type { Permission } from "../../../../platform/vocabulary/permissions.ts";
import { keyExpiresSoonMs, type ApiKey } from "../../../../access/keys/keys.ts";
import type { DatabaseStatus } from "../../../../platform/database/health/health.ts";
import type { Recipient } from "../../../../messaging/deliveries/recipients.ts";
import {
  disabledBecause,
  isDisabledForFailing,
  reasonOf,
} from "../../../../messaging/deliveries/rules/recipient-state.ts";
import { toPlainTime, type Instant } from "../../../../platform/lib/clock.ts";
import { spanText } from "../../../../platform/lib/durations.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { capitalized, counted, grouped, sentence, ended } from "../../../../platform/lib/wording.ts";
import { hasManyUnknown } from "../../../../intake/scans/progress.ts";
import type { Scan } from "../../../../intake/scans/tables.ts";
import {
  describeOverdue,
  nameOfSource,
  type Source,
  type SourceStatus,
} from "../../../../intake/sources/source.ts";
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
import type { ReloadOutcome } from "../../../../platform/reload/reload.ts";
import type { TakedownAttention } from "../../../../response/cases/takedowns/lists.ts";
import type { Readiness } from "../../../api/site/health.ts";
import { relativeAge, relativeTime } from "../../kit/times.ts";
import {
  deliveriesToPath,
  originPath,
  keysPath,
  namesPath,
  scansPath,
  systemPath,
  recipientPath,
  takedownsPath,
} from "../../kit/paths.ts";

/** A problem that needs attention. */
export interface Concern {
  tone: "bad" | "warn";
  /** The problem: a sentence without a period. */
  title: string;
  /** Why, and what follows from it: sentences; null if the title says everything. */
  cause: string | null;
  /** Page where it can be solved. */
  path: string;
  /** Label of the button that leads there: a verb. */
  action: string;
  /** Permission that the action takes; without it, the page can only be reviewed. */
  needs?: Permission;
}

/** How long an expired key is reported: its users will ask about it. */
const keyExpiredMs = 7 * 86_400_000;
/** How long a source may be silent before it is reported, if its rhythm is not known; most deliver daily. */
export const feedSilentMs = 7 * 86_400_000;
/** How long a database error that no longer stands is reported. */
const databaseErrorMs = 86_400_000;
const textMax = 160;
/** Reasons of failed scans name each resolver and what to change. */
const reasonMax = 400;
/** Queued deliveries are counted up to this number. */
export const queuedCountedMax = 1_000;

/** Fields of a source that can raise a concern. */
export type SourceConcerns = Pick<Source, "kind"> &
  Pick<SourceStatus, "name" | "problem" | "overdue" | "latest" | "lastReadAt"> & {
    /** Null if it is not paused. */
    pausedAt: Instant | null;
  };

/** Fields of a recipient that can raise a concern. */
export type RecipientConcerns = Pick<
  Recipient,
  | "id"
  | "name"
  | "channel"
  | "enabled"
  | "disabledReason"
  | "disabledAt"
  | "consecutiveFailures"
  | "failingSince"
  | "lastFailure"
> & {
  /** Such as "webhook endpoint". */
  noun: string;
  /** Counts its queued deliveries, up to `queuedCountedMax`. */
  queued: () => number;
};

export interface ConcernSources {
  now: Instant;
  readiness: Readiness;
  /** Address of a proxy that requests came through, but that the configuration does not trust. */
  untrustedProxy: string | undefined;
  database: Pick<DatabaseStatus, "problem" | "lastError">;
  recipients: readonly RecipientConcerns[];
  sources: readonly SourceConcerns[];
  keys: readonly Pick<ApiKey, "name" | "expiresAt" | "revokedAt">[];
  /** The latest scan that completed or failed. */
  lastScan: Pick<Scan, "status" | "error" | "startedAt" | "candidates" | "unknown"> | undefined;
  /** Why no name can be looked up. */
  resolverProblem: string | null;
  /** Why names cannot be stored or were lost. */
  archiveProblem: string | null;
  /** Concerns about the configuration, the disk, the backups and the certificates. */
  others: readonly Concern[];
}

/** Lists what is broken or about to break, most severe first. */
export function concernsOf(given: ConcernSources): Concern[] {
  const { now, recipients, sources } = given;
  const concerns = [
    ...systemConcerns(given),
    ...given.others,
    ...recipients.flatMap((recipient) => recipientConcern(recipient, now) ?? []),
    ...sources.flatMap((source) => sourceConcern(source, now) ?? []),
    ...scanConcerns(given),
    ...keyConcerns(given),
  ];
  return concerns.sort((a, b) => Number(a.tone === "warn") - Number(b.tone === "warn"));
}

function systemConcerns(given: ConcernSources): Concern[] {
  const { now, readiness, untrustedProxy, database, archiveProblem, resolverProblem } = given;
  const { lastError, problem } = database;
  const review = { path: systemPath, action: "Review" };
  const concerns: (Concern | false)[] = [
    // A full disk has a concern of its own, which says what to do.
    ...Object.entries(readiness.checks)
      .filter(([what, state]) => state !== "ok" && what !== "disk")
      .map(([what, state]): Concern => ({
        ...review,
        tone: "bad",
        title: `Not ready: ${what} ${shown(state)}`,
        cause: null,
      })),
    resolverProblem !== null && {
      ...review,
      tone: "bad",
      title: "Lookups in DNS fail",
      cause: sentence(visible(resolverProblem, reasonMax)),
      path: scansPath,
    },
    untrustedProxy !== undefined && {
      ...review,
      tone: "warn",
      title: `A proxy at ${shown(untrustedProxy)} is not in server.trusted_proxies`,
      cause: "All its visitors count as one address.",
    },
    // While it stands, it is the reason for not being ready.
    problem === undefined &&
      lastError !== null &&
      now - lastError.at < databaseErrorMs && {
        ...review,
        tone: "warn",
        title: `Database error ${relativeAge(lastError.at, now)}`,
        cause: sentence(shown(lastError.text)),
      },
    archiveProblem !== null && {
      ...review,
      tone: "warn",
      title: "The archive of names has a problem",
      cause: sentence(visible(archiveProblem, reasonMax)),
      path: namesPath,
    },
  ];
  return concerns.filter((concern) => concern !== false);
}

/** Returns the concern about a recipient; undefined if it works or a person disabled it. */
export function recipientConcern(recipient: RecipientConcerns, now: Instant): Concern | undefined {
  const { enabled, disabledReason, disabledAt, consecutiveFailures, failingSince, lastFailure } = recipient;
  const link = { path: recipientPath(recipient) ?? deliveriesToPath(recipient), action: "Review" };
  const subject = `${capitalized(recipient.noun)} ${shown(recipient.name)}`;
  if (!enabled && isDisabledForFailing(disabledReason)) {
    const since = disabledAt === null ? "" : ` ${relativeAge(disabledAt, now)}`;
    return {
      ...link,
      tone: "bad",
      title: `${subject} was disabled${since}`,
      cause: withQueue(sentence(disabledBecause[disabledReason]), recipient),
    };
  }
  if (!enabled || consecutiveFailures === 0 || failingSince === null) return undefined;
  return {
    ...link,
    tone: "bad",
    title: `${subject} has failed for ${spanText(Math.max(0, now - failingSince))}`,
    cause: withQueue(
      lastFailure === null
        ? `${counted(consecutiveFailures, "delivery", "deliveries")} failed in a row.`
        : responseText(lastFailure),
      recipient,
    ),
  };
}

/** Returns what the receiver does, as a sentence. */
function responseText({ failure, error, statusCode }: NonNullable<Recipient["lastFailure"]>): string {
  if (failure !== "status" || statusCode === null) return sentence(shown(reasonOf({ failure, error })));
  const phrase = STATUS_CODES[statusCode];
  return `It returns ${statusCode}${phrase === undefined ? "" : ` ${phrase}`}.`;
}

function withQueue(cause: string, { queued }: RecipientConcerns): string {
  const count = queued();
  if (count === 0) return cause;
  if (count >= queuedCountedMax)
    return `${cause} More than ${grouped(queuedCountedMax)} deliveries are queued.`;
  return `${cause} ${counted(count, "delivery is", "deliveries are")} queued.`;
}

/** Returns the concern about a source; undefined if it reads what it should. */
export function sourceConcern(
  { kind, name, problem, overdue, latest, lastReadAt, pausedAt }: SourceConcerns,
  now: Instant,
): Concern | undefined {
  const link = { path: originPath({ kind, name }), action: "Check" };
  const source = shown(nameOfSource({ kind, name }));
  const last = lastReadAt ?? latest?.at;
  const isSilent = lastReadAt !== null && now - lastReadAt > feedSilentMs;
  if (pausedAt !== null)
    return {
      ...link,
      tone: "warn",
      title: `Reading of ${source} is paused`,
      cause: `Nothing has been read since ${toPlainTime(pausedAt)}.`,
      action: "Resume",
      needs: "administer",
    };
  if (problem !== null)
    return { ...link, tone: "bad", title: `Problem with ${source}`, cause: sentence(shown(problem)) };
  if (last === undefined || (overdue === null && !isSilent)) return undefined;
  return {
    ...link,
    tone: "warn",
    title: `${capitalized(source)} last received new names ${relativeAge(last, now)}`,
    cause: overdue === null ? null : sentence(describeOverdue(overdue)),
  };
}

function scanConcerns({ lastScan, now }: ConcernSources): Concern[] {
  if (lastScan === undefined) return [];
  const { candidates, error, startedAt, status, unknown } = lastScan;
  const link = { path: scansPath, action: "Review" };
  const when = `The last scan, started ${relativeAge(startedAt, now)},`;
  if (status === "failed")
    return [
      {
        ...link,
        tone: "bad",
        title: `${when} failed`,
        cause: error === null ? null : sentence(visible(error, reasonMax)),
      },
    ];
  if (status !== "completed" || !hasManyUnknown(lastScan)) return [];
  const share = Math.round((unknown / candidates) * 100);
  const title = `${when} could not resolve ${share}% of the look-alikes`;
  const cause = `${grouped(unknown)} of ${grouped(candidates)} got no definite response.`;
  return [{ ...link, tone: "warn", title, cause }];
}

function keyConcerns({ keys, now }: ConcernSources): Concern[] {
  const concerns: Concern[] = [];
  for (const { name, expiresAt, revokedAt } of keys) {
    if (revokedAt !== null || expiresAt === null) continue;
    const link = { tone: "warn", path: keysPath, action: "Replace", needs: "administer" } as const;
    if (expiresAt <= now && expiresAt > now - keyExpiredMs)
      concerns.push({
        ...link,
        title: `API key ${shown(name)} expired ${relativeAge(expiresAt, now)}`,
        cause: "Requests with it are rejected.",
      });
    else if (expiresAt > now && expiresAt <= now + keyExpiresSoonMs)
      concerns.push({
        ...link,
        title: `API key ${shown(name)} expires ${relativeTime(expiresAt, now)}`,
        cause: null,
      });
  }
  return concerns;
}

function shown(text: string): string {
  return visible(text, textMax);
}

/** Errors of a configuration file are long, and the log has all of them. */

const toSystem = { path: systemPath, action: "Review" };

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
  return [{ ...toSystem, tone: "warn", title: capitalized(untilFullText(days)), cause }];
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
      ? [{ ...toSystem, tone, title: visible(began.title, reasonMax), cause: visible(began.text, reasonMax) }]
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
        ...toSystem,
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
      ...toSystem,
      tone: "warn",
      title,
      cause: `The configuration file has new values for ${visible(keys.join(", "), reasonMax)}.`,
    },
  ];
}

/** Lists what reports need from a person, most urgent first. */
export function takedownConcerns({ cameBack, followUps, notDelivered }: TakedownAttention): Concern[] {
  const link = { path: takedownsPath, action: "Review" };
  const concerns: Concern[] = [];
  if (cameBack > 0)
    concerns.push({
      ...link,
      tone: "bad",
      title: `${counted(cameBack, "site")} came back after a takedown`,
      cause: `${cameBack === 1 ? "It was" : "They were"} down after a report, and may need another.`,
    });
  if (notDelivered > 0)
    concerns.push({
      ...link,
      tone: "bad",
      title: `${counted(notDelivered, "report was", "reports were")} not delivered`,
      cause: "Nobody was asked to take the site down.",
    });
  if (followUps > 0)
    concerns.push({
      ...link,
      tone: "warn",
      title: `${counted(followUps, "report needs", "reports need")} a follow-up`,
      cause: "The site is not down.",
    });
  return concerns;
}
