import type { Clock } from "../../lib/clock.ts";
import type { NameServer } from "./dns-transport.ts";

export interface Resolver {
  readonly server: NameServer;
}

interface Member extends Resolver {
  silences: number;
  /** In monotonic milliseconds. */
  restsUntilMs: number;
  lies: boolean;
  denies: boolean;
}

/** Consecutive timeouts after which a resolver is skipped: each would cost a query its whole timeout. */
const silencesMax = 3;
const restMs = 10_000;

/**
 * Chooses the next resolver: in turn, responsive ones before those that recently timed out, and both before those that
 * deny names that exist, whose other responses are still of use.
 */
export function createResolverPool(given: { clock: Clock; resolvers: () => readonly NameServer[] }) {
  const { clock, resolvers } = given;
  let members: Member[] | undefined;
  let turn = 0;

  function load(): Member[] {
    const known = new Map(members?.map((member) => [keyOf(member.server), member]));
    members = resolvers().map(
      (server) =>
        known.get(keyOf(server)) ?? { server, silences: 0, restsUntilMs: 0, lies: false, denies: false },
    );
    return members;
  }

  const truthful = () => (members ?? load()).filter(({ lies }) => !lies);

  return {
    /** Returns a resolver that was not yet queried for this name if there is one, else any; undefined if there is none. */
    choose(asked: readonly Resolver[]): Resolver | undefined {
      const usable = truthful();
      if (usable.length === 0) return undefined;
      const nowMs = clock.monotonicMs();
      const first = turn++ % usable.length;
      const inTurn = [...usable.slice(first), ...usable.slice(0, first)];
      const rank = (member: Member) =>
        (asked.includes(member) ? 4 : 0) + (member.denies ? 2 : 0) + (member.restsUntilMs > nowMs ? 1 : 0);
      return inTurn.reduce((best, member) => (rank(member) < rank(best) ? member : best));
    },
    note(resolver: Resolver, outcome: "answered" | "silent") {
      const member = resolver as Member;
      if (outcome === "answered") member.silences = member.restsUntilMs = 0;
      else if (++member.silences >= silencesMax) member.restsUntilMs = clock.monotonicMs() + restMs;
    },

    /** Notes the outcome of a check; undefined: not determined. */
    noteCheck: (resolver: Resolver, found: { lies?: boolean; denies?: boolean }) =>
      void Object.assign(resolver, found),

    /** Returns the resolvers that did not lie. */
    truthful: (): readonly Resolver[] => truthful(),

    /** Reloads the list of resolvers. What is known about those that stay is kept. */
    reload: (): readonly Resolver[] => load(),
  };
}

function keyOf({ address, port }: NameServer): string {
  return `${address} ${port}`;
}
