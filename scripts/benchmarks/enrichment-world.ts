/** DNS, web and RDAP servers on loopback for the enrichment benchmark: every name exists, and responses are slow. */
import { startDnsServer } from "../../test/support/dns-server.ts";

const pageDelayMs = Number(process.argv[2]);
const registryDelayMs = 1_000;
const paragraph =
  "<p>Text that makes the page long enough for its parsing to show up in the measurement.</p>";
const page = `<title>Example Bank</title><form><input type="password"></form>${paragraph.repeat(600)}`;

const dns = await startDnsServer({
  "*.": { A: ["127.0.0.1"], NS: ["ns1.host.test"], MX: [[10, "mx.host.test"]] },
});
const web = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch() {
    await Bun.sleep(pageDelayMs);
    return new Response(page, { headers: { "content-type": "text/html" } });
  },
});
const registry = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    await Bun.sleep(registryDelayMs);
    const ldhName = new URL(request.url).pathname.split("/").at(-1);
    const events = [{ eventAction: "registration", eventDate: "2025-01-01T00:00:00Z" }];
    return Response.json(
      { objectClassName: "domain", ldhName, events },
      { headers: { "content-type": "application/rdap+json" } },
    );
  },
});
process.stdout.write(
  `${JSON.stringify({ dnsPort: dns.server.port, webPort: web.port, registryPort: registry.port })}\n`,
);
