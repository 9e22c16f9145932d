import { tryLock } from "../../database/lock.ts";
import { grouped } from "../../lib/wording.ts";
import { type Progress } from "../terminal/progress.ts";
import type { App } from "../../app.ts";

const pollMs = 100;

/**
 * Finds out the facts about threats that were just found, pictures included, unless a running server does: so that a
 * scan by hand ends with judged threats, too. What is left when `signal` ends it is looked at by the next server.
 * @returns how many were looked at; undefined: it is left to the server, or nothing may be looked up
 */
export async function lookAtFound(
  { database, enrichment }: Pick<App, "database" | "enrichment">,
  ids: readonly string[],
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<number | undefined> {
  const lock = ids.length === 0 ? undefined : tryLock(database.path, "lock");
  if (lock === undefined) return undefined;
  // Only asked, not held: a server that starts meanwhile is welcome, and looking twice does no harm.
  lock.release();
  if (!ids.every((id) => enrichment.request(id))) return undefined;
  let left: readonly string[] = ids;
  enrichment.start();
  try {
    while (left.length > 0 && !signal.aborted) {
      await Bun.sleep(pollMs);
      left = left.filter((id) => !enrichment.isSettled(id));
      const done = ids.length - left.length;
      progress.show(() => `looking at what was found: ${grouped(done)} of ${grouped(ids.length)}`);
    }
  } finally {
    await enrichment.stop();
  }
  return ids.length - left.length;
}
