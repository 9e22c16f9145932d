import type { Settings } from "../../../access/settings/settings.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { MadeBackup } from "../making/make-backup.ts";
import type { ForeignBackup, Lineage } from "../repository/lineage.ts";
import { outcomesSetting } from "../restoring/open-database.ts";

/** The last backup that was completed. */
export interface CompletedBackup extends Pick<
  MadeBackup,
  "id" | "bytes" | "newBytes" | "storedBytes" | "files" | "durationMs" | "kept"
> {
  at: Instant;
}

/** Outcomes of backups, of the server and of commands. They are stored in the database. */
export interface BackupOutcomes {
  /** Null: none yet. */
  completed: CompletedBackup | null;
  /** The last failure since then; null: none. */
  failure: { at: Instant; error: string } | null;
  /** When the database of a backup was last opened; null: never. */
  openedAt: Instant | null;
  /** Name of the store that `[backup]` named at the last backup there; null: none yet, or before a restore. */
  store: string | null;
  /** That of the last backup; null: none yet, or before a restore. */
  lineage: Lineage | null;
  /** A backup that another appliance made between the last own one and the one before; null: none. */
  foreign: ForeignBackup | null;
}

/** Outcomes before the first backup. */
export const noOutcomes: BackupOutcomes = {
  completed: null,
  failure: null,
  openedAt: null,
  store: null,
  lineage: null,
  foreign: null,
};

export function readOutcomes(settings: Pick<Settings, "get">): BackupOutcomes {
  const text = settings.get(outcomesSetting);
  // Only this file writes it.
  return text === undefined
    ? noOutcomes
    : { ...noOutcomes, ...(JSON.parse(text) as Partial<BackupOutcomes>) };
}

/** Runs in a transaction. */
export function writeOutcomes(settings: Settings, change: Partial<BackupOutcomes>): void {
  settings.set(outcomesSetting, JSON.stringify({ ...readOutcomes(settings), ...change }));
}

/** Returns the change of the outcomes after a completed backup. */
export function completedAt(
  { id, bytes, newBytes, storedBytes, files, durationMs, kept, isOpened, lineage, foreign }: MadeBackup,
  at: Instant,
): Partial<BackupOutcomes> {
  const completed = { at, id, bytes, newBytes, storedBytes, files, durationMs, kept };
  return { completed, failure: null, lineage, foreign, ...(isOpened ? { openedAt: at } : {}) };
}
