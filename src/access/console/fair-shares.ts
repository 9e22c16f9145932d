import { BoundedMap } from "../../platform/lib/bounded-map.ts";
import type { Clock, Instant } from "../../platform/lib/clock.ts";

/** Something that waits for a turn. */
export interface Share {
  /** Groups that it belongs to, from the widest to the narrowest. */
  keys: readonly string[];
  /** Number that grows with each arrival. */
  arrival: number;
}

const recentMs = 3_600_000;
/** Maximum number of groups that are remembered, about 2 MB. The one without a turn for the longest time is forgotten. */
const groupsMax = 10_000;

interface Group {
  lastTurn: number;
  turns: number;
  /** When `turns` starts again at 0. */
  until: Instant;
}

/**
 * Shares turns fairly between groups, and within each group between its parts. Every second turn goes around: the group
 * whose last turn is the longest ago is next, so no group starves. The turns between go to the group with the fewest recent
 * turns, so a client that comes once does not wait behind thousands that keep coming. Within the narrowest group,
 * the latest arrival is first: those before it come from a client that did not wait for the result.
 */
export function createShares({ clock }: { clock: Pick<Clock, "now"> }) {
  const groups = new BoundedMap<string, Group>(groupsMax);
  let turn = 0;

  const lastTurn = (key: string) => groups.get(key)?.lastTurn ?? 0;
  const recentTurns = (key: string) => {
    const group = groups.get(key);
    // A period that ends too late started before the clock was set back.
    if (group === undefined || isOver(group.until, clock.now())) return 0;
    return group.turns;
  };

  function countTurn(key: string): void {
    const turns = recentTurns(key) + 1;
    const until = turns === 1 ? clock.now() + recentMs : groups.get(key)!.until;
    groups.set(key, { lastTurn: turn, turns, until });
  }

  return {
    /** Chooses who is next, and counts the turn. `waiting` must not be empty. */
    next<T extends Share>(waiting: readonly T[]): T {
      turn += 1;
      const isRound = turn % 2 === 1;
      const chosen = descend(waiting, (key, members, depth) => {
        // Between browsers that have signed in before and others, turns always go around.
        const turns = isRound || depth === 0 ? 0 : recentTurns(key);
        return [turns, lastTurn(key), -newest(members).arrival];
      });
      for (const key of chosen[0]!.keys) countTurn(key);
      return newest(chosen);
    },
    /** Chooses who must leave if there are too many: the oldest of the group that has the most. */
    excess: <T extends Share>(waiting: readonly T[]): T =>
      oldest(
        descend(waiting, (key, members) => [-members.length, -recentTurns(key), newest(members).arrival]),
      ),
    /** Forgets the recent turns of the two narrowest groups. */
    forgive(keys: readonly string[]) {
      for (const key of keys.slice(-2)) {
        const group = groups.get(key);
        if (group !== undefined) group.turns = 0;
      }
    },
  };
}

function isOver(until: Instant, now: Instant): boolean {
  return now >= until || now < until - recentMs;
}

/**
 * Returns the members of the narrowest group that is found by choosing, from the widest group down, the one with the
 * lowest rank. Ranks are compared number by number.
 */
function descend<T extends Share>(
  waiting: readonly T[],
  rank: (key: string, members: readonly T[], depth: number) => readonly number[],
): readonly T[] {
  let members = waiting;
  for (let depth = 0; members.some(({ keys }) => keys.length > depth); depth += 1) {
    const parts = [...Map.groupBy(members, ({ keys }) => keys[depth] ?? "")];
    const ranked = parts.map(([key, part]) => ({ part, rank: rank(key, part, depth) }));
    members = ranked.reduce((best, one) => (isLower(one.rank, best.rank) ? one : best)).part;
  }
  return members;
}

function isLower(left: readonly number[], right: readonly number[]): boolean {
  const index = left.findIndex((number, place) => number !== right[place]);
  return index !== -1 && left[index]! < right[index]!;
}

function newest<T extends Share>(members: readonly T[]): T {
  return members.reduce((best, one) => (one.arrival > best.arrival ? one : best));
}

function oldest<T extends Share>(members: readonly T[]): T {
  return members.reduce((best, one) => (one.arrival < best.arrival ? one : best));
}
