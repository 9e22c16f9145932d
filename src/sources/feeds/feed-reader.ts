import type { Clock } from "../../lib/clock.ts";
import type { Tally } from "../candidate-run.ts";
import type { Candidates } from "../candidates.ts";
import { NameListError } from "../lists/errors.ts";
import type { FileLook } from "./read-decision.ts";
import type { FeedFiles } from "./feed-file-store.ts";
import { fingerprintOf } from "./feed-folder.ts";
import type { ListFormat } from "../../vocabulary/lists.ts";
import type { Place } from "../lists/name-chunk.ts";
import { openNameList, type NameList } from "../lists/name-list.ts";
import type { FeedFile } from "./tables.ts";

/** A feed as the configuration file declares it. */
export interface Feed {
  name: string;
  /** Of a file or a folder. */
  path: string;
  format: ListFormat;
  column: string | null;
}

export interface FileReading {
  feed: Feed;
  path: string;
  look: FileLook;
  /** How far it was read; undefined: read it from its start. */
  before: FeedFile | undefined;
  /** Also the last line, if it has no line feed. */
  toEnd: boolean;
  signal: AbortSignal;
  /** Told whenever more is known of the file, also within a transaction that may yet fail. */
  onKept: (file: FeedFile) => void;
}

/**
 * Reads a file of a feed from where it was left and records the imitations, each batch together with the
 * place that was reached. Answers what is known of the file then; undefined: it cannot be read while it grows.
 */
export type ReadFeedFile = (reading: FileReading) => Promise<FeedFile | undefined>;

export function createFeedReader({
  candidates,
  clock,
  files,
}: {
  candidates: Candidates;
  clock: Clock;
  files: FeedFiles;
}): ReadFeedFile {
  return async ({ feed, path, look, before, toEnd, signal, onKept }) => {
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
      ...look,
      completedAt: null,
      error: null,
    };
    const first = row;
    const keep = (values: Partial<FeedFile>) => {
      row = { ...row, ...values };
      files.save(row);
      onKept(row);
    };

    let list: NameList | undefined;
    try {
      list = await openNameList(path, {
        format: feed.format,
        column: feed.column ?? "",
        from: { position: row.position, line: row.lines + 1 },
        bytesMax: look.bytes,
        wholeLinesOnly: !toEnd,
      });
      const { seekable } = list;
      if (!toEnd && !seekable) return before;
      const onCommit = (done: Place, tally: Readonly<Tally>) =>
        keep({
          position: done.position,
          lines: done.line - 1,
          fingerprint: seekable ? fingerprintOf(path, done.position) : null,
          invalid: first.invalid + tally.invalid,
          matched: first.matched + tally.matched,
          created: first.created + tally.created,
        });
      await candidates.process(list.batches(), { source: "feed", signal, onCommit });
      // What is left behind the position is a line that somebody may still be writing.
      const complete = toEnd || row.position === look.bytes;
      if (complete && !signal.aborted) keep({ completedAt: clock.now() });
    } catch (error) {
      if (!(error instanceof NameListError)) throw error;
      keep({ error: error.fault, fingerprint: null });
    } finally {
      await list?.close();
    }
    return row;
  };
}
