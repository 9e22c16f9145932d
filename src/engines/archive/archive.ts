import type { Worker } from "node:worker_threads";
import type { Instant } from "../../platform/lib/clock.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import type { NameRanges } from "../detection/filter/encoded-text.ts";

/** Origins of names, in the order in which the names of one day are read. */
export const archiveSources = ["scan", "certificate_transparency", "feed", "submission", "beacon"] as const;
export type ArchiveSource = (typeof archiveSources)[number];

/**
 * Acquires the lock `${path}.${purpose}`, which ends with this process. Returns undefined if another process holds it.
 * @throws an error of the system
 */
export type TryLock = (path: string, purpose: string) => { release(): void } | undefined;

/** Starts a thread that calls `serveMaintenance` or `serveSearch`. */
export type StartArchiveThread = (task: "archive-maintenance" | "archive-search") => Worker;

/**
 * Every valid name from every source, each once per day and source, in compressed files next to the database. It makes
 * it possible to check a domain that was just added against the names seen before.
 */
export interface Archive {
  /**
   * Takes names to store: ASCII bytes in A-label form or as received, each followed by a line feed. Invalid names are
   * left out. Copies what it needs. Never waits for the disk.
   */
  add(names: Uint8Array, options: { source: ArchiveSource; seenAt: Instant }): void;
  /**
   * Resolves when everything added so far survives the end of the process. Call it before the position of a source is
   * committed. Never rejects: an archive that cannot write reports it in `status()`, and the sources continue.
   */
  flush(): Promise<void>;
  /**
   * Yields the stored names in blocks, the oldest day first, except for names of the last minutes, which come last.
   * `start` resumes after the `position` of a block. A block is valid until the next one is requested. Names that
   * arrive during the reading may be missing.
   */
  read(options: { start?: ArchivePosition | undefined; signal: AbortSignal }): AsyncGenerator<ArchiveBlock>;
  /** Everything `read` would yield at this moment. */
  extent(): Promise<ArchiveExtent>;
  status(): ArchiveStatus;
  start(): void;
  stop(): Promise<void>;
}

/** Names of one day and source, sorted, each followed by a line feed. */
export interface ArchiveBlock {
  /** Start of the UTC day on which the names were seen. */
  day: Instant;
  source: ArchiveSource;
  names: Uint8Array;
  count: number;
  /** Position after the block. */
  position: ArchivePosition;
}

/** Where a reading resumes. Opaque to callers; compact enough for a column. */
export type ArchivePosition = string;

export interface ArchiveExtent {
  names: number;
  bytes: number;
  oldestDay: Instant | null;
  newestDay: Instant | null;
}

export interface ArchiveStatus extends Omit<ArchiveExtent, "newestDay"> {
  enabled: boolean;
  /** Why nothing can be stored at present; null if all is well. */
  problem: string | null;
}

/** Message of a thread about a task. */
export type ThreadReply<Result> = { result: Result } | { error: string };

export function replyOf<Result>(work: Promise<Result>): Promise<ThreadReply<Result>> {
  return work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error: messageOf(error) }),
  );
}

const lineFeed = 0x0a;

/** Returns names in the form in which `Archive.add` takes them. */
export function nameLines(names: readonly string[]): Uint8Array {
  return new TextEncoder().encode(names.map((name) => `${name}\n`).join(""));
}

/** Returns the places of names of which each is followed by a line feed. */
export function rangesOfLines(lines: Uint8Array): NameRanges & { count: number } {
  let count = 0;
  for (let i = 0; i < lines.length; i++) if (lines[i] === lineFeed) count++;
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  for (let name = 0, start = 0; name < count; name++) {
    starts[name] = start;
    ends[name] = lines.indexOf(lineFeed, start);
    start = ends[name]! + 1;
  }
  return { bytes: lines, starts, ends, count };
}
