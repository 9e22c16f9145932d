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

/** A concern, or nothing. */
type PossibleConcern = Concern | false | undefined;

/** A page, and a verb that leads there. */
type Link = Pick<Concern, "path" | "action" | "needs">;

const review = (path: string): Link => ({ path, action: "Review" });
const toSystem = review(systemPath);

export function bad(title: string, cause: string | null, link = toSystem): Concern {
  return { ...link, tone: "bad", title, cause };
}

export function warn(title: string, cause: string | null, link = toSystem): Concern {
  return { ...link, tone: "warn", title, cause };
}

export const present = (concerns: readonly PossibleConcern[]) =>
  concerns.filter((one) => one !== false && one !== undefined);

/** Lists what is broken or about to break, most severe first. */
export function concernsOf(given: ConcernSources): Concern[] {
  const { keys, lastScan, now, recipients, sources } = given;
  return present([
    ...systemConcerns(given),
    ...given.others,
    ...recipients.map((recipient) => recipientConcern(recipient, now)),
    ...sources.map((source) => sourceConcern(source, now)),
    lastScan && scanConcern(lastScan, now),
    ...keys.map((key) => keyConcern(key, now)),
  ]).sort((a, b) => Number(a.tone === "warn") - Number(b.tone === "warn"));
}

function systemConcerns(given: ConcernSources): PossibleConcern[] {
  const { now, readiness, untrustedProxy, database, archiveProblem, resolverProblem } = given;
  const { lastError, problem } = database;
  return [
    // A full disk has a concern of its own, which says what to do.
    ...Object.entries(readiness.checks)
      .filter(([what, state]) => state !== "ok" && what !== "disk")
      .map(([what, state]) => bad(`Not ready: ${what} ${shown(state)}`, null)),
    resolverProblem !== null &&
      bad("Lookups in DNS fail", sentence(visible(resolverProblem, reasonMax)), review(scansPath)),
    untrustedProxy !== undefined &&
      warn(
        `A proxy at ${shown(untrustedProxy)} is not in server.trusted_proxies`,
        "All its visitors count as one address.",
      ),
    // While it stands, it is the reason for not being ready.
    problem === undefined &&
      lastError !== null &&
      now - lastError.at < databaseErrorMs &&
      warn(`Database error ${relativeAge(lastError.at, now)}`, sentence(shown(lastError.text))),
    archiveProblem !== null &&
      warn(
        "The archive of names has a problem",
        sentence(visible(archiveProblem, reasonMax)),
        review(namesPath),
      ),
  ];
}

/** Returns the concern about a recipient; undefined if it works or a person disabled it. */
export function recipientConcern(recipient: RecipientConcerns, now: Instant): Concern | undefined {
  const { enabled, disabledReason, disabledAt, consecutiveFailures, failingSince, lastFailure } = recipient;
  const link = review(recipientPath(recipient) ?? deliveriesToPath(recipient));
  const subject = `${capitalized(recipient.noun)} ${shown(recipient.name)}`;
  if (!enabled && isDisabledForFailing(disabledReason)) {
    const since = disabledAt === null ? "" : ` ${relativeAge(disabledAt, now)}`;
    const cause = withQueue(sentence(disabledBecause[disabledReason]), recipient);
    return bad(`${subject} was disabled${since}`, cause, link);
  }
  if (!enabled || consecutiveFailures === 0 || failingSince === null) return undefined;
  const cause =
    lastFailure === null
      ? `${counted(consecutiveFailures, "delivery", "deliveries")} failed in a row.`
      : responseText(lastFailure);
  const title = `${subject} has failed for ${spanText(Math.max(0, now - failingSince))}`;
  return bad(title, withQueue(cause, recipient), link);
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
  const link: Link = { path: originPath({ kind, name }), action: "Check" };
  const source = shown(nameOfSource({ kind, name }));
  const last = lastReadAt ?? latest?.at;
  const isSilent = lastReadAt !== null && now - lastReadAt > feedSilentMs;
  if (pausedAt !== null)
    return warn(`Reading of ${source} is paused`, `Nothing has been read since ${toPlainTime(pausedAt)}.`, {
      ...link,
      action: "Resume",
      needs: "administer",
    });
  if (problem !== null) return bad(`Problem with ${source}`, sentence(shown(problem)), link);
  if (last === undefined || (overdue === null && !isSilent)) return undefined;
  return warn(
    `${capitalized(source)} last received new names ${relativeAge(last, now)}`,
    overdue === null ? null : sentence(describeOverdue(overdue)),
    link,
  );
}

