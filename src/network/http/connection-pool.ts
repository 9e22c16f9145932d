import type { Connection } from "./connection.ts";

/** Connections that are open and wait for a next request to the same place. */
export interface ConnectionPool {
  /** Takes one out, for the caller alone. */
  take(key: string): Connection | undefined;
  /** Hands one in after an exchange that left it fit for a next one. */
  keep(key: string, connection: Connection): void;
  /** Closes those that wait. */
  close(): void;
}

interface IdleConnection {
  connection: Connection;
  /** Takes it out of the pool; it stays open. */
  forget(): void;
}

const perKeyMax = 16;

/** @param idleMs how long one is kept */
export function createConnectionPool({ idleMs }: { idleMs: number }): ConnectionPool {
  const idle = new Map<string, IdleConnection[]>();
  return {
    take(key) {
      const kept = idle.get(key)?.at(-1);
      kept?.forget();
      return kept?.connection;
    },
    keep(key, connection) {
      const kept = idle.get(key) ?? [];
      if (kept.length >= perKeyMax) return connection.destroy();
      idle.set(key, kept);
      const timer = setTimeout(() => connection.destroy(), idleMs);
      timer.unref();
      const own = {
        connection,
        forget() {
          clearTimeout(timer);
          kept.splice(kept.indexOf(own), 1);
          if (kept.length === 0) idle.delete(key);
        },
      };
      kept.push(own);
      // Bytes that nobody asked for would be taken for the next answer.
      connection.listen({ onData: () => connection.destroy(), onClose: own.forget });
    },
    close() {
      for (const { connection } of [...idle.values()].flat()) connection.destroy();
    },
  };
}
