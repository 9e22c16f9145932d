import { startDnsServer, type Zones } from "../../../test/support/dns-server.ts";
import { freePort } from "../../benchmarks/server-process.ts";
import { originalHost, respondAs } from "../inspections/pages.ts";
import { publicAddress } from "../namespace.ts";

/** Names that are submitted, fed, imported and decided over and over, so that the number of threats stays the same. */
export const pool = Array.from({ length: 600 }, (_, index) => `example-bank-pool${index}.com`);
const hosts = 20;
const slowMs = 1_500;

/**
 * Starts DNS, pages and webhook receivers for the soak. A third of the names exists with a page, a third without, and a
 * third does not exist; among the names of scans, some get errors or silence.
 * @param scanned names that scans resolve
 */
export async function startWorld(scanned: readonly string[]) {
  const at = (index: number) => publicAddress(2 + (index % hosts));
  const here = (address: string) => ({ A: [address], NS: ["ns1.host.test"] });
  const ofPool = pool.flatMap((name, index) =>
    index % 3 === 2 ? [] : [[name, here(index % 3 === 0 ? at(index) : publicAddress(250))] as const],
  );
  const ofScans = scanned.map((name, index) => {
    const kind = index % 10;
    if (kind === 0) return [name, { silent: true }] as const;
    return [name, kind === 1 ? { rcode: "SERVFAIL" as const } : here(at(index))] as const;
  });
  const ofPages = Array.from({ length: hosts }, (_, index) => [`*.n${index}.test`, here(at(index))] as const);
  const dns = await startDnsServer({
    ...Object.fromEntries<Zones[string]>([...ofPool, ...ofScans, ...ofPages]),
    [originalHost]: here(at(0)),
  });
  for (let index = 0; index < hosts; index++) {
    Bun.serve({
      hostname: at(index),
      port: 80,
      fetch(request) {
        if (/\.(png|ico|json|svg)$/.test(new URL(request.url).pathname))
          return new Response("", { status: 404 });
        return respondAs((request.headers.get("host") ?? "").replace(/:.*/, ""));
      },
    });
  }

  /** IDs of the events that the good receiver got. */
  const received = new Set<string>();
  const receive = (respond: (request: Request) => Promise<Response>) =>
    Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: respond }).port!;
  const receivers = {
    good: receive(async (request) => {
      received.add(((await request.json()) as { id: string }).id);
      return new Response("ok");
    }),
    slow: receive(async (request) => {
      await request.bytes();
      await Bun.sleep(slowMs);
      return new Response("ok");
    }),
    failing: receive(async (request) => {
      await request.bytes();
      return new Response("x".repeat(2_000), { status: 500 });
    }),
    refusing: freePort(),
  };
  return { dnsPort: dns.server.port, receivers, received };
}
