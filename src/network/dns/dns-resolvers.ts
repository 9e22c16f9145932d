import type { Clock } from "../../lib/clock.ts";
import type { NameServer } from "./dns-transport.ts";

export interface Resolver {
  readonly server: NameServer;
}

/** Chooses the next resolver: in turn, responsive ones before those that recently timed out. */
export interface ResolverPool {
  /** Returns a resolver that was not yet queried for this name if there is one, else any; undefined if there is none. */
  choose(asked: readonly Resolver[]): Resolver | undefined;
  note(resolver: Resolver, outcome: "answered" | "silent" | "lying"): void;
  /** Reloads the list of resolvers and forgets which ones lied. */
  reload(): readonly Resolver[];
}

interface Member extends Resolver {
  silences: number;
  /** In monotonic milliseconds. */
  restsUntilMs: number;
  lies: boolean;
}

/** Consecutive timeouts after which a resolver is skipped: each would cost a query its whole timeout. */
const silencesMax = 3;
const restMs = 10_000;

export function createResolverPool({
  clock,
  resolvers,
}: {
  clock: Clock;
  resolvers: () => readonly NameServer[];
}): ResolverPool {
  let members: Member[] | undefined;
  let turn = 0;

  function load(): Member[] {
    members = resolvers().map((server) => ({ server, silences: 0, restsUntilMs: 0, lies: false }));
    return members;
  }

  return {
    choose(asked) {
      const usable = (members ?? load()).filter(({ lies }) => !lies);
      if (usable.length === 0) return undefined;
      const nowMs = clock.monotonicMs();
      const first = turn++ % usable.length;
      const inTurn = [...usable.slice(first), ...usable.slice(0, first)];
      const rank = (member: Member) =>
        (asked.includes(member) ? 2 : 0) + (member.restsUntilMs > nowMs ? 1 : 0);
      return inTurn.reduce((best, member) => (rank(member) < rank(best) ? member : best));
    },
    note(resolver, outcome) {
      const member = resolver as Member;
      if (outcome === "lying") member.lies = true;
      else if (outcome === "answered") member.silences = member.restsUntilMs = 0;
      else if (++member.silences >= silencesMax) member.restsUntilMs = clock.monotonicMs() + restMs;
    },
    reload: load,
  };
}
