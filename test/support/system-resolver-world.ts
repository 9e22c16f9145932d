/**
 * Resolves names while resolv.conf changes. Must run within `ownNetwork` with mounts of its own. Prints the addresses
 * as JSON. Argument: a folder for the system's files.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { createSystemResolver } from "../../src/platform/network/dns/resolve-with-system.ts";
import { startDnsServer } from "./dns-server.ts";

const folder = process.argv[2]!;
const run = (...command: string[]) => {
  if (Bun.spawnSync(command).exitCode !== 0) throw new Error(command.join(" "));
};
run("ip", "link", "set", "lo", "up");
for (const [name, text] of [
  ["resolv.conf", "nameserver 127.0.0.1\nsearch office.test\n"],
  ["hosts", "127.0.0.1 localhost\n192.0.2.7 in-hosts.test\n"],
] as const) {
  writeFileSync(join(folder, name), text);
  run("mount", "--bind", join(folder, name), `/etc/${name}`);
}
const before = await startDnsServer(
  {
    "a.test": { A: ["192.0.2.1"], AAAA: ["2001:db8::1"] },
    "printer.office.test": { A: ["192.0.2.3"] },
    "mail.test": { MX: [[1, "a.test"]] },
    "broken.test": { rcode: "SERVFAIL" },
  },
  { port: 53 },
);
const after = await startDnsServer({ "a.test": { A: ["192.0.2.2"] } }, { address: "127.0.0.2", port: 53 });

const resolveHost = createSystemResolver({ clock: systemClock });
const seen: [name: string, result: unknown][] = [];
async function look(name: string): Promise<void> {
  const result = await resolveHost(name).then(
    (addresses) => addresses.toSorted(),
    (error: NodeJS.ErrnoException) => error.code,
  );
  seen.push([name, result]);
}
for (const name of [
  "a.test",
  "A.TEST.",
  "printer",
  "in-hosts.test",
  "localhost",
  "192.0.2.9",
  "::1",
  "mail.test",
  "missing.test",
  "broken.test",
])
  await look(name);
writeFileSync(join(folder, "resolv.conf"), "nameserver 127.0.0.2\n");
await look("a.test");
before.stop();
after.stop();
console.log(JSON.stringify(seen));
process.exit(0);
