import type { App } from "../../app/app.ts";
import { tryLock } from "../../platform/database/lock.ts";
import { grouped } from "../../platform/lib/wording.ts";
import { type Progress } from "../terminal/progress.ts";

const pollMs = 100;

/**
 * Looks up the facts of threats that were just found, screenshots included, unless a running server does, so that a
 * scan by hand also ends with assessed threats. If `signal` interrupts it, the next server enriches the rest.
 *
 * @returns number of enriched threats, or undefined if a server does it or lookups are off
 */
export async function enrichFound(
  { database, enrichment }: Pick<App, "database" | "enrichment">,
  ids: readonly string[],
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<number | undefined> {
  const lock = ids.length === 0 ? undefined : tryLock(database.path, "lock");
  if (lock === undefined) return undefined;
  // Only a test: a server may start in the meantime, because enriching a threat twice does no harm.
  lock.release();
  if (!ids.every((id) => enrichment.request(id))) return undefined;
  let left: readonly string[] = ids;
  enrichment.start();
  try {
    while (left.length > 0 && !signal.aborted) {
      await Bun.sleep(pollMs);
      left = left.filter((id) => !enrichment.isSettled(id));
      const done = ids.length - left.length;
      progress.show(() => `enriching threats: ${grouped(done)} of ${grouped(ids.length)}`);
    }
  } finally {
    await enrichment.stop();
  }
  return ids.length - left.length;
}
