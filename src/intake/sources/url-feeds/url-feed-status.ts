import type { Instant } from "../../../platform/lib/clock.ts";
import { toPlainTime } from "../../../platform/lib/clock.ts";
import { counted } from "../../../platform/lib/wording.ts";
import type { FeedStatus } from "../feeds/feed-status.ts";
import type { FeedFile } from "../feeds/tables.ts";
import { describeOverdue, type Overdue, type SourceCheck, type SourceStatus } from "../source.ts";
import { unchangedOf } from "./download-state.ts";
import type { FeedDownload } from "./tables.ts";
import { unreadFile } from "./update-list.ts";
import { partLabel, type UrlFeedConfig } from "./url-feed-config.ts";

/** A source that failed this often in a row is reported as unavailable although its last list is in effect. */
const failuresShown = 3;

export interface UrlFeedState {
  rows: readonly FeedDownload[];
  files: readonly FeedFile[];
  /** Work in progress; null: none. */
  activity: "fetching" | "reading" | null;
  now: Instant;
}

/** Describes a feed whose lists are fetched. */
export function urlFeedStatus(
  feed: Pick<UrlFeedConfig, "name" | "schedule">,
  location: string,
  { rows, files, activity, now }: UrlFeedState,
): FeedStatus {
  const lists = rows.filter(({ version }) => version > 0);
  const sum = (field: "invalid" | "matched" | "created") =>
    files.reduce((total, file) => total + file[field], 0);
  const newest = lists.reduce<FeedDownload | undefined>(
    (latest, row) => ((row.fetchedAt ?? 0) > (latest?.fetchedAt ?? 0) ? row : latest),
    undefined,
  );
  const completedAt = Math.max(...files.map((file) => file.completedAt ?? 0), 0);
  return {
    name: feed.name,
    location,
    state: stateOf(rows, lists, activity),
    problem: problemOf(rows, files),
    overdue: overdueOf(lists, feed.schedule, now),
    latest: newest === undefined ? null : { name: partLabel(newest), at: newest.fetchedAt! },
    lastReadAt: completedAt === 0 ? null : completedAt,
    amounts: [
      { count: lists.length, unit: "list" },
      { count: lists.reduce((total, { names }) => total + names, 0), unit: "name" },
    ],
    invalid: sum("invalid"),
    matched: sum("matched"),
    created: sum("created"),
    files: filesOf(rows, files),
    skipped: { total: 0, first: [] },
  };
}

function stateOf(
  rows: readonly FeedDownload[],
  lists: readonly FeedDownload[],
  activity: UrlFeedState["activity"],
): SourceStatus["state"] {
  if (activity !== null) return "reading";
  const isFailing = rows.some(({ problem, failures }) => problem !== null && failures >= failuresShown);
  if (isFailing || (lists.length === 0 && rows.some(({ problem }) => problem !== null))) return "unavailable";
  return lists.length === 0 ? "waiting" : "watching";
}

function problemOf(rows: readonly FeedDownload[], files: readonly FeedFile[]): string | null {
  const faulty = rows.filter(({ problem }) => problem !== null);
  const [first] = faulty;
  if (first !== undefined) {
    const where = first.part === "" ? "" : `${first.part}: `;
    const more = faulty.length === 1 ? "" : ` (and ${counted(faulty.length - 1, "more list")})`;
    const kept =
      first.fetchedAt === null ? "" : ` The list of ${toPlainTime(first.fetchedAt)} stays in effect.`;
    return `${where}${first.problem}${more}${kept}`;
  }
  const unread = files.find(({ error }) => error !== null);
  return unread === undefined ? null : `${unread.path} ${unread.error}`;
}

/** Returns the longest silence of a feed, which needs all of its lists to be silent. */
function overdueOf(lists: readonly FeedDownload[], schedule: string, now: Instant): Overdue | null {
  const all = lists.map((row) => unchangedOf(row, schedule, now));
  const silent = all.filter((one) => one !== null);
  if (silent.length === 0 || silent.length < all.length) return null;
  return silent.reduce((a, b) => (a.sinceMs < b.sinceMs ? a : b));
}

/** Lists that were never read appear with the reason. */
function filesOf(rows: readonly FeedDownload[], files: readonly FeedFile[]): FeedFile[] {
  const read = new Map(files.map((file) => [file.path, file]));
  return rows
    .filter(({ part, version, problem }) => part !== "" || version > 0 || problem !== null)
    .map((row) => {
      const file = read.get(partLabel(row)) ?? unreadFile(row);
      return { ...file, error: row.problem ?? file.error };
    });
}

/** Returns the result of a check of a feed that was fetched before, or that must not be fetched now. */
export function checkUrlFeed(status: FeedStatus, rows: readonly FeedDownload[]): SourceCheck {
  const { location, problem, overdue, amounts, latest } = status;
  const text = amounts.map(({ count, unit }) => counted(count, unit)).join(", ");
  if (problem !== null && latest === null) return { level: "error", detail: `${location}: ${problem}` };
  if (problem !== null) return { level: "warning", detail: `${location}: ${problem}` };
  if (overdue !== null) return { level: "warning", detail: `${location}: ${describeOverdue(overdue)}` };
  return rows.length === 0
    ? { level: "ok", detail: `${location}: not fetched yet` }
    : { level: "ok", detail: `${location}: ${text}` };
}
