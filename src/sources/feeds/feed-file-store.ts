import { and, asc, eq } from "drizzle-orm";
import type { Database } from "../../database/database.ts";
import { feedFiles, type FeedFile } from "./tables.ts";

/** How far the files of feeds were read. */
export interface FeedFiles {
  /** Of one feed, the one that was read first coming first. */
  list(feed: string): FeedFile[];
  /** Writes the whole row, new or not. */
  save(file: FeedFile): void;
  forget(feed: string, path: string): void;
}

export function createFeedFiles({ query }: Database): FeedFiles {
  return {
    list: (feed) =>
      query
        .select()
        .from(feedFiles)
        .where(eq(feedFiles.feed, feed))
        .orderBy(asc(feedFiles.startedAt), asc(feedFiles.path))
        .all(),
    save: (file) =>
      void query
        .insert(feedFiles)
        .values(file)
        .onConflictDoUpdate({ target: [feedFiles.feed, feedFiles.path], set: file })
        .run(),
    forget: (feed, path) =>
      void query
        .delete(feedFiles)
        .where(and(eq(feedFiles.feed, feed), eq(feedFiles.path, path)))
        .run(),
  };
}
