import type { ApiKey } from "../../../access/keys/keys.ts";
import type { Readiness } from "../../../api/site/health.ts";
import type { DatabaseStatus } from "../../../database/health/health.ts";
import type { Recipient } from "../../../deliveries/recipients.ts";
import { causeOf, disabledBecause, isDisabledForFailing } from "../../../deliveries/rules/recipient-state.ts";
import { toPlainTime, type Instant } from "../../../lib/clock.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import { hasManyUnknown } from "../../../scans/unknown-share.ts";
import type { Scan } from "../../../scans/tables.ts";
import { nameOfSource, type Source, type SourceStatus } from "../../../sources/source.ts";
import { relativeAge, relativeTime } from "../../kit/times.ts";
import {
  deliveriesToPath,
  originPath,
  keysPath,
  namesPath,
  scansPath,
  systemPath,
  recipientPath,
} from "../../kit/paths.ts";

/** A problem that needs attention, with the page where it can be solved. */
export interface Concern {
  tone: "bad" | "warn";
  text: string;
  path: string;
}

export const keyExpiresSoonMs = 14 * 86_400_000;
/** How long an expired key is reported: its users will ask about it. */
const keyExpiredMs = 7 * 86_400_000;
/** How long a source may be silent before it is reported, if its rhythm is not known; most deliver daily. */
export const feedSilentMs = 7 * 86_400_000;
/** How long a database error that no longer stands is reported. */
const databaseErrorMs = 86_400_000;
const textMax = 160;
/** Reasons of failed scans name each resolver and what to change. */
const reasonMax = 400;

/** Fields of a source that can raise a concern. */
type SourceConcerns = Pick<Source, "kind"> &
  Pick<SourceStatus, "name" | "problem" | "overdue" | "latest" | "lastReadAt"> & {
    /** Null if it is not paused. */
    pausedAt: Instant | null;
  };

/** Fields of a recipient that can raise a concern. */
type RecipientConcerns = Pick<
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
};

/** Lists what is broken or about to break, most severe first. */
export function concernsOf({
  now,
  readiness,
  untrustedProxy,
  database,
  recipients,
  sources,
  keys,
  lastScan,
  resolverProblem,
  archiveProblem,
}: {
  now: Instant;
  readiness: Readiness;
  /** Address of a proxy that requests came through, but that the configuration does not trust. */
  untrustedProxy: string | undefined;
  database: Pick<DatabaseStatus, "problem" | "lastError" | "disk">;
  recipients: readonly RecipientConcerns[];
  sources: readonly SourceConcerns[];
  keys: readonly Pick<ApiKey, "name" | "expiresAt" | "revokedAt">[];
  /** The latest scan that completed or failed. */
  lastScan: Pick<Scan, "status" | "error" | "startedAt" | "candidates" | "unknown"> | undefined;
  /** Why no name can be looked up. */
  resolverProblem: string | null;
  /** Why names cannot be stored or were lost. */
  archiveProblem: string | null;
}): Concern[] {
  const concerns: Concern[] = [];
  const add = (tone: Concern["tone"], path: string, text: string) => void concerns.push({ tone, path, text });
  const ago = (at: Instant) => relativeAge(at, now);
  const shown = (text: string) => visible(text, textMax);

  for (const [what, state] of Object.entries(readiness.checks)) {
    if (state !== "ok") add("bad", systemPath, `Not ready: ${what} ${shown(state)}`);
  }
  if (untrustedProxy !== undefined)
    add(
      "warn",
      systemPath,
      `A proxy at ${shown(untrustedProxy)} is not in server.trusted_proxies, so all its visitors count as one address`,
    );
  if (database.disk?.level === "nearly full")
    add("warn", systemPath, `The disk of the database is nearly full: ${database.disk.text}`);
  // While it stands, it is the reason for not being ready.
  const { lastError } = database;
  if (database.problem === undefined && lastError !== null && now - lastError.at < databaseErrorMs)
    add("warn", systemPath, `Database error ${ago(Math.min(lastError.at, now))}: ${shown(lastError.text)}`);
  if (archiveProblem !== null)
    add("warn", namesPath, `Archive of names: ${visible(archiveProblem, reasonMax)}`);
  if (resolverProblem !== null)
    add("bad", scansPath, `Lookups in DNS fail: ${visible(resolverProblem, reasonMax)}`);
  for (const recipient of recipients) {
    const cause = causeOf(recipient);
    const { enabled, disabledReason, disabledAt, consecutiveFailures: failures, failingSince } = recipient;
    const path = recipientPath(recipient) ?? deliveriesToPath(recipient);
    const subject = `${capitalized(recipient.noun)} ${shown(recipient.name)}`;
    if (!enabled && isDisabledForFailing(disabledReason)) {
      const since = disabledAt === null ? "" : ` ${ago(disabledAt)}`;
      add("bad", path, `${subject} was disabled${since}: ${disabledBecause[disabledReason]}`);
    } else if (enabled && failures > 0 && failingSince !== null) {
      add(
        "bad",
        path,
        `${subject} is failing: ${counted(failures, "consecutive failure")}, the first ${ago(failingSince)}${cause === null ? "" : `. Last: ${shown(cause)}`}`,
      );
    }
  }
  for (const { kind, name, problem, overdue, latest, lastReadAt, pausedAt } of sources) {
    const path = originPath({ kind, name });
    const source = capitalized(shown(nameOfSource({ kind, name })));
    const last = lastReadAt ?? latest?.at;
    const isSilent = lastReadAt !== null && now - lastReadAt > feedSilentMs;
    if (pausedAt !== null)
      add("warn", path, `${source} has been paused since ${toPlainTime(pausedAt)} and reads nothing`);
    else if (problem !== null) add("bad", path, `${source}: ${shown(problem)}`);
    else if (last !== undefined && (overdue !== null || isSilent))
      add("warn", path, `${source} last received new names ${ago(last)}`);
  }
  if (lastScan?.status === "failed") {
    const why = lastScan.error === null ? "" : `: ${visible(lastScan.error, reasonMax)}`;
    add("bad", scansPath, `The last scan, started ${ago(lastScan.startedAt)}, failed${why}`);
  }
  if (lastScan?.status === "completed" && hasManyUnknown(lastScan)) {
    const share = Math.round((lastScan.unknown / lastScan.candidates) * 100);
    const { unknown, candidates, startedAt } = lastScan;
    add(
      "warn",
      scansPath,
      `The last scan, started ${ago(startedAt)}, could not resolve ${grouped(unknown)} of ${grouped(candidates)} look-alikes (${share} %)`,
    );
  }
  for (const { name, expiresAt, revokedAt } of keys) {
    if (revokedAt !== null || expiresAt === null) continue;
    if (expiresAt <= now && expiresAt > now - keyExpiredMs)
      add("warn", keysPath, `API key ${shown(name)} expired ${ago(expiresAt)}`);
    else if (expiresAt > now && expiresAt <= now + keyExpiresSoonMs)
      add("warn", keysPath, `API key ${shown(name)} expires ${relativeTime(expiresAt, now)}`);
  }
  return concerns;
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
