import type { Needs } from "../../../platform/database/needs.ts";
import { programVersion } from "../../../platform/lib/build-info.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { every, type Schedule } from "../../../platform/lib/schedule.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import type { Foreground, Yielder } from "../../../platform/lib/yielder.ts";
import { createCampaigns } from "./campaigns.ts";
import { createCampaignFollower } from "./follower.ts";

const everySecond = "* * * * * *";
/** After an error, everything is read again, which takes seconds of CPU for a million threats. */
const pauseAfterErrorMs = 60_000;

export type CampaignServices = ReturnType<typeof openCampaigns>;

export function openCampaigns({
  clock,
  database,
  foreground,
  log,
  yielder,
}: Needs<"clock" | "database" | "log" | "yielder"> & { foreground: Foreground }) {
  const campaigns = createCampaigns(database);
  // Commands do not start it.
  const follower = lazy(() =>
    createCampaignFollower({
      clock,
      database,
      program: programVersion(),
      yielder: inBackground(yielder(), { foreground, isStopped: () => isStopped, onStop }),
    }),
  );
  let schedule: Schedule | undefined;
  let isRunning = false;
  let isStopped = false;
  let endWait = () => {};
  const onStop = (callback: () => void) => (endWait = callback);
  /** Monotonic time before which nothing is read; see `pauseAfterErrorMs`. */
  let pausedUntilMs = -Infinity;
  /** Monotonic time of the first start of a run since the last one that completed; undefined: that was the last. */
  let behindSinceMs: number | undefined;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    if (isRunning || isStopped || clock.monotonicMs() < pausedUntilMs) return;
    isRunning = true;
    behindSinceMs ??= clock.monotonicMs();
    running = follower()
      .catchUp()
      .then(() => (behindSinceMs = undefined))
      .catch((error: unknown) => {
        if (error instanceof StoppedError) return;
        pausedUntilMs = clock.monotonicMs() + pauseAfterErrorMs;
        logDropped(log, error, "campaigns.not_updated");
      })
      .finally(() => (isRunning = false));
    await running;
  }

  return {
    ...campaigns,
    /** Resolves when the campaigns contain everything that was written before the call. */
    catchUp: () => follower().catchUp(),
    /** Returns for how long the campaigns have not been in step with the threats, in milliseconds; 0: they are. */
    behindMs: () => (behindSinceMs === undefined ? 0 : clock.monotonicMs() - behindSinceMs),
    /** Groups all threats, then those that change. */
    start() {
      isStopped = false;
      if (database.isShared) schedule = every({ clock, pattern: everySecond, run });
      // In memory, the sandbox's clock would run each second of a month that it skips.
      else followCommits();
    },
    /** Resolves when no work is in progress. What is left is done after the next start. */
    async stop() {
      schedule?.stop();
      isStopped = true;
      endWait();
      await running;
    },
  };

  function followCommits(): void {
    const slices = yielder();
    let isFollowing = false;
    let isChanged = false;
    async function follow(): Promise<void> {
      isFollowing = true;
      // All commits of one turn of the event loop are read together.
      await slices.pause();
      isChanged = false;
      await run();
      isFollowing = false;
      if (isChanged && !isStopped) void follow();
    }
    const changed = () => {
      isChanged = true;
      if (!isFollowing) void follow();
    };
    database.observe({ changed, failed: () => {} });
    changed();
  }
}

/**
 * Returns a yielder that lets requests go first, and ends work in progress at its next pause once the service is stopped.
 * @param onStop sets what is called then; only the latest call counts
 */
function inBackground(
  slices: Yielder,
  {
    foreground,
    isStopped,
    onStop,
  }: { foreground: Foreground; isStopped: () => boolean; onStop: (callback: () => void) => void },
): Yielder {
  return {
    due: () => isStopped() || slices.due(),
    async pause() {
      // The first overview of millions of threats takes seconds.
      const { promise, resolve } = Promise.withResolvers<void>();
      void foreground.idle().then(resolve);
      onStop(resolve);
      if (!isStopped()) await promise;
      await slices.pause();
      if (isStopped()) throw new StoppedError();
    },
  };
}

class StoppedError extends Error {
  override name = "StoppedError";
}
