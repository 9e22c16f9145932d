import type { Connection } from "./connection.ts";

/** Open connections that can be reused for the next request to the same place. */
export interface ConnectionPool {
  /** Removes a connection for exclusive use by the caller. */
  take(key: string): Connection | undefined;
  /** Returns a reusable connection to the pool. */
  keep(key: string, connection: Connection): void;
  /** Closes the idle connections. */
  close(): void;
}

interface IdleConnection {
  connection: Connection;
  /** Removes it from the pool; it stays open. */
  forget(): void;
}

const perKeyMax = 16;

/**
 * @param idleMs how long an idle connection is kept.
 * @param idleMax maximum number of idle connections.
 */
export function createConnectionPool({
  idleMs,
  idleMax,
}: {
  idleMs: number;
  idleMax: number;
}): ConnectionPool {
  const idle = new Map<string, IdleConnection[]>();
  let total = 0;
  return {
    take(key) {
      const kept = idle.get(key)?.at(-1);
      kept?.forget();
      return kept?.connection;
    },
    keep(key, connection) {
      const kept = idle.get(key) ?? [];
      if (kept.length >= perKeyMax || total >= idleMax) return connection.destroy();
      idle.set(key, kept);
      const timer = setTimeout(() => connection.destroy(), idleMs);
      timer.unref();
      const own = {
        connection,
        forget() {
          clearTimeout(timer);
          total -= 1;
          kept.splice(kept.indexOf(own), 1);
          if (kept.length === 0) idle.delete(key);
        },
      };
      kept.push(own);
      total += 1;
      // Unsolicited bytes would be read as the next response.
      connection.listen({ onData: () => connection.destroy(), onClose: own.forget });
    },
    close() {
      for (const { connection } of [...idle.values()].flat()) connection.destroy();
    },
  };
}
