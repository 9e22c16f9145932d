import { and, asc, eq } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { feedDownloads, type FeedDownload } from "./tables.ts";

/** Stores what is known of the lists that are fetched. */
export interface DownloadStore {
  /** Returns the lists of a feed in the order of their parts. */
  list(feed: string): FeedDownload[];
  /** Returns the names of all feeds with a list. */
  feeds(): string[];
  /** Inserts or replaces the whole row. */
  save(row: FeedDownload): void;
  delete(feed: string, part: string): void;
}

export function createDownloadStore({ query }: Pick<Database, "query">): DownloadStore {
  return {
    list: (feed) =>
      query
        .select()
        .from(feedDownloads)
        .where(eq(feedDownloads.feed, feed))
        .orderBy(asc(feedDownloads.part))
        .all(),
    feeds: () =>
      query
        .selectDistinct({ feed: feedDownloads.feed })
        .from(feedDownloads)
        .all()
        .map(({ feed }) => feed),
    save: (row) =>
      void query
        .insert(feedDownloads)
        .values(row)
        .onConflictDoUpdate({ target: [feedDownloads.feed, feedDownloads.part], set: row })
        .run(),
    delete: (feed, part) =>
      void query
        .delete(feedDownloads)
        .where(and(eq(feedDownloads.feed, feed), eq(feedDownloads.part, part)))
        .run(),
  };
}
