import { and, asc, eq } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { feedDownloads, type FeedDownload } from "./tables.ts";
import { createHash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Stores what is known of the lists that are fetched. */
export type DownloadStore = ReturnType<typeof createDownloadStore>;

export function createDownloadStore({ query }: Pick<Database, "query">) {
  return {
    /** Returns the lists of a feed in the order of their parts. */
    list: (feed: string): FeedDownload[] =>
      query
        .select()
        .from(feedDownloads)
        .where(eq(feedDownloads.feed, feed))
        .orderBy(asc(feedDownloads.part))
        .all(),

    /** Returns the names of all feeds with a list. */
    feeds: () =>
      query
        .selectDistinct({ feed: feedDownloads.feed })
        .from(feedDownloads)
        .all()
        .map(({ feed }) => feed),

    /** Inserts or replaces the whole row. */
    save: (row: FeedDownload) =>
      void query
        .insert(feedDownloads)
        .values(row)
        .onConflictDoUpdate({ target: [feedDownloads.feed, feedDownloads.part], set: row })
        .run(),
    delete: (feed: string, part: string) =>
      void query
        .delete(feedDownloads)
        .where(and(eq(feedDownloads.feed, feed), eq(feedDownloads.part, part)))
        .run(),
  };
}

/** Folder with the lists of all feeds, next to the database. */
export type FeedFilesFolder = ReturnType<typeof createFeedFilesFolder>;

/** The database must not run out of space because of a list. */
const reservedBytes = 2 ** 30;
/** The hashes of a compressed list, and the file in which they are sorted, are about as large as the list each. */
const copiesMax = 3;

/** @param freeBytes returns the free space on the disk of a file. */
export function createFeedFilesFolder(path: string, freeBytes: (path: string) => number) {
  /** Returns the files of one list. */
  function paths(feed: string, part: string) {
    // Names of feeds are free text.
    const id = createHash("sha256")
      .update(JSON.stringify([feed, part]))
      .digest("hex")
      .slice(0, 32);
    const file = (name: string) => join(path, `${id}.${name}`);
    return {
      /** Download that is not checked yet. */
      download: file("download"),
      /** Unsorted hashes while a download is checked. */
      temporary: file("sorting"),
      /** Files of a version: the list as it was sent, the hashes of its names, and those of its new names. */
      of: (version: number) => ({
        list: file(`${version}.list`),
        hashes: file(`${version}.hashes`),
        added: file(`${version}.added`),
      }),
    };
  }

  return {
    paths,

    /** Returns the maximum size of a list for which there is room on the disk. */
    roomBytes: () => Math.max(0, Math.floor((freeBytes(join(path, "list")) - reservedBytes) / copiesMax)),

    /** Creates the folder. */
    create: async (): Promise<void> => void (await mkdir(path, { recursive: true, mode: 0o700 })),

    /** Deletes everything except the files of these versions. Nothing may be in progress. */
    async clean(kept: readonly FeedDownload[]) {
      const keep = new Set(
        kept.flatMap(({ feed, part, version }) => Object.values(paths(feed, part).of(version))),
      );
      for (const name of await readdir(path))
        if (/^[0-9a-f]{32}\./.test(name) && !keep.has(join(path, name)))
          await rm(join(path, name), { force: true });
    },

    /** Deletes the files of the version before. */
    async deletePrevious({ feed, part, version }: FeedDownload) {
      const previous = Object.values(paths(feed, part).of(version - 1));
      await Promise.all(previous.map((file) => rm(file, { force: true })));
    },
  };
}
