import type { Clock } from "../../../platform/lib/clock.ts";
import type { Log } from "../../../platform/lib/log.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { Archive } from "../archive.ts";
import { archiveFolder } from "../files/folder.ts";
import { createNameSearches, type NameSearches, type SearchNames } from "./name-searches.ts";

/** Threads for one search. With one, this thread would search. */
const threads = 2;

/**
 * Opens the searches of the archive next to the database, or of one in memory.
 * @param startWorker starts the threads that search; without it, this thread does, between other work
 */
export function openNameSearches({
  archive,
  clock,
  databasePath,
  log,
  startWorker,
  yielder,
}: {
  archive: Pick<Archive, "extent" | "flush" | "read">;
  clock: Clock;
  databasePath: string;
  log: Log;
  startWorker: StartWorker | undefined;
  yielder: () => Yielder;
}): NameSearches {
  const folder = databasePath === ":memory:" ? undefined : archiveFolder(databasePath);

  const searchNames: SearchNames = async function* (options) {
    await archive.flush();
    if (folder === undefined || startWorker === undefined) {
      const { searchBlocks } = await import("./search-blocks.ts");
      yield* searchBlocks({ archive, ...options, yielder: yielder() });
    } else {
      const { searchFolder } = await import("./search-folder.ts");
      yield* searchFolder({ folder, threads, startWorker, ...options });
    }
  };
  return createNameSearches({ clock, log, searchNames });
}
