import { afterEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { commandFolder, type CommandFolder } from "../../support/command-line.ts";
import { startDnsServer } from "../../support/dns-server.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Socket {
  kind: string;
  local: string;
  remote: string;
  inode: string;
}

/** Returns the internet sockets of a process, as listed by Linux (proc(5)). */
function socketsOf(pid: number): Socket[] {
  const folder = `/proc/${pid}/fd`;
  const inodes = new Set(
    readdirSync(folder).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${fd}`))?.[1] ?? [];
      } catch {
        // The socket was closed meanwhile.
        return [];
      }
    }),
  );
  return ["tcp", "tcp6", "udp", "udp6"].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns.length > 9 && inodes.has(columns[9]!))
      .map((columns) => ({ kind, local: columns[1]!, remote: columns[2]!, inode: columns[9]! })),
  );
}

/** Polls the sockets of a process for some time, or until enough are seen, and returns every socket seen. */
async function watch(
  pid: number,
  ms: number,
  isEnough: (sockets: Socket[]) => boolean = () => false,
): Promise<Socket[]> {
  const seen = new Map<string, Socket>();
  const end = Date.now() + ms;
  while (Date.now() < end && !isEnough([...seen.values()])) {
    for (const socket of socketsOf(pid)) seen.set(socket.inode, socket);
    await Bun.sleep(5);
  }
  return [...seen.values()];
}

const configOf = (dnsPort: number, scan: string) => `
[server]
listen = "127.0.0.1:0"
[storage]
path = "data/test.db"
[scan]
resolvers = ["127.0.0.1:${dnsPort}"]
${scan}
[[protected_domains]]
domain = "example-bank.com"
`;
const off = 'schedule = ""\n[lookups]\nenabled = false';

async function open(
  scan: string,
): Promise<{ folder: CommandFolder; dns: Awaited<ReturnType<typeof startDnsServer>> }> {
  // Silent, so that a query keeps its socket open for seconds.
  const dns = await startDnsServer({ "*.": { silent: true } });
  const folder = commandFolder(configOf(dns.server.port, scan));
  closing.push(folder.dispose, () => dns.stop());
  return { folder, dns };
}

const linuxOnly = test.skipIf(process.platform !== "linux");

linuxOnly(
  "a server with all lookups disabled and no endpoints opens no connection for new threats",
  async () => {
    const { folder, dns } = await open(off);
    const server = await folder.serve();
    const watching = watch(server.process.pid, 4_000);
    folder.file("names.txt", "examp1e-bank.com\nexample-bank.net\n");
    const imported = await folder.run(["import", "names.txt"]);
    expect(imported.code).toBe(0);
    const listed = await folder.run(["threats", "list", "--json"]);
    expect(listed.out.trim().split("\n").length).toBe(2);
    const sockets = await watching;
    await server.stop();
    const listening = "00000000:0000";
    expect(
      sockets.filter(({ remote, local }) => remote !== listening && !local.startsWith("0100007F:")),
    ).toEqual([]);
    expect(sockets.filter(({ kind }) => kind.startsWith("udp"))).toEqual([]);
    expect(sockets.filter(({ remote }) => remote === listening).length).toBe(1);
    expect(dns.asked).toEqual([]);
  },
  60_000,
);

linuxOnly(
  "the same server with lookups and without a schedule queries the resolver, which proves that connections are detected",
  async () => {
    const { folder, dns } = await open('schedule = ""\nregistration_data = false\nscreenshots = "off"');
    const server = await folder.serve();
    const isUdp = ({ kind }: Socket) => kind.startsWith("udp");
    // The resolver itself is checked with other names.
    const isLookedUp = () => dns.asked.some(({ name }) => name === "examp1e-bank.com");
    // Starts before the import: on a busy machine, the query may be over before the command is.
    const watching = watch(server.process.pid, 20_000, (seen) => isLookedUp() && seen.some(isUdp));
    folder.file("names.txt", "examp1e-bank.com\n");
    expect((await folder.run(["import", "names.txt"])).code).toBe(0);
    const sockets = await watching;
    await server.stop();
    expect(dns.asked.map(({ name }) => name)).toContain("examp1e-bank.com");
    expect(sockets.some(isUdp)).toBe(true);
  },
  60_000,
);
