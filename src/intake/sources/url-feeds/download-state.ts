import type { FeedConfig } from "../../../platform/config/config.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { backoffMs } from "../../../platform/lib/durations.ts";
import { nextTime } from "../../../platform/lib/schedule.ts";
import type { Overdue } from "../source.ts";
import type { FeedDownload } from "./tables.ts";

/** Decides when a list is fetched again, and when its silence is a problem. Pure functions. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Requests are spread over this part of an interval, so that many appliances do not ask at the same second. */
const jitterShare = 0.1;
const jitterMsMax = 10 * minuteMs;
const retryMsFirst = 5 * minuteMs;
const retryMsMax = 6 * hourMs;
/** Delay of a schedule that matches no more time. */
const neverMs = 3_650 * 24 * hourMs;
/** A source is expected to have changed within this number of intervals. */
const unchangedIntervalsMax = 3;

/**
 * A list is scored as a whole this often, so that its names stay in the archive of names, which forgets what was not
 * seen for a while.
 */
const wholeMsMin = 30 * 24 * hourMs;

export interface Occasion {
  now: Instant;
  /** A number from 0 to below 1. */
  random: number;
}

/** Why a list was not fetched. */
export interface FetchFailure {
  /** Sentence for the operator. */
  problem: string;
  /** How long the source asked to wait; null if it did not say. */
  retryAfterMs: number | null;
}

/** Returns the time between the next two times of a schedule. */
export function intervalOf(schedule: string, now: Instant): number {
  const next = nextTime(schedule, now);
  const afterNext = next === null ? null : nextTime(schedule, next);
  return next === null || afterNext === null ? Infinity : afterNext - next;
}

/** Returns whether a new version is scored as a whole. */
export function isWholeDue(
  { wholeAt }: Pick<FeedDownload, "wholeAt">,
  { isAddedKept }: { isAddedKept: boolean },
  now: Instant,
): boolean {
  return !isAddedKept || wholeAt === null || now - wholeAt >= wholeMsMin;
}

/** Returns a list that was never fetched and is due now. */
export function newDownload(feed: string, part: string, location: string): FeedDownload {
  return {
    feed,
    part,
    location,
    requestHash: "",
    version: 0,
    etag: null,
    lastModified: null,
    sha256: null,
    bytes: 0,
    names: 0,
    isAddedOnly: false,
    wholeAt: null,
    fetchedAt: null,
    gapMs: null,
    checkedAt: null,
    attemptedAt: null,
    dueAt: null,
    failures: 0,
    shrunkTimes: 0,
    problem: null,
  };
}

/** @param requestHash hash of the present settings of the request. */
export function isDue(row: FeedDownload, requestHash: string, now: Instant): boolean {
  const { dueAt, attemptedAt } = row;
  if (row.requestHash !== requestHash) return true;
  // A clock that was set back must not delay a request by as much.
  return dueAt === null || now >= dueAt || (attemptedAt !== null && now < attemptedAt);
}

/** Returns the changes to a row after a request that succeeded, whether or not it brought a new version. */
export function afterSuccess(schedule: string, { now, random }: Occasion): Partial<FeedDownload> {
  const jitterMs = random * jitterMaxOf(intervalOf(schedule, now));
  const next = nextTime(schedule, now);
  return {
    checkedAt: now,
    attemptedAt: now,
    dueAt: next === null ? now + neverMs : next + Math.round(jitterMs),
    failures: 0,
    shrunkTimes: 0,
    problem: null,
  };
}

function jitterMaxOf(intervalMs: number): number {
  return Math.min(jitterMsMax, jitterShare * intervalMs);
}

/**
 * Returns the changes to a row before a request. They last if the process ends during it: the request is then repeated
 * at the next start, once, and after that with the delays of failures. A process that ends again and again because of
 * a list must not fetch it each time.
 */
export function beforeRequest(
  { failures }: Pick<FeedDownload, "failures">,
  { now, random }: Occasion,
): Partial<FeedDownload> {
  const delayMs = failures === 0 ? 0 : retryDelayMs(failures - 1, random);
  return { attemptedAt: now, dueAt: now + delayMs, failures: failures + 1 };
}

/**
 * Returns the changes to a row after a request that failed: the delays double from 5 minutes to 6 hours, vary by a
 * quarter, and are never shorter than what the server asked for.
 */
export function afterFailure(
  { failures }: Pick<FeedDownload, "failures">,
  { problem, retryAfterMs }: FetchFailure,
  { now, random }: Occasion,
): Partial<FeedDownload> {
  return {
    attemptedAt: now,
    dueAt: now + Math.max(retryDelayMs(failures, random), retryAfterMs ?? 0),
    failures: failures + 1,
    problem,
  };
}

function retryDelayMs(failures: number, random: number): number {
  const delayMs = backoffMs({ failures: failures + 1, firstMs: retryMsFirst, maxMs: retryMsMax });
  return Math.round(delayMs * (1 + random / 4));
}

/**
 * Reports a list that has not changed for three intervals: those of its schedule, or the usual time between two versions
 * if that is longer. Only time in which requests succeeded counts.
 */
export function unchangedOf(
  { fetchedAt, checkedAt, gapMs }: Pick<FeedDownload, "fetchedAt" | "checkedAt" | "gapMs">,
  schedule: string,
  now: Instant,
): Overdue | null {
  if (fetchedAt === null || checkedAt === null) return null;
  const usualMs = Math.max(intervalOf(schedule, fetchedAt), gapMs ?? 0);
  // The first request may have been late by the jitter, and the last one early.
  const isUnchanged = checkedAt - fetchedAt >= unchangedIntervalsMax * usualMs - jitterMaxOf(usualMs);
  return isUnchanged ? { usualMs, sinceMs: now - fetchedAt } : null;
}

/** A feed whose lists are fetched, as the configuration declares it. */
export type UrlFeedConfig = Omit<FeedConfig, "path" | "type"> & { type: "list" | "czds" };

/** Recognizes a feed whose lists are fetched. */
export function isUrlFeed<T extends Pick<FeedConfig, "path" | "type">>(
  feed: T,
): feed is T & { type: "list" | "czds" } {
  return feed.type === "czds" || (feed.type === "list" && feed.path === null);
}

/** Returns the name of a list for people: its address, or its zone. */
export function partLabel({ part, location }: Pick<FeedDownload, "part" | "location">): string {
  return part === "" ? location : part;
}
