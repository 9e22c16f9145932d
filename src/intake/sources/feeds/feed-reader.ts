import type { FileHandle } from "node:fs/promises";
import type { Database } from "../../../platform/database/database.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { ListFormat } from "../../../platform/vocabulary/lists.ts";
import type { ThreatSource } from "../../../platform/vocabulary/threats.ts";
import type { CandidateOptions } from "../candidate-run.ts";
import type { Tally } from "../tally.ts";
import type { Candidates } from "../candidates.ts";
import type { NameBatch } from "../name-batch.ts";
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

/** Returns what queues the addresses of a feed for inspection; undefined if it does not want that. */
export type InspectFeed = (
  feed: Pick<Feed, "name" | "inspect">,
  source: ThreatSource,
) => CandidateOptions["inspect"];

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

interface FeedReaderDependencies {
  candidates: Candidates;
  clock: Clock;
  database: Pick<Database, "write">;
  files: FeedFileStore;
  inspectFeed: InspectFeed;
}

export function createFeedReader(dependencies: FeedReaderDependencies): ReadFeedFile {
  const { candidates, clock, database, files, inspectFeed } = dependencies;
  return async ({ feed, path, open, isSelected, file, before, toEnd, signal, onSave }) => {
    let row: FeedFile = {
      feed: feed.name,
      path,
      position: before?.position ?? 0,
      lines: before?.lines ?? 0,
      fingerprint: before?.fingerprint ?? null,
      invalid: before?.invalid ?? 0,
      matched: before?.matched ?? 0,
      created: before?.created ?? 0,
      startedAt: clock.now(),
      ...file,
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
          invalid: first.invalid + tally.invalid,
          matched: first.matched + tally.matched,
          created: first.created + tally.created,
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

async function* batchesOf(
  list: NameList,
  isSelected: EntrySelection | undefined,
): AsyncGenerator<NameBatch<Place>> {
  if (isSelected === undefined) return yield* list.batches();
  for await (const chunk of list.chunks()) yield batchOfChunk(selectEntries(chunk, isSelected));
}
