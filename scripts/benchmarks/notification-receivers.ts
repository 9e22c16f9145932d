// Receivers for the notifications benchmark, in a separate process: each port is one channel and responds as its service
// does. GET /figures on any port returns the arrivals of each since the start.

interface Arrival {
  /** Milliseconds since the Unix epoch. */
  at: number;
  bytes: number;
  /** Number of threats that the message counts; undefined if it is about one threat or none. */
  threats: number | undefined;
}

const responses: Readonly<Record<string, () => Response>> = {
  slack: () => new Response("ok"),
  teams: () => new Response(null, { status: 202 }),
  discord: () => new Response(null, { status: 204 }),
  ntfy: () => Response.json({ id: "m1", time: 1_769_860_800, event: "message", topic: "t" }),
  telegram: () => Response.json({ ok: true, result: { message_id: 1 } }),
  pagerduty: () => Response.json({ status: "success" }, { status: 202 }),
};
const arrivals = new Map<string, Arrival[]>();

/** Starts the receiver of one channel, and returns its port. */
function receive(channel: string): number {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/figures") return Response.json(Object.fromEntries(arrivals));
      const text = await request.text();
      // "10,000 new look-alikes", wherever the service shows it.
      const threats = /([0-9][0-9,]*) new look-alikes/.exec(text)?.[1];
      arrivals.get(channel)!.push({
        at: Date.now(),
        bytes: text.length,
        threats: threats === undefined ? undefined : Number(threats.replaceAll(",", "")),
      });
      return responses[channel]?.() ?? new Response("ok");
    },
  });
  return server.port!;
}

const ports = process.argv.slice(2).map((channel) => {
  arrivals.set(channel, []);
  return [channel, receive(channel)] as const;
});
console.log(JSON.stringify(Object.fromEntries(ports)));
