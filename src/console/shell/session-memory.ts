/** What one page of a session leaves for the next: in memory only, for secrets are among it. */
export interface SessionMemory {
  put(session: number, name: string, value: unknown): void;
  /** Answers it this once. */
  take(session: number, name: string): unknown;
  forget(session: number): void;
}

const sessionsMax = 200;
const thingsMax = 20;

export function createSessionMemory(): SessionMemory {
  const sessions = new Map<number, Map<string, unknown>>();
  const dropOldest = (map: Map<unknown, unknown>, max: number) => {
    if (map.size > max) map.delete(map.keys().next().value);
  };
  return {
    put(session, name, value) {
      const things = sessions.get(session) ?? new Map<string, unknown>();
      sessions.set(session, things);
      dropOldest(sessions, sessionsMax);
      things.set(name, value);
      dropOldest(things, thingsMax);
    },
    take(session, name) {
      const things = sessions.get(session);
      const value = things?.get(name);
      things?.delete(name);
      return value;
    },
    forget: (session) => void sessions.delete(session),
  };
}
