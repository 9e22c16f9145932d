import { BoundedMap } from "../../../platform/lib/bounded-map.ts";

/** Values that one page of a session leaves for the next. Kept in memory only, because they include secrets. */
export interface SessionMemory {
  put(session: number, name: string, value: unknown): void;
  /** Returns the value and forgets it. */
  take(session: number, name: string): unknown;
  forget(session: number): void;
}

const sessionsMax = 200;
const valuesMax = 20;

export function createSessionMemory(): SessionMemory {
  const sessions = new BoundedMap<number, Map<string, unknown>>(sessionsMax);
  return {
    put(session, name, value) {
      const values = sessions.getOrCreate(session, () => new BoundedMap<string, unknown>(valuesMax));
      values.set(name, value);
    },
    take(session, name) {
      const values = sessions.get(session);
      const value = values?.get(name);
      values?.delete(name);
      return value;
    },
    forget: (session) => void sessions.delete(session),
  };
}
