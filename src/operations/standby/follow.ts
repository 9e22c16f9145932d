import { compareIds, type Repository } from "../backups/repository/repository.ts";
import { StoreError } from "../backups/stores/store.ts";
import { delay, toIsoTime } from "../../platform/lib/clock.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { logDropped } from "../../platform/lib/log.ts";
import { fetchState, type FetchedState } from "./fetch-state.ts";
import { newestState, type StandbyState } from "./standby-folder.ts";
import { writeStatus } from "./status.ts";
import type { Needs } from "../backups/repository/needs.ts";

const errorCharactersMax = 2_000;

export interface FollowOptions {
  standby: string;
  /** Connects to the backups of the primary. */
  openRepository: () => Promise<Repository>;
  signal: AbortSignal;
}

/**
 * Fetches the newest backup if it is not the newest state yet.
 * @returns undefined if there is no newer backup
 * @throws StoreError, or an error of the system
 */
export async function fetchNewest({
  standby,
  openRepository,
  signal,
}: FollowOptions): Promise<FetchedState | undefined> {
  const repository = await openRepository();
  const earlier = await newestState(standby);
  requireSameRepository(standby, repository, earlier);
  const newest = (await repository.ids()).at(-1);
  if (newest === undefined || newest === earlier?.manifest.id) return undefined;
  if (earlier !== undefined && compareIds(newest, earlier.manifest.id) < 0)
    throw new StoreError(
      "unexpected",
      `${repository.store.name}: the newest backup ${newest} is older than ${earlier.manifest.id}, which this standby has; somebody deleted newer backups, or restored the store`,
    );
  const manifest = await repository.find(newest);
  // Deleted since the list was read.
  if (manifest === undefined) return undefined;
  return fetchState({ standby, repository, manifest, earlier, signal });
}

/**
 * Follows the backups of a primary until the signal aborts. A failure is logged, and the next check tries again; the
 * newest state stays.
 */
export async function follow({
  clock,
  log,
  pollMs,
  ...options
}: FollowOptions & Needs<"clock" | "log"> & { pollMs: number }): Promise<void> {
  const { standby, signal } = options;
  let failing: string | undefined;
  while (!signal.aborted) {
    const startedMs = clock.monotonicMs();
    let error: string | null = null;
    try {
      const fetched = await fetchNewest(options);
      if (fetched !== undefined) {
        const { id, beganAt } = fetched.state.manifest;
        log.event("standby.backup_fetched", {
          backup: id,
          fetchedBytes: fetched.fetchedBytes,
          durationMs: Math.round(clock.monotonicMs() - startedMs),
          lagMs: Math.max(0, clock.now() - Date.parse(beganAt)),
        });
      }
    } catch (thrown) {
      if (signal.aborted) return;
      error = messageOf(thrown).slice(0, errorCharactersMax);
      // A store that is unreachable for a day is one line, not one a minute.
      if (error !== failing)
        log.event("standby.backup_not_fetched", { error: thrown instanceof StoreError ? error : thrown });
    }
    if (failing !== undefined && error === null) log.event("standby.recovered");
    failing = error ?? undefined;
    const status = { checkedAt: toIsoTime(clock.now()), pollMs, error };
    // An old status says that the standby has stopped.
    await writeStatus(standby, status).catch((thrown: unknown) =>
      logDropped(log, thrown, "standby.status_not_written"),
    );
    await delay(clock, pollMs, signal);
  }
}

function requireSameRepository(
  standby: string,
  repository: Repository,
  earlier: StandbyState | undefined,
): void {
  if (earlier === undefined || earlier.repository === repository.id) return;
  throw new StoreError(
    "unexpected",
    `${repository.store.name} has the backups of another appliance than ${standby}; delete that folder to follow this one`,
  );
}
