import { startDnsServer, type Zones } from "../../test/support/dns-server.ts";

// Runs a DNS server in a separate process. Reads address, port and zones as JSON from standard input, and prints
// "ready" with the port when it accepts queries.

const { address, port, zones } = (await Bun.stdin.json()) as { address: string; port: number; zones: Zones };
const { server } = await startDnsServer(zones, { address, port });
console.log(`ready ${server.port}`);
