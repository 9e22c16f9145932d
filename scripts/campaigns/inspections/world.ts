/**
 * DNS and web servers on loopback for the campaign of inspections: an original, and hosts whose second label says what
 * they show. Prints the ports as JSON. `/visits` returns how often the page of each host was requested.
 */
import { startDnsServer } from "../../../test/support/dns-server.ts";
import { originalHost, respondAs } from "./pages.ts";

/** Pages of one address are opened a few at a time. */
const hostAddresses = 24;
const zones = Array.from({ length: hostAddresses }, (_, index) => ({
  zone: `*.n${index}.test`,
  address: `127.0.0.${index + 1}`,
}));
const here = (address: string) => ({ A: [address], NS: ["ns1.host.test"] });
const dns = await startDnsServer({
  [originalHost]: here("127.0.0.1"),
  ...Object.fromEntries(zones.map(({ zone, address }) => [zone, here(address)])),
});
const delayMsMax = 400;
const visits = new Map<string, number>();

async function respond(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/visits") return Response.json(Object.fromEntries(visits));
  const host = (request.headers.get("host") ?? "").replace(/:.*/, "");
  if (/\.(png|ico|json|svg)$/.test(pathname)) return new Response("", { status: 404 });
  visits.set(host, (visits.get(host) ?? 0) + 1);
  if (host !== originalHost) await Bun.sleep(Math.random() * delayMsMax);
  return respondAs(host);
}

const serve = (hostname: string, port: number) =>
  Bun.serve({ port, hostname, idleTimeout: 0, fetch: respond });
const web = serve("127.0.0.1", 0);
for (const { address } of zones.slice(1)) serve(address, web.port!);
process.stdout.write(`${JSON.stringify({ dnsPort: dns.server.port, webPort: web.port })}\n`);