function scanConcern(lastScan: NonNullable<ConcernSources["lastScan"]>, now: Instant): PossibleConcern {
  const { candidates, error, startedAt, status, unknown } = lastScan;
  const when = `The last scan, started ${relativeAge(startedAt, now)},`;
  if (status === "failed")
    return bad(
      `${when} failed`,
      error === null ? null : sentence(visible(error, reasonMax)),
      review(scansPath),
    );
  if (status !== "completed" || !hasManyUnknown(lastScan)) return undefined;
  const share = Math.round((unknown / candidates) * 100);
  return warn(
    `${when} could not resolve ${share}% of the look-alikes`,
    `${grouped(unknown)} of ${grouped(candidates)} got no definite response.`,
    review(scansPath),
  );
}

function keyConcern(
  { name, expiresAt, revokedAt }: ConcernSources["keys"][number],
  now: Instant,
): PossibleConcern {
  if (revokedAt !== null || expiresAt === null) return undefined;
  const link: Link = { path: keysPath, action: "Replace", needs: "administer" };
  const key = `API key ${shown(name)}`;
  if (expiresAt > now)
    return (
      expiresAt <= now + keyExpiresSoonMs &&
      warn(`${key} expires ${relativeTime(expiresAt, now)}`, null, link)
    );
  return (
    expiresAt > now - keyExpiredMs &&
    warn(`${key} expired ${relativeAge(expiresAt, now)}`, "Requests with it are rejected.", link)
  );
}

function shown(text: string): string {
  return visible(text, textMax);
}

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
  return [warn(capitalized(untilFullText(days)), cause)];
}

/** Concerns about the database, the backups, the certificates and the disk, in the words of the messages about them. */
export function conditionConcerns(given: {
  backups: { copies: Pick<BackupServices["copies"], "latest">; status: BackupServices["status"] };
  certificates: readonly CertificateEnd[];
  database: Pick<DatabaseStatus, "disk" | "quickCheck">;
  now: Instant;
}): Concern[] {
  const { backups, certificates, database, now } = given;
  const { disk, quickCheck } = database;
  const status = backups.status();
  const concern = (described: typeof bad, { state, began }: Condition) =>
    state === "holds" && described(visible(began.title, reasonMax), visible(began.text, reasonMax));
  return present([
    // Other problems of the database are why it is not ready.
    concern(bad, databaseCondition({ problem: undefined, quickCheck })),
    concern(disk?.level === "full" ? bad : warn, diskCondition(disk)),
    concern(bad, backupCondition(backups.copies.latest(), status)),
    concern(bad, overdueCondition(status)),
    ...certificateConditions(certificates, now).map((condition, index) =>
      concern(certificates[index]!.endsAt <= now ? bad : warn, condition),
    ),
  ]);
}

/** @param lastReload the last reload of the configuration file; undefined if there was none */
export function reloadConcerns(
  lastReload: Pick<ReloadOutcome, "errors" | "restart" | "result"> | undefined,
): Concern[] {
  if (lastReload?.result === "failed") {
    const errors = ended(visible(lastReload.errors.join("; "), reasonMax));
    const { title } = reloadCondition(lastReload).began;
    return [bad(title, `${errors} The previous configuration stays in effect.`)];
  }
  const keys = lastReload?.restart ?? [];
  if (keys.length === 0) return [];
  return [
    warn(
      `${counted(keys.length, "changed setting")} ${keys.length === 1 ? "needs" : "need"} a restart`,
      `The configuration file has new values for ${visible(keys.join(", "), reasonMax)}.`,
    ),
  ];
}

/** Lists what reports need from a person, most urgent first. */
export function takedownConcerns({ cameBack, followUps, notDelivered }: TakedownAttention): Concern[] {
  const link = review(takedownsPath);
  return present([
    cameBack > 0 &&
      bad(
        `${counted(cameBack, "site")} came back after a takedown`,
        `${cameBack === 1 ? "It was" : "They were"} down after a report, and may need another.`,
        link,
      ),
    notDelivered > 0 &&
      bad(
        `${counted(notDelivered, "report was", "reports were")} not delivered`,
        "Nobody was asked to take the site down.",
        link,
      ),
    followUps > 0 &&
      warn(
        `${counted(followUps, "report needs", "reports need")} a follow-up`,
        "The site is not down.",
        link,
      ),
  ]);
}
