import { bytesText } from "../../../platform/lib/durations.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import type { Archive, TryLock } from "../archive.ts";
import { listJournals } from "../files/folder.ts";
import { folderExtent, readFolder } from "../files/reading.ts";
import { createMaintenanceSchedule, type MaintenanceOptions } from "./maintenance-schedule.ts";
import { createNameWriter } from "./name-writer.ts";
import { createPendingNames } from "./pending-names.ts";

/** A journal is closed after this time, so that its names are sorted and compressed. */
const journalMsMax = 900_000;
/** More journals than this are made into segments. */
const journalsMax = 16;
/** Names that are not sorted yet take this many times the maximum size at most. */
const backlogFactor = 2;

export interface DiskArchiveOptions extends MaintenanceOptions {
  /** Unique among all processes. */
  journalId: string;
  tryLock: TryLock;
  /** Whether names are stored. What was stored before can be read in any case. */
  enabled: boolean;
  /** Called with each new problem of the archive, once. */
  onProblem: (problem: { folder: string; reason: string }) => void;
}

/**
 * Stores names in files. This thread only copies them and appends them to a journal; `maintain` makes sorted segments
 * from journals.
 */
export function createDiskArchive(dependencies: DiskArchiveOptions): Archive {
  const { folder, journalId, tryLock, enabled, limits, clock, onProblem, diskRoom } = dependencies;
  const maintenance = createMaintenanceSchedule(dependencies);
  const writer = createNameWriter({
    folder,
    journalId,
    tryLock,
    clock,
    diskRoom,
    onRotate() {
      checkBacklog();
      maintenance.request();
    },
    onWritten: (names) => pending.recycle(names),
    // Every command leaves a journal. Without a server, nothing else makes segments from few names.
    onStart: () => void (listJournals(folder).length > journalsMax && maintenance.request()),
    onShortage: maintenance.request,
  });
  const pending = createPendingNames((names) => writer.enqueue(names));
  let reported: string | null = null;
  let backlog: string | null = null;

  /** If no segments can be made, journals must not fill the disk. */
  function checkBacklog(): void {
    try {
      const bytes = listJournals(folder).reduce((sum, file) => sum + file.bytes, 0);
      const isTooMuch = bytes > backlogFactor * limits.bytesMax;
      backlog = isTooMuch ? `${bytesText(bytes)} of names wait to be sorted; no more are stored` : null;
    } catch (error) {
      backlog = `${folder} cannot be read: ${messageOf(error)}`;
    }
  }

  function flush(): Promise<void> {
    pending.release();
    return writer.write();
  }

  const problem = () => backlog ?? writer.problem() ?? maintenance.problem();

  function reportProblem(): void {
    const text = problem();
    if (text !== null && text !== reported) onProblem({ folder, reason: text });
    reported = text;
  }

  return {
    add(names, { source, seenAt }) {
      if (!enabled) return;
      // A day in the future would be the last one to be deleted.
      if (backlog === null && !writer.isFull())
        pending.add(names, { source, seenAt: Math.max(0, Math.min(seenAt, clock.now())) });
      else writer.drop(names.length);
    },
    flush,
    async *read({ start, signal }) {
      await flush();
      yield* readFolder({ folder, start, signal, onDamage: maintenance.reportDamage });
    },
    async extent() {
      await flush();
      return folderExtent(folder);
    },
    status() {
      const { names, bytes, oldestDay } = maintenance.extent();
      return { enabled, names, bytes, oldestDay, problem: problem() };
    },
    start() {
      maintenance.start(() => {
        void flush();
        checkBacklog();
        writer.rotateAfter(journalMsMax);
        reportProblem();
      });
    },
    async stop() {
      await flush();
      await maintenance.stop();
      await writer.close();
      reportProblem();
    },
  };
}
