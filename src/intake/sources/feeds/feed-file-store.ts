import { and, asc, eq } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { feedFiles, type FeedFile } from "./tables.ts";

/** Stores the progress in the files of feeds. */
export type FeedFileStore = ReturnType<typeof createFeedFileStore>;

export function createFeedFileStore({ query }: Database) {
  return {
    /** Returns the files of a feed in the order in which they were read. */
    list: (feed: string): FeedFile[] =>
      query
        .select()
        .from(feedFiles)
        .where(eq(feedFiles.feed, feed))
        .orderBy(asc(feedFiles.startedAt), asc(feedFiles.path))
        .all(),
    get: (feed: string, path: string): FeedFile | undefined =>
      query
        .select()
        .from(feedFiles)
        .where(and(eq(feedFiles.feed, feed), eq(feedFiles.path, path)))
        .get(),

    /** Inserts or replaces the whole row. */
    save: (file: FeedFile) =>
      void query
        .insert(feedFiles)
        .values(file)
        .onConflictDoUpdate({ target: [feedFiles.feed, feedFiles.path], set: file })
        .run(),
    delete: (feed: string, path: string) =>
      void query
        .delete(feedFiles)
        .where(and(eq(feedFiles.feed, feed), eq(feedFiles.path, path)))
        .run(),
  };
}
