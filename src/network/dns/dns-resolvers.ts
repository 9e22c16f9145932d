import type { Clock, Instant } from "../../lib/clock.ts";
import type { NameServer } from "./dns-transport.ts";

export interface Resolver {
  readonly server: NameServer;
}

/** Which resolver is asked next: in turns, those that answer before those that did not of late. */
export interface ResolverPool {
  /** One that was not asked yet about this name if there is one, else any; undefined when there is none at all. */
  choose(asked: readonly Resolver[]): Resolver | undefined;
  note(resolver: Resolver, outcome: "answered" | "silent" | "lying"): void;
  /** Looks anew which ones there are; forgets who lied. */
  reload(): readonly Resolver[];
}

interface Member extends Resolver {
  silences: number;
  restsUntil: Instant;
  lies: boolean;
}

/** After so many silences one after another a resolver rests: each would cost a query its whole time-out. */
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
    members = resolvers().map((server) => ({ server, silences: 0, restsUntil: 0, lies: false }));
    return members;
  }

  return {
    choose(asked) {
      const usable = (members ?? load()).filter(({ lies }) => !lies);
      if (usable.length === 0) return undefined;
      const now = clock.now();
      const first = turn++ % usable.length;
      const inTurn = [...usable.slice(first), ...usable.slice(0, first)];
      const rank = (member: Member) => (asked.includes(member) ? 2 : 0) + (member.restsUntil > now ? 1 : 0);
      return inTurn.reduce((best, member) => (rank(member) < rank(best) ? member : best));
    },
    note(resolver, outcome) {
      const member = resolver as Member;
      if (outcome === "lying") member.lies = true;
      else if (outcome === "answered") member.silences = member.restsUntil = 0;
      else if (++member.silences >= silencesMax) member.restsUntil = clock.now() + restMs;
    },
    reload: load,
  };
}
