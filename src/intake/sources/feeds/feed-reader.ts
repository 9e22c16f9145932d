import type { FileHandle } from "node:fs/promises";
import type { ListFormat } from "../../../platform/vocabulary/lists.ts";
import type { Tally } from "../tally.ts";
import type { NameBatch } from "../name-batch.ts";
import { sumOf } from "../../../platform/lib/sums.ts";
import type { SourceNeeds } from "../needs.ts";
import { NameListError } from "../name-file-bytes/byte-source.ts";
import {
  batchOfChunk,
  selectEntries,
  type EntrySelection,
  type Place,
} from "../name-file-formats/name-chunk.ts";
import { openNameList, type NameList } from "../name-files/name-list.ts";
import { feedKind } from "../source.ts";
import type { FeedFileStore } from "./feed-file-store.ts";
import { fingerprintOf } from "./feed-folder.ts";
import type { FileState } from "./read-decision.ts";
import type { FeedFile } from "./tables.ts";

/** A feed as the configuration declares it. */
export interface Feed {
  name: string;
  /** Path of a file or a folder. */
  path: string;
  format: ListFormat;
  column: string | null;
  /** Whether the page at each address is inspected. */
  inspect: boolean;
}

export interface FileReading {
  feed: Pick<Feed, "name" | "format" | "column" | "inspect">;
  /** Path of the file, or the name of a list that is fetched. */
  path: string;
  /** Opens the file. Reading closes it. */
  open: () => Promise<FileHandle>;
  /** Decides which entries to process; the others are only counted. Default: all. */
  isSelected?: EntrySelection | undefined;
  file: FileState;
  /** Progress so far; undefined: read the file from its start. */
  before: FeedFile | undefined;
  /** Whether to read a last line that has no line feed. */
  toEnd: boolean;
  signal: AbortSignal;
  /** Called after each save, also in a transaction that may still fail. */
  onSave: (file: FeedFile) => void;
}

/**
 * Reads a file of a feed from where reading stopped, and records the matches of each batch together with the
 * position. Returns the file's progress; undefined if the file cannot be read while it grows.
 */
export type ReadFeedFile = (reading: FileReading) => Promise<FeedFile | undefined>;

export function createFeedReader(
  dependencies: SourceNeeds<"candidates" | "clock" | "database" | "inspectFeed"> & {
    files: FeedFileStore;
  },
): ReadFeedFile {
  const { candidates, clock, database, files, inspectFeed } = dependencies;
  return async ({ feed, path, open, isSelected, file, before, toEnd, signal, onSave }) => {
    const startedAt = clock.now();
    let row: FeedFile = {
      ...(before ?? unreadFile({ feed: feed.name, path, startedAt, ...file })),
      ...file,
      startedAt,
      completedAt: null,
      error: null,
    };
    const first = row;
    const save = (values: Partial<FeedFile>) => {
      row = { ...row, ...values };
      files.save(row);
      onSave(row);
    };

    const saveApart = (values: Partial<FeedFile>) => database.write(() => save(values), { patient: true });

    let list: NameList | undefined;
    try {
      const handle = await open();
      list = await openNameList(path, {
        format: feed.format,
        column: feed.column ?? "",
        from: { position: row.position, line: row.lines + 1 },
        bytesMax: file.bytes,
        wholeLinesOnly: !toEnd,
        file: handle,
        signal,
      });
      const { seekable } = list;
      if (!toEnd && !seekable) return before;
      const onCommit = ({ position, line }: Place, tally: Readonly<Tally>) =>
        save({
          position,
          lines: line - 1,
          fingerprint: seekable ? fingerprintOf(handle, position) : null,
          ...sumOf([first, tally], "invalid", "matched", "created"),
        });
      await candidates.process(batchesOf(list, isSelected), {
        source: "feed",
        origin: { kind: feedKind, name: feed.name },
        inspect: inspectFeed(feed, "feed"),
        signal,
        onCommit,
      });
      // The rest after the position is a line that may still be being written.
      const complete = toEnd || row.position === file.bytes;
      if (complete && !signal.aborted) await saveApart({ completedAt: clock.now() });
    } catch (error) {
      if (signal.aborted) return row;
      if (!(error instanceof NameListError)) throw error;
      await saveApart({ error: error.problem, fingerprint: null });
    } finally {
      await list?.close();
    }
    return row;
  };
}

/** Returns the progress in a file of which nothing was read. */
export function unreadFile(
  file: Pick<FeedFile, "feed" | "path" | "bytes" | "modifiedAt" | "startedAt">,
): FeedFile {
  const counts = { invalid: 0, matched: 0, created: 0 };
  return { ...file, position: 0, lines: 0, fingerprint: null, ...counts, completedAt: null, error: null };
}

async function* batchesOf(
  list: NameList,
  isSelected: EntrySelection | undefined,
): AsyncGenerator<NameBatch<Place>> {
  if (isSelected === undefined) return yield* list.batches();
  for await (const chunk of list.chunks()) yield batchOfChunk(selectEntries(chunk, isSelected));
}
