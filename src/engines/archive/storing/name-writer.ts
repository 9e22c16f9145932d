/** Writes names to the journal of this process, one write at a time. */
import type { DiskRoom } from "../../../platform/lib/disk.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import type { TryLock } from "../archive.ts";
import { createJournal, journalBytesMax } from "../files/journal.ts";
import type { PendingNames } from "./pending-names.ts";

/** Names that wait for the disk. More are not stored. */
const waitingBytesMax = 32 << 20;
/** This much is written without waiting for a flush. */
const writtenBytesMin = 1 << 20;
const diskCheckMs = 1_000;
/** How long a problem is reported that is over. */
const dropReportedMs = 3_600_000;

interface DiskCheckOptions {
  clock: Clock;
  diskRoom: () => DiskRoom | undefined;
  /** Called now and then while the disk is nearly full. */
  onShortage: () => void;
}

interface NameWriterOptions extends DiskCheckOptions {
  folder: string;
  /** Unique among all processes. */
  journalId: string;
  tryLock: TryLock;
  /** Called when a journal was closed and can be made into segments. */
  onRotate: () => void;
  /** Called when names were written. */
  onWritten: (names: PendingNames) => void;
  /** Called when a journal was created. */
  onStart: () => void;
}

export function createNameWriter(options: NameWriterOptions) {
  const { folder, journalId, tryLock, clock, diskRoom, onRotate, onWritten, onStart, onShortage } = options;
  const journal = createJournal(folder, journalId, tryLock);
  const queue: PendingNames[] = [];
  let queuedBytes = 0;
  let droppedBytes = 0;
  let writing: Promise<void> = Promise.resolve();
  let startedMs = 0;
  let droppedMs = -Infinity;
  let failure: string | null = null;
  const disk = createDiskCheck({ clock, diskRoom, onShortage });

  /** Resolves when everything that is queued now was written, or could not be. Never rejects. */
  function write(): Promise<void> {
    writing = writing.then(writeQueue);
    return writing;
  }

  async function writeQueue(): Promise<void> {
    try {
      for (let next = queue[0]; next !== undefined; next = queue[0]) {
        if (disk.shortage() !== null) {
          drop(queuedBytes);
          queuedBytes = 0;
          queue.length = 0;
          return;
        }
        const isNew = journal.size() === 0;
        await journal.append(next, next.names);
        failure = null;
        void queue.shift();
        queuedBytes -= next.names.length;
        onWritten(next);
        if (isNew) {
          startedMs = clock.monotonicMs();
          onStart();
        }
        if (journal.size() >= journalBytesMax) rotate();
      }
    } catch (error) {
      // The names stay in the queue, and the next write tries again.
      failure = `names cannot be written to ${folder}: ${messageOf(error)}`;
    }
  }

  function rotate(): void {
    journal.rotate();
    onRotate();
  }

  /** If closing a journal fails, a later maintenance closes it. */
  function attempt(close: () => void): void {
    try {
      close();
    } catch (error) {
      failure = `a journal in ${folder} cannot be closed: ${messageOf(error)}`;
    }
  }

  /** Counts names that were not stored. */
  function drop(bytes: number): void {
    droppedBytes += bytes;
    droppedMs = clock.monotonicMs();
  }

  return {
    enqueue(names: PendingNames) {
      queue.push(names);
      queuedBytes += names.names.length;
      if (queuedBytes >= writtenBytesMin) void write();
    },

    /** Returns whether the queue is full: more names have to be dropped. */
    isFull: () => queuedBytes >= waitingBytesMax,
    drop,
    write,

    /** Closes the journal if its oldest names are older than `ageMs`. */
    rotateAfter(ageMs: number) {
      writing = writing.then(() => {
        if (journal.size() > 0 && clock.monotonicMs() - startedMs >= ageMs) attempt(rotate);
        return undefined;
      });
    },

    /** Closes the journal. Nothing may be written afterward. */
    async close() {
      await writing;
      attempt(journal.close);
    },

    /** Why names are not stored; null if all are. */
    problem() {
      const present = disk.shortage() ?? failure;
      if (present !== null || clock.monotonicMs() - droppedMs > dropReportedMs) return present;
      return `the disk was too slow or full: names of ${grouped(droppedBytes)} bytes were not stored`;
    },
  };
}

/** Checks the disk at most once a second. */
function createDiskCheck({ clock, diskRoom, onShortage }: DiskCheckOptions) {
  let checkedMs = -Infinity;
  let shortage: string | null = null;
  return {
    /** Returns why nothing may be written; null if there is room. */
    shortage(): string | null {
      if (clock.monotonicMs() - checkedMs < diskCheckMs) return shortage;
      checkedMs = clock.monotonicMs();
      const room = diskRoom();
      const isShort = room !== undefined && room.missingBytes > 0;
      shortage = isShort ? `the disk is ${room.level} (${room.text}); names are not stored` : null;
      if (isShort) onShortage();
      return shortage;
    },
  };
}
