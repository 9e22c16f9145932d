import type { Log } from "../lib/log.ts";
import { findLockHolder, resumeHolder, type LockHolder } from "./lock-holder.ts";

/** A time in which another process holds the write lock and no write succeeds. */
export interface LockIncident {
  /** Duration so far. */
  heldMs: number;
  /** Undefined if it is not known. */
  holder: LockHolder | undefined;
}

/** Also the time after which a write is rejected. */
export const reportAfterMs = 1_000;
/** Far more than a transaction takes, and far less than a request waits. */
const resumeAfterMs = 200;
/** Pause between two attempts to resume the holder, and between two lookups of who it is. */
const lookupIntervalMs = 1_000;

/** Code in the log. */
export const lockedCode = "database_locked";

/**
 * Observes failed and successful attempts to take the write lock, and reports when it is held for long.
 * @param log undefined: incidents are only counted, as in a command, which reports its own errors
 */
export function createLockWatch({ path, log }: { path: string; log: Log | undefined }) {
  let since: number | undefined;
  let holder: LockHolder | undefined;
  let lookedUpAt = -Infinity;
  let reported = false;

  const heldMs = () => (since === undefined ? 0 : Math.round(performance.now() - since));

  function lookUp(): void {
    if (performance.now() - lookedUpAt < lookupIntervalMs) return;
    lookedUpAt = performance.now();
    holder = findLockHolder(path) ?? holder;
    if (log === undefined || holder === undefined || !resumeHolder(holder)) return;
    log.event("database.holder_resumed", { pid: holder.pid, command: holder.command });
  }

  return {
    /**
     * An attempt failed.
     * @param options.rejects whether a write was rejected, which is always reported
     */
    failed({ rejects }: { rejects: boolean }) {
      since ??= performance.now();
      if (!rejects && heldMs() < resumeAfterMs) return;
      lookUp();
      if (reported || (!rejects && heldMs() < reportAfterMs)) return;
      reported = true;
      log?.event("database.locked", {
        code: lockedCode,
        pid: holder?.pid,
        command: holder?.command,
        heldMs: heldMs(),
        reason: describeHolder(holder),
      });
    },

    /** An attempt succeeded. */
    succeeded() {
      if (since === undefined) return;
      if (reported)
        log?.event("database.unlocked", {
          code: lockedCode,
          pid: holder?.pid,
          command: holder?.command,
          heldMs: heldMs(),
        });
      since = undefined;
      holder = undefined;
      reported = false;
      lookedUpAt = -Infinity;
    },

    /** Returns the time of the first attempt (by `performance.now`) from which on all have failed. */
    lockedSince: () => since,

    /** Returns the present incident, once it was reported. */
    incident: (): LockIncident | undefined => (reported ? { heldMs: heldMs(), holder } : undefined),
  };
}

function describeHolder(holder: LockHolder | undefined): string {
  if (holder === undefined)
    return "database write lock held by another process; writes fail until it is released";
  return holder.suspended
    ? "database write lock held by a suspended process; resume or stop it"
    : "database write lock held by another process; writes fail until it is released";
}
