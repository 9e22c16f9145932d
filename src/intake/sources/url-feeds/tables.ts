import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../../platform/database/columns.ts";

/** State of each list that is fetched: the version in effect, and the result of the last request. */
export const feedDownloads = sqliteTable(
  "feed_downloads",
  {
    feed: text("feed").notNull(),
    /** Zone of a CZDS feed; empty: the only list of a feed, or the account of a CZDS feed. */
    part: text("part").notNull(),
    /** Address without the query, which may contain a key. */
    location: text("location").notNull(),
    /** SHA-256 of the settings of the request: once they are corrected, the list is fetched at once. */
    requestHash: text("request_hash").notNull(),
    /** Number of the version in effect, which names its files; 0: there is none. */
    version: integer("version").notNull(),
    etag: text("etag"),
    lastModified: text("last_modified"),
    /** SHA-256 of the version as it was sent. */
    sha256: text("sha256"),
    bytes: integer("bytes").notNull(),
    /** Number of different names. */
    names: integer("names").notNull(),
    /** Whether only the names that the version before did not have are scored. */
    isAddedOnly: integer("is_added_only", { mode: "boolean" }).notNull(),
    /** When a version was fetched that is scored as a whole. */
    wholeAt: instant("whole_at"),
    /** When the version was fetched. */
    fetchedAt: instant("fetched_at"),
    /** Time between the last two versions with different names; null if there were not two. */
    gapMs: integer("gap_ms"),
    /** When the list was last fetched or found unchanged. */
    checkedAt: instant("checked_at"),
    /** When it was last requested. */
    attemptedAt: instant("attempted_at"),
    /** When it is requested again. */
    dueAt: instant("due_at"),
    /** Number of failures in a row. */
    failures: integer("failures").notNull(),
    /** How often in a row the source served a list that had shrunk too much. */
    shrunkTimes: integer("shrunk_times").notNull(),
    /** Why the last request failed; null if it did not. */
    problem: text("problem"),
  },
  (table) => [primaryKey({ columns: [table.feed, table.part] })],
);

export type FeedDownload = typeof feedDownloads.$inferSelect;
