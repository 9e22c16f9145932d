import type { Actor } from "../../../access/audit/actor.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { StoreDependencies } from "../stores/needs.ts";
import type { BackupManifest } from "./format.ts";
import type { Repository } from "./repository.ts";

/** The dependencies of stores, and what functions that make, restore and follow backups take. */
export interface BackupDependencies extends StoreDependencies {
  repository: Repository;
  manifest: BackupManifest;
  databasePath: string;
  /** For the audit log. */
  by: Actor;
  at: Instant;
}

/** Types of the dependencies that a function names, of which one is of a backup. */
export type Needs<Name extends keyof BackupDependencies> = Pick<BackupDependencies, Name>;
