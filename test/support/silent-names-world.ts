/**
 * A server with endpoints whose name server does not respond, beside healthy ones. Must run within `ownNetwork` with
 * mounts of its own. Prints what it saw as JSON. Argument: `SilentNamesPlan` as JSON.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startDnsServer } from "./dns-server.ts";
import { startReceiver } from "./receiver.ts";
import { until } from "./until.ts";

export interface SilentNamesPlan {
  /** Arguments that start phishwatch. */
  command: string[];
  folder: string;
  silentEndpoints: number;
}

export interface SilentNamesSeen {
  /** Deliveries by path of the endpoint, after the first and the second file of the feed. */
  delivered: Record<string, number>[];
  /** Number of silent names that were looked up. */
  silentNames: number;
  exitCode: number;
}

const plan = JSON.parse(process.argv[2]!) as SilentNamesPlan;
const healthy = ["good1.test", "good2.test", "good3.test", "hosts-file.example", "127.0.0.1"];
const namesPerFile = 3;

const run = (...command: string[]) => {
  if (Bun.spawnSync(command).exitCode !== 0) throw new Error(command.join(" "));
};
run("ip", "link", "set", "lo", "up");
for (const [target, text] of [
  ["/etc/resolv.conf", "nameserver 127.0.0.1\n"],
  ["/etc/hosts", "127.0.0.1 localhost hosts-file.example\n"],
] as const) {
  const file = join(plan.folder, target.split("/").at(-1)!);
  writeFileSync(file, text);
  run("mount", "--bind", file, target);
}

const dns = await startDnsServer(
  {
    "*.silent.test": { silent: true },
    ...Object.fromEntries(healthy.map((name) => [name, { A: ["127.0.0.1"] }])),
  },
  { port: 53 },
);
const receiver = startReceiver();
const endpoint = (name: string, host: string) => `[[webhooks.endpoints]]
name = "${name}"
url = "http://${host}:${receiver.port}/${host}"
secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
events = ["threat.created"]
`;
const feed = join(plan.folder, "feed");
run("mkdir", feed);
writeFileSync(
  join(plan.folder, "phishwatch.toml"),
  `[server]
listen = "127.0.0.1:8080"
[storage]
path = "phishwatch.db"
[scan]
schedule = ""
[lookups]
enabled = false
[webhooks]
allow_http = true
allow_private_networks = true
${Array.from({ length: plan.silentEndpoints }, (_, index) => endpoint(`silent-${index}`, `h${index}.silent.test`)).join("")}
${healthy.map((host, index) => endpoint(`healthy-${index}`, host)).join("")}
[[feeds]]
name = "feed"
path = "feed"
[[protected_domains]]
domain = "example-bank.com"
`,
);

const server = Bun.spawn([...plan.command, "serve"], {
  cwd: plan.folder,
  stdio: ["ignore", "ignore", "ignore"],
});
const isReady = async () => (await fetch("http://127.0.0.1:8080/readyz").catch(() => undefined))?.ok === true;
await until(isReady, "the server is ready");

const delivered = () =>
  Object.fromEntries(
    healthy.map((host) => [host, receiver.received.filter(({ path }) => path === `/${host}`).length]),
  );
const silentNames = () =>
  new Set(dns.asked.filter(({ name }) => name.endsWith(".silent.test")).map(({ name }) => name)).size;
const seen: SilentNamesSeen["delivered"] = [];
for (const file of ["first", "second"]) {
  const names = Array.from({ length: namesPerFile }, (_, index) => `example-bank-${file}${index}.com\n`);
  writeFileSync(join(feed, `${file}.txt`), names.join(""));
  const expected = namesPerFile * (seen.length + 1);
  const isDelivered = () => Object.values(delivered()).every((count) => count >= expected);
  // A hang guard: what the test asserts is the outcome.
  await until(isDelivered, "the healthy endpoints receive the feed's threats", 30_000).catch(() => {});
  seen.push(delivered());
  await until(() => silentNames() === plan.silentEndpoints, "every silent name is looked up").catch(() => {});
}
server.kill("SIGTERM");
const hangGuard = setTimeout(() => server.kill("SIGKILL"), 30_000);
const exitCode = await server.exited;
clearTimeout(hangGuard);
console.log(JSON.stringify({ delivered: seen, silentNames: silentNames(), exitCode }));
process.exit(0);
