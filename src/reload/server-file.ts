import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Instant } from "../lib/clock.ts";
import type { ReloadOutcome } from "./outcome.ts";

/**
 * State of a running server, in a file next to the database, so that commands can request a reload and read its
 * outcome. It contains no setting. A server that was killed leaves it behind; the lock on the database says whether one runs.
 */
export interface ServerState {
  pid: number;
  startedAt: Instant;
  /** Null: nothing was reloaded since the start. */
  lastReload: ReloadOutcome | null;
}

const ownerOnly = 0o600;

/** Returns the path of the file. */
function serverFileOf(databasePath: string): string {
  return `${databasePath}.server`;
}

/** Replaces the file in one step. */
export function writeServerState(databasePath: string, state: ServerState): void {
  const path = serverFileOf(databasePath);
  writeFileSync(`${path}.new`, JSON.stringify(state), { mode: ownerOnly });
  renameSync(`${path}.new`, path);
}

/** Returns undefined if there is no file. @throws an error of the system if it cannot be read */
export function readServerState(databasePath: string): ServerState | undefined {
  try {
    return JSON.parse(readFileSync(serverFileOf(databasePath), "utf8")) as ServerState;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}

export function removeServerState(databasePath: string): void {
  rmSync(serverFileOf(databasePath), { force: true });
}
