import { closeSync, openSync, readFileSync } from "node:fs";

/** With fewer descriptors, `check` and the start warn: a thousand endpoints and as many API clients need this many. */
export const descriptorsRecommended = 2_000;
/** Descriptors that the process needs apart from connections: database, log, listeners, event loop, files of feeds. */
const descriptorsReserved = 40;
/** A thread opens about six for itself, and then what its work needs. */
const descriptorsOfThread = 16;
/** The rest of the descriptors is left to API clients and lookups. */
const requestsShare = 1 / 3;
const idleShare = 1 / 6;
const requestsMost = 4_096;
const requestsLeast = 2;

/** Returns the maximum number of open files of this process, or null if it is unknown or not limited. */
export function descriptorLimit(): number | null {
  try {
    return parseDescriptorLimit(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    // Systems other than Linux have no such file.
    return null;
  }
}

/** Parses the soft limit of open files from the text of proc_pid_limits(5). */
export function parseDescriptorLimit(text: string): number | null {
  const [, soft] = /^Max open files\s+(\d+|unlimited)\s/m.exec(text) ?? [];
  return soft === undefined || soft === "unlimited" ? null : Number(soft);
}

/**
 * Returns the maximum number of concurrent requests of one kind of work, such as deliveries, and of idle connections that are
 * kept for it.
 * @param limit maximum number of open files; null if it is unknown or not limited.
 */
export function connectionLimits(limit: number | null): { requestsMax: number; idleMax: number } {
  if (limit === null) return { requestsMax: requestsMost, idleMax: requestsMost };
  const free = Math.max(0, limit - descriptorsReserved);
  const share = (part: number) => Math.min(requestsMost, Math.max(requestsLeast, Math.floor(free * part)));
  return { requestsMax: share(requestsShare), idleMax: share(idleShare) };
}

/**
 * Returns whether another file can be opened. A failed `socket()` cannot be told from the error: Bun reports
 * ECONNREFUSED for EMFILE, as if the other side had refused the connection.
 */
export function hasFreeDescriptor(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return true;
  } catch (error) {
    return !isLackOfDescriptors(error);
  }
}

/**
 * Throws an error with the code EMFILE unless a thread can be started: Bun ends the process if a thread finds no
 * descriptor.
 */
export function requireDescriptorsOfThread(): void {
  const opened: number[] = [];
  try {
    while (opened.length < descriptorsOfThread) opened.push(openSync("/dev/null", "r"));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** Returns whether an error was caused by a lack of file descriptors, in this process or on the machine. */
export function isLackOfDescriptors(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (code === "EMFILE" || code === "ENFILE") return true;
  return cause instanceof Error && isLackOfDescriptors(cause);
}
