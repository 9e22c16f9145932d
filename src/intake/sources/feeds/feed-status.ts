import { sumOf } from "../../../platform/lib/sums.ts";
import { basename } from "node:path";
import type { Instant } from "../../../platform/lib/clock.ts";
import { counted } from "../../../platform/lib/wording.ts";
import { describeOverdue, type SourceCheck, type SourceStatus, type Overdue } from "../source.ts";
import { listFiles, type SkippedFiles } from "./feed-folder.ts";
import type { Feed } from "./feed-reader.ts";
import type { FeedFile } from "./tables.ts";

export interface FeedStatus extends SourceStatus {
  files: FeedFile[];
  /** Entries of the folder that are never read. */
  skipped: SkippedFiles;
}

/**
 * @param missing why there is nothing to read at the feed's path; null if there is.
 * @param files progress in the feed's files, in the order in which they were read.
 */
export function feedStatus(
  { name, path }: Pick<Feed, "name" | "path">,
  options: Pick<FeedStatus, "files" | "skipped" | "state"> & { missing: string | null; now: Instant },
): FeedStatus {
  const { missing, now, ...known } = options;
  const { files, skipped } = known;
  const faulty = files.findLast(({ error }) => error !== null);
  const latestAt = lastFileAt(files);
  const latest = files.find(({ modifiedAt }) => modifiedAt === latestAt);
  return {
    name,
    location: path,
    problem:
      missing ??
      (faulty === undefined ? describeSkipped(skipped) : `${basename(faulty.path)} ${faulty.error}`),
    overdue: overdueOf(files, now),
    latest: latest === undefined ? null : { name: basename(latest.path), at: latest.modifiedAt },
    amounts: [
      { count: files.length, unit: "file" },
      { count: sumOf(files, "lines").lines, unit: "line" },
    ],
    ...resultOf(files),
    ...known,
  };
}

/** Returns what was read of some files. */
export function resultOf(files: readonly FeedFile[]) {
  const completedAt = Math.max(...files.map((file) => file.completedAt ?? 0), 0);
  const lastReadAt = completedAt === 0 ? null : completedAt;
  return { lastReadAt, ...sumOf(files, "invalid", "matched", "created") };
}

/** Describes the entries that are never read, such as `link.txt is a link that leaves the folder`; null if none. */
function describeSkipped({ total, first: [first] }: SkippedFiles): string | null {
  if (first === undefined) return null;
  const more = total === 1 ? "" : ` (and ${counted(total - 1, "more", "more")})`;
  return `${first.name} ${first.why}${more}; it is not read`;
}

/** @param known files that were read before: they may have been removed since, and new ones may wait to be read. */
export async function checkFeed(
  { path }: Pick<Feed, "path">,
  known: readonly FeedFile[],
  now: Instant,
): Promise<SourceCheck> {
  const listing = await listFiles(path);
  if ("missing" in listing) return { level: "error", detail: `${path} cannot be read: ${listing.missing}` };
  const files = new Map([...known, ...listing.files].map((file) => [file.path, file]));
  const overdue = overdueOf([...files.values()], now);
  const skipped = describeSkipped(listing.skipped);
  if (overdue === null && skipped !== null) return { level: "warning", detail: `${path}: ${skipped}` };
  return overdue === null
    ? { level: "ok", detail: `${path}: ${counted(listing.files.length, "file")}` }
    : { level: "warning", detail: `${path}: ${describeOverdue(overdue)}` };
}

/** Number of files from which a feed's rhythm is determined. */
const latestMax = 12;
const gapsMin = 3;
/** Files that are closer together were added at once and have no rhythm. */
const rhythmMsMin = 10 * 60_000;
const overdueMsMin = 2 * 3_600_000;

/** Returns when the newest file was written; null if there is none. */
export function lastFileAt(files: readonly Pick<FeedFile, "modifiedAt">[]): Instant | null {
  return files.reduce<Instant | null>(
    (last, { modifiedAt }) => Math.max(last ?? modifiedAt, modifiedAt),
    null,
  );
}

/**
 * Reports a feed that seems to have stopped: nothing new for more than three times the usual gap between its files.
 * The usual gap is the median, so that one holiday does not count. Returns null for feeds without a rhythm.
 */
export function overdueOf(files: readonly Pick<FeedFile, "modifiedAt">[], now: Instant): Overdue | null {
  const latest = files
    .map(({ modifiedAt }) => modifiedAt)
    .sort((a, b) => b - a)
    .slice(0, latestMax);
  const gaps = latest.slice(1).map((at, index) => latest[index]! - at);
  if (gaps.length < gapsMin) return null;
  const usualMs = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)]!;
  const sinceMs = now - latest[0]!;
  const isOverdue = usualMs >= rhythmMsMin && sinceMs > Math.max(3 * usualMs, overdueMsMin);
  return isOverdue ? { usualMs, sinceMs } : null;
}
