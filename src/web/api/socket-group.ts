import type { GuardedRoutes } from "../http/guard.ts";
import type { Clock, Timer } from "../../platform/lib/clock.ts";
import { openSteering, type Steering } from "./steering.ts";

export type HttpServer = Bun.Server<undefined>;

/** A replaced socket stays open for longer than an idle connection, so that none is closed while it is used. */
const drainMs = 130_000;
/** More replaced sockets than this are closed earlier. */
const drainingMax = 8;

/**
 * Sockets that listen on one address: the present one, and those that it has replaced and that still have connections.
 * @param options.withoutReuse returns routes whose responses close the connection
 */
export function createSocketGroup({
  clock,
  withoutReuse,
}: {
  clock: Pick<Clock, "after">;
  withoutReuse: () => GuardedRoutes;
}) {
  /** In the order of the system: the last one takes the place of one that is closed. */
  const sockets: HttpServer[] = [];
  /** Replaced sockets, oldest first, and what closes them. A timer that stayed would keep its socket in memory. */
  const draining: { server: HttpServer; timer: Timer }[] = [];
  let current: HttpServer | undefined;
  let steering: Steering | undefined;

  function close(server: HttpServer, force: boolean): void {
    const place = sockets.indexOf(server);
    if (place === -1) return;
    void server.stop(force);
    const last = sockets.pop()!;
    if (last !== server) sockets[place] = last;
    if (current !== undefined) steering?.directTo(sockets.indexOf(current));
  }

  /** Lets the connections of a replaced socket end. */
  function drain(server: HttpServer): void {
    server.reload({ routes: withoutReuse() });
    const timer = clock.after(drainMs, () => endOldest());
    draining.push({ server, timer });
    while (draining.length > drainingMax) endOldest();
  }

  /** The oldest one is also the first whose time is over. */
  function endOldest(): void {
    const oldest = draining.shift();
    if (oldest === undefined) return;
    oldest.timer.cancel();
    close(oldest.server, false);
  }

  return {
    current: () => current,

    /** Adds the first socket. */
    begin(server: HttpServer) {
      current = server;
      sockets.push(server);
    },

    /**
     * Opens another socket, which gets no connection before it replaces the present one.
     * @throws an error of the system, and then nothing has changed
     */
    prepare(open: () => HttpServer): { commit(): void; cancel(): void } {
      const previous = current!;
      steering ??= openSteering(previous.port!);
      steering.directTo(sockets.indexOf(previous));
      const next = open();
      sockets.push(next);
      return {
        commit() {
          current = next;
          steering?.directTo(sockets.indexOf(next));
          drain(previous);
        },
        cancel: () => close(next, true),
      };
    },

    /** Stops accepting, waits up to `graceMs` for requests in flight, then closes their connections. */
    async stop(graceMs: number) {
      if (current === undefined) return;
      current = undefined;
      for (const { timer } of draining.splice(0)) timer.cancel();
      const stopping = sockets.splice(0);
      const deadline = clock.after(graceMs, () => stopping.forEach((server) => void server.stop(true)));
      await Promise.all(stopping.map((server) => server.stop(false)));
      deadline.cancel();
    },
    peerOf(request: Request) {
      for (const server of sockets) {
        const address = server.requestIP(request)?.address;
        if (address !== undefined) return address;
      }
      return undefined;
    },

    /** Returns the number of requests in flight. */
    pending: () => sockets.reduce((sum, { pendingRequests }) => sum + pendingRequests, 0),
  };
}
