/**
 * DNS and web servers on loopback for the campaign of inspections: an original, and hosts whose second label says what
 * they show. Prints the ports as JSON. `/visits` returns how often the page of each host was requested.
 */
import { startDnsServer } from "../../../test/support/dns-server.ts";

/** Pages of one address are opened a few at a time. */
const hostAddresses = 24;
const zones = Array.from({ length: hostAddresses }, (_, index) => ({
  zone: `*.n${index}.test`,
  address: `127.0.0.${index + 1}`,
}));
const here = (address: string) => ({ A: [address], NS: ["ns1.host.test"] });
const dns = await startDnsServer({
  "example-bank.com": here("127.0.0.1"),
  ...Object.fromEntries(zones.map(({ zone, address }) => [zone, here(address)])),
});
const delayMsMax = 400;
const visits = new Map<string, number>();

const text = "Your account shows your balance, pays bills, sends money and orders cards. ".repeat(20);
const signIn = `<!doctype html><html lang="en"><head><title>Example Bank – Sign in</title>
  <meta property="og:site_name" content="Example Bank"></head><body class="eb-page"><header class="eb-header">
  <img class="eb-logo" src="/logo.png" alt="Example Bank"></header><main class="eb-main"><h1>Welcome to Example Bank</h1>
  <p>${text}</p><form class="eb-form" action="/post.php" method="post"><label>User name<input name="user"></label>
  <label>Password<input type="password" name="password"></label><button>Sign in</button></form></main></body></html>`;
const news = `<!doctype html><html lang="en"><head><title>News</title></head><body><h1>The weather</h1>
  <p>${"The weather of this week is fine in the whole city and beyond. ".repeat(30)}</p></body></html>`;

async function respond(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/visits") return Response.json(Object.fromEntries(visits));
  const host = (request.headers.get("host") ?? "").replace(/:.*/, "");
  if (/\.(png|ico|json|svg)$/.test(pathname)) return new Response("", { status: 404 });
  visits.set(host, (visits.get(host) ?? 0) + 1);
  if (host !== "example-bank.com") await Bun.sleep(Math.random() * delayMsMax);
  const isSignIn = host === "example-bank.com" || host.startsWith("copy");
  return new Response(isSignIn ? signIn : news, { headers: { "content-type": "text/html; charset=utf-8" } });
}

const serve = (hostname: string, port: number) =>
  Bun.serve({ port, hostname, idleTimeout: 0, fetch: respond });
const web = serve("127.0.0.1", 0);
for (const { address } of zones.slice(1)) serve(address, web.port!);
process.stdout.write(`${JSON.stringify({ dnsPort: dns.server.port, webPort: web.port })}\n`);
