import type { Needs } from "../../../platform/database/needs.ts";
import { programVersion } from "../../../platform/lib/build-info.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import type { Foreground } from "../../../platform/lib/yielder.ts";
import type { ThreatIndex } from "../threat-index.ts";

/** From this number of threats on, the index is copied to a file: fewer are read from the database within a second. */
const copiedFrom = 200_000;

/** A copy is renewed after this number of changes, which take a fraction of a second to read again. */
const copiedAfterChanges = 20_000;

interface ThreatIndexDependencies extends Needs<"clock" | "database" | "fillRandom" | "log" | "yielder"> {
  foreground: Foreground;
  /** Whether this process is the server, which writes the copy. */
  isServing: () => boolean;
}

/** Returns a function that loads the module and creates the index when it is first called. */
export function openThreatIndex(dependencies: ThreatIndexDependencies): () => ThreatIndex {
  const { clock, database, foreground, isServing, log, yielder } = dependencies;
  return lazy(() => {
    const { createThreatIndex } = require("../threat-index.ts") as typeof import("../threat-index.ts");
    if (!database.isShared) return createThreatIndex({ database, foreground, yielder });
    const { createColumnFile } =
      require("../store/column-file.ts") as typeof import("../store/column-file.ts");
    const copy = {
      file: createColumnFile(dependencies, programVersion()),
      rowsMin: copiedFrom,
      changesMin: copiedAfterChanges,
      isKept: isServing,
      elapsedMs: clock.monotonicMs,
      onLoadError: (error: unknown) => logDropped(log, error, "threat_index.not_loaded"),
      onSaveError(error: unknown) {
        // The copy that is written during a shutdown is not completed.
        if (isServing()) logDropped(log, error, "threat_index.not_copied");
      },
    };
    return createThreatIndex({ database, foreground, yielder, copy });
  });
}
