import { startDnsServer, type Zones } from "../../test/support/dns-server.ts";

// A name server of its own process: address, port and zones as JSON on standard input, "ready" when it answers.

const { address, port, zones } = (await Bun.stdin.json()) as { address: string; port: number; zones: Zones };
const { server } = await startDnsServer(zones, { address, port });
console.log(`ready ${server.port}`);
