import type { Connection } from "./connection.ts";

interface IdleConnection {
  connection: Connection;
  key: string;
  keptUntilMs: number;
}

/**
 * Open connections that can be reused for the next request to the same place.
 * @param idleMs how long an idle connection is kept.
 * @param idleMax maximum number of idle connections.
 */
export function createConnectionPool({ idleMs, idleMax }: { idleMs: number; idleMax: number }) {
  /** By key, the longest idle one first. */
  const idle = new Map<string, IdleConnection[]>();
  let total = 0;
  /** One timer for all connections: each serves hundreds of requests per second. */
  let expiry: ReturnType<typeof setTimeout> | undefined;

  /** Removes a connection from the pool; it stays open. */
  function forget(kept: IdleConnection): void {
    const ofKey = idle.get(kept.key);
    const index = ofKey?.lastIndexOf(kept) ?? -1;
    if (ofKey === undefined || index === -1) return;
    ofKey.splice(index, 1);
    if (ofKey.length === 0) idle.delete(kept.key);
    total -= 1;
  }

  function destroy(kept: IdleConnection): void {
    forget(kept);
    kept.connection.destroy();
  }

  function destroyExpired(): void {
    const nowMs = performance.now();
    let nextMs = Infinity;
    for (const kept of [...idle.values()].flat()) {
      if (kept.keptUntilMs <= nowMs) destroy(kept);
      else nextMs = Math.min(nextMs, kept.keptUntilMs);
    }
    expiry = total === 0 ? undefined : setTimeout(destroyExpired, Math.ceil(nextMs - nowMs));
    expiry?.unref();
  }

  return {
    /** Removes a connection for exclusive use by the caller. */
    take(key: string) {
      for (;;) {
        const kept = idle.get(key)?.at(-1);
        if (kept === undefined) return undefined;
        // An unread response, such as 408 for an idle connection, would count for the next request.
        if (kept.connection.isSilent()) {
          forget(kept);
          return kept.connection;
        }
        destroy(kept);
      }
    },

    /** Returns a reusable connection to the pool. */
    keep(key: string, connection: Connection) {
      if (total >= idleMax) return connection.destroy();
      const kept = { connection, key, keptUntilMs: performance.now() + idleMs };
      idle.getOrInsertComputed(key, () => []).push(kept);
      total += 1;
      // Unsolicited bytes would be read as the next response.
      connection.listen({ onData: () => destroy(kept), onClose: () => forget(kept) });
      if (expiry !== undefined) return;
      expiry = setTimeout(destroyExpired, idleMs);
      expiry.unref();
    },

    /** Closes the idle connections. */
    close() {
      for (const kept of [...idle.values()].flat()) destroy(kept);
    },
  };
}
