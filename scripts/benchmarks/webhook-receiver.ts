// Receivers for the webhook benchmark, in a process of their own: /healthy answers 200, /failing 500, /hanging
// never. GET /figures tells what has arrived since the last call.

interface Figures {
  count: number;
  /** Milliseconds from `created_at` of the body to the arrival. */
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
      const answer = Response.json(Object.fromEntries(figures));
      figures = new Map();
      return answer;
    }
    const body = (await request.json()) as { created_at: string };
    const now = Date.now();
    const own = figures.get(pathname) ?? { count: 0, latenciesMs: [], lastAt: 0 };
    figures.set(pathname, own);
    own.count += 1;
    own.latenciesMs.push(now - Date.parse(body.created_at));
    own.lastAt = now;
    if (pathname === "/hanging") return never;
    return new Response("ok", { status: pathname === "/failing" ? 500 : 200 });
  },
});
console.log(server.port);
