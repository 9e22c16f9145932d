// Webhook receivers for the webhook benchmark, in a separate process: /healthy returns 200, /failing returns 500,
// /hanging never responds. GET /figures returns the deliveries received since the previous call.

interface Figures {
  count: number;
  /** Milliseconds from `created_at` in the body to arrival. */
  latenciesMs: number[];
  lastAt: number;
}

let figures = new Map<string, Figures>();
const never = new Promise<Response>(() => {});

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/figures") {
      const response = Response.json(Object.fromEntries(figures));
      figures = new Map();
      return response;
    }
    const body = (await request.json()) as { created_at: string };
    const now = Date.now();
    const received = figures.get(pathname) ?? { count: 0, latenciesMs: [], lastAt: 0 };
    figures.set(pathname, received);
    received.count += 1;
    received.latenciesMs.push(now - Date.parse(body.created_at));
    received.lastAt = now;
    if (pathname === "/hanging") return never;
    return new Response("ok", { status: pathname === "/failing" ? 500 : 200 });
  },
});
console.log(server.port);
