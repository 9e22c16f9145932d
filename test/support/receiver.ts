/** A request as it arrived, byte for byte. */
export interface Received {
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string;
  at: number;
}

export type Reply = Response | Promise<Response> | number;

/** Starts a real HTTP receiver on loopback that keeps each request and responds as `respond` decides. */
export function startReceiver(respond: (request: Received, count: number) => Reply = () => 200) {
  const received: Received[] = [];
  let underWay = 0;
  let underWayMost = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      underWay += 1;
      underWayMost = Math.max(underWay, underWayMost);
      const item: Received = {
        path: new URL(request.url).pathname,
        method: request.method,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
        at: Date.now(),
      };
      received.push(item);
      try {
        const response = await respond(item, received.length);
        return typeof response === "number" ? new Response("ok", { status: response }) : response;
      } finally {
        underWay -= 1;
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    port: server.port!,
    received,
    /** Identifiers of the events, in the order of arrival. */
    eventIds: () => received.map(({ body }) => (JSON.parse(body) as { id: string }).id),
    underWayMost: () => underWayMost,
    stop: () => server.stop(true),
  };
}

export type Receiver = ReturnType<typeof startReceiver>;
