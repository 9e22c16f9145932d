import type { Clock } from "../../../platform/lib/clock.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import type { Archive, StartArchiveThread } from "../archive.ts";
import { searchBlocks } from "./search-blocks.ts";
import { searchFolder } from "./search-folder.ts";
import { createNameSearches, type NameSearches, type SearchNames } from "./name-searches.ts";

/** Threads for one search. With one, this thread would search. */
const threads = 2;

interface NameSearchesDependencies {
  archive: Pick<Archive, "extent" | "flush" | "read">;
  clock: Clock;
  folder: string | undefined;
  /** Called with the error of a search that failed. */
  onError: (error: unknown) => void;
  startWorker: StartArchiveThread | undefined;
  yielder: () => Yielder;
}

/**
 * Opens the searches of an archive in a folder, or of one in memory.
 * @param startWorker starts the threads that search; without it, this thread does, between other work
 */
export function openNameSearches(dependencies: NameSearchesDependencies): NameSearches {
  const { archive, clock, folder, onError, startWorker, yielder } = dependencies;
  const searchNames: SearchNames = async function* (options) {
    await archive.flush();
    if (folder === undefined || startWorker === undefined) {
      yield* searchBlocks({ archive, ...options, yielder: yielder() });
    } else {
      yield* searchFolder({ folder, threads, startWorker, ...options });
    }
  };
  return createNameSearches({ clock, onError, searchNames });
}
