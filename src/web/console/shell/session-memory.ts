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
  const sessions = new Map<number, Map<string, unknown>>();
  const dropOldest = (map: Map<unknown, unknown>, max: number) => {
    if (map.size > max) map.delete(map.keys().next().value);
  };
  return {
    put(session, name, value) {
      const values = sessions.get(session) ?? new Map<string, unknown>();
      sessions.set(session, values);
      dropOldest(sessions, sessionsMax);
      values.set(name, value);
      dropOldest(values, valuesMax);
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
