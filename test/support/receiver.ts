/** A request as it arrived, byte for byte. */
export interface Received {
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string;
  at: number;
}

export type Answer = Response | Promise<Response> | number;

/** A real HTTP receiver on loopback that keeps what it is sent and answers as it is told. */
export function startReceiver(answer: (request: Received, count: number) => Answer = () => 200) {
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
        const answered = await answer(item, received.length);
        return typeof answered === "number" ? new Response("ok", { status: answered }) : answered;
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
