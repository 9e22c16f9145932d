import type { Existence } from "../../facts/lookups/dns/existence.ts";

/** Look-alikes that a scan looks up. Names whose denial is doubted come up again. */
export interface NameQueue {
  /** Starts with these names. The queue keeps the array and appends to it. */
  fill(names: string[]): void;
  next(): string | undefined;
  isEmpty(): boolean;
  /** Notes the result of a lookup. */
  note(name: string, existence: Existence): void;
  /** Returns the names that were denied since the last call. */
  takeDenied(): string[];
  /** Enqueues names that are looked up again. */
  add(names: readonly string[]): void;
  /** Why the existence of a name is unknown: the latest reason. */
  lastUnknown(): string | undefined;
}

export function createNameQueue(): NameQueue {
  let names: string[] = [];
  let position = 0;
  let denied: string[] = [];
  let lastUnknown: string | undefined;
  return {
    fill: (given) => void (names = given),
    next: () => names[position++],
    isEmpty: () => position >= names.length,
    note(name, { exists, reason }) {
      if (exists === "no") denied.push(name);
      if (exists === "unknown") lastUnknown = reason;
    },
    takeDenied() {
      const taken = denied;
      denied = [];
      return taken;
    },
    add(more) {
      // A worker may have asked for a name after the last one.
      position = Math.min(position, names.length);
      for (const name of more) names.push(name);
    },
    lastUnknown: () => lastUnknown,
  };
}
