import type { Clock } from "../../lib/clock.ts";
import type { Resolver } from "./dns-resolvers.ts";
import type { Knowledge } from "./resolver-check.ts";

/** How long the result of a probe holds. It bounds the time for which false denials are believed. */
const heldMs = 5_000;

interface State {
  knowledge: Knowledge;
  /** In monotonic milliseconds. */
  untilMs: number;
}

/**
 * Decides whether a resolver may be believed that a name does not exist: only while it knows names that always exist. A
 * resolver that is cut off from the internet, or resolves only listed names, denies every name; believing it would make
 * every threat look harmless.
 * @param probe never rejects
 */
export function createCredibleDenials(clock: Clock, probe: (resolver: Resolver) => Promise<Knowledge>) {
  const states = new WeakMap<Resolver, State>();
  const probing = new WeakMap<Resolver, Promise<Knowledge>>();
  /** Number of times that a resolver that had known names was found to deny them. */
  let lapses = 0;
  let confirmedLapses = 0;

  function note(resolver: Resolver, knowledge: Knowledge): void {
    const before = states.get(resolver)?.knowledge;
    // Silence refutes nothing that the resolver said before.
    if (before === "knows" && knowledge === "denies") lapses++;
    const kept = knowledge === "silent" && before !== undefined ? before : knowledge;
    const untilMs = knowledge === "silent" ? 0 : clock.monotonicMs() + heldMs;
    states.set(resolver, { knowledge: kept, untilMs });
  }

  /** Shares a probe between all who wait for it. */
  function probeNow(resolver: Resolver): Promise<Knowledge> {
    return probing.getOrInsertComputed(resolver, async () => {
      const knowledge = await probe(resolver);
      probing.delete(resolver);
      note(resolver, knowledge);
      return knowledge;
    });
  }

  return {
    /** Never rejects. Probes the resolver unless that was done in the last seconds. */
    async isCredible(resolver: Resolver) {
      const known = states.get(resolver);
      if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.knowledge === "knows";
      return (await probeNow(resolver)) === "knows";
    },
    note,

    /**
     * Probes the resolvers now. Returns whether none of them has begun to deny names that exist since the last call: if
     * one has, its denials of that time may be false.
     */
    async confirm(resolvers: readonly Resolver[]) {
      await Promise.all(resolvers.map(probeNow));
      const hasLapsed = lapses !== confirmedLapses;
      confirmedLapses = lapses;
      return !hasLapsed;
    },
  };
}
