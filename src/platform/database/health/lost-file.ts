import { copyFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { fileStamp } from "../../lib/clock.ts";
import { logDropped } from "../../lib/log.ts";
import type { Needs } from "../../lib/needs.ts";
import type { Database } from "../database.ts";
import { databaseFileChangedCode, describeChange } from "../files/file-change.ts";
import { truncateLogNow } from "./housekeeping.ts";
import type { FileChange, OpenFile } from "../files/open-file.ts";
import { copyFromMemory, copyOpenFile } from "./rescue.ts";

/** Saves what can be saved after the file of an open database was changed from outside. */
export function createLostFile({
  database,
  file,
  clock,
  log,
}: Needs<"clock" | "log"> & { database: Pick<Database, "sqlite" | "path">; file: OpenFile }) {
  let done = false;
  /** File with the data, once it is complete. */
  let keptAs: string | undefined;
  let reported = false;
  const stamp = () => fileStamp(clock.now());

  /** Copies everything into the open file, which is complete then without its log. */
  function complete(): boolean {
    return truncateLogNow(database);
  }

  /** SQLite would mix them with the file that is now at the path. */
  function removeSideFiles(): void {
    for (const path of file.ownSideFiles()) rmSync(path, { force: true });
  }

  async function save(): Promise<void> {
    if (!complete()) return;
    removeSideFiles();
    const target = `${file.path}.lost-${stamp()}`;
    await copyOpenFile(file, target);
    keptAs = target;
    done = true;
    log.event("database.copy_saved", { file: target });
  }

  /**
   * The log belongs to the content that is gone. SQLite still has it open, and would copy it into the new content when
   * the process ends: it is emptied, so that there is nothing to copy.
   */
  function setLogAside(): void {
    for (const path of file.ownSideFiles()) {
      if (path.endsWith("-wal")) {
        copyFileSync(path, `${path}.set-aside-${stamp()}`);
        truncateSync(path);
      }
      rmSync(path);
    }
    done = true;
  }

  function keepLog(): void {
    if (!hasForeignLog(file) && !complete()) return;
    removeSideFiles();
    done = true;
  }

  function saveFromMemory(): void {
    const target = `${file.path}.lost-${stamp()}`;
    try {
      copyFromMemory(database.sqlite, target);
      keptAs = target;
      log.event("database.copy_saved", { file: target });
    } catch (error) {
      // The content of the file without its log remains.
      logDropped(log, error, "database.maintenance_failed");
    }
    // SQLite would put what is left of it over newer pages of the file.
    setLogAside();
  }

  return {
    /** Continues the rescue. Call it regularly once the file has changed. */
    async step(change: FileChange) {
      if (!reported) {
        reported = true;
        const reason = describeChange(change);
        log.event("database.file_changed", {
          code: databaseFileChangedCode,
          change,
          file: file.path,
          reason,
        });
      }
      if (done) return;
      if (change === "overwritten") setLogAside();
      else if (change === "log_lost") keepLog();
      else if (change === "log_truncated") saveFromMemory();
      else await save();
    },

    /** Describes the problem, and what to do. */
    describe(change: FileChange) {
      const kept =
        keptAs === undefined ? "" : `; what it contained is in ${keptAs}, which 'phishwatch restore' accepts`;
      return `${describeChange(change)} while the server had it open; changes are refused until it is restarted${kept}`;
    },
  };
}

/** Returns whether another process has begun a log of its own: both cannot be merged. That of a reader is empty. */
function hasForeignLog(file: OpenFile): boolean {
  const path = `${file.path}-wal`;
  if (file.ownSideFiles().includes(path)) return false;
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
