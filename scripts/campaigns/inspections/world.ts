/**
 * DNS and web servers of a namespace for the campaign of inspections: an original, and hosts whose second label says what
 * they show. Prints the port of DNS and the address of the original as JSON. `/visits` returns how often the page of each host was requested.
 */
import { startDnsServer } from "../../../test/support/dns-server.ts";
import { publicAddress } from "../namespace.ts";
import { originalHost, respondAs } from "./pages.ts";

/** Pages of one address are opened a few at a time. */
const hostAddresses = 24;
const zones = Array.from({ length: hostAddresses }, (_, index) => ({
  zone: `*.n${index}.test`,
  address: publicAddress(index + 1),
}));
const here = (address: string) => ({ A: [address], NS: ["ns1.host.test"] });
const dns = await startDnsServer({
  [originalHost]: here(publicAddress(1)),
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

for (const { address } of zones) Bun.serve({ hostname: address, port: 80, idleTimeout: 0, fetch: respond });
process.stdout.write(`${JSON.stringify({ dnsPort: dns.server.port, address: publicAddress(1) })}\n`);
