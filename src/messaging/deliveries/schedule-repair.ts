import { createJumpDetector, type Instant } from "../../platform/lib/clock.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import type { DueDeliveries } from "./due.ts";
import { longestWaitMs, type RetryPolicy } from "./rules/retry-schedule.ts";
import type { Release } from "./store/release.ts";

/** The run of the dispatcher for which the repair works. */
export interface RepairedRun {
  isStopping(): boolean;
  /** Called when due times were brought forward in the background. */
  onChanged(): void;
  /** Called with an error of the database in the background. The next round tries again. */
  onStalled(error: unknown): void;
}

/**
 * Keeps due times right although the clock is set: while the server runs, each delivery keeps its delay. At a start, it is
 * unknown how far the clock was set before.
 */
export type ScheduleRepair = ReturnType<typeof createScheduleRepair>;

interface ScheduleRepairDependencies extends Needs<"clock" | "log"> {
  due: Pick<DueDeliveries, "clamp" | "moveBack" | "moveFailures">;
  /** Returns the policy with the most attempts. */
  policy: () => RetryPolicy;
  release: Pick<Release, "repair">;
}

export function createScheduleRepair({ clock, due, log, policy, release }: ScheduleRepairDependencies) {
  const jumpedMs = createJumpDetector(clock);
  /** How far the clock jumped since due times last followed it. */
  let unfollowedJumpMs = 0;
  /** Whether holds and due times of an earlier process were checked. */
  let isRepaired = false;
  let clamping: Promise<void> | undefined;

  async function followClock(run: RepairedRun): Promise<void> {
    const jumpMs = unfollowedJumpMs;
    await due.moveFailures(jumpMs);
    unfollowedJumpMs -= jumpMs;
    // After a jump forward, such as sleep, deliveries that became due are sent now.
    if (jumpMs < 0) await moveBack(run, jumpMs);
  }

  async function moveBack({ isStopping }: RepairedRun, jumpMs: number): Promise<void> {
    try {
      const deliveries = await due.moveBack(jumpMs, { now: clock.now(), isStopping });
      if (deliveries > 0) log.event("delivery.clock_set_back", { deliveries, setBackMs: -jumpMs });
    } catch (error) {
      // Some of them have been moved, and the others are brought forward.
      isRepaired = false;
      throw error;
    }
  }

  async function clamp({ isStopping, onChanged, onStalled }: RepairedRun): Promise<void> {
    const longest = policy();
    const latest = (attempts: number): Instant => clock.now() + longestWaitMs(longest, attempts);
    try {
      const deliveries = await due.clamp(latest, { isStopping });
      if (deliveries === 0 || isStopping()) return;
      log.event("delivery.clock_set_back", { deliveries });
      onChanged();
    } catch (error) {
      isRepaired = false;
      if (!isStopping()) onStalled(error);
    }
  }

  return {
    /** Checks again what an earlier process has left. */
    begin: () => void (isRepaired = false),
    /** Notes how far the clock was set since the last call. */
    noteJump: () => void (unfollowedJumpMs += jumpedMs()),
    isNeeded: () => unfollowedJumpMs !== 0 || !isRepaired,
    /** Returns whether due times may have changed. What takes long goes on in the background. */
    async run(of: RepairedRun): Promise<boolean> {
      const hasJumped = unfollowedJumpMs !== 0;
      if (hasJumped) await followClock(of);
      if (!isRepaired) {
        await release.repair(clock.now());
        isRepaired = true;
        // There may be millions, and new events do not wait for them.
        clamping = clamp(of).finally(() => (clamping = undefined));
      }
      return hasJumped;
    },
    /** Work in the background; undefined if there is none. */
    background: () => clamping,
  };
}
