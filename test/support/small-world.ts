/**
 * A small Internet in a network namespace of its own, at the addresses and ports of the real one: a resolver, web
 * sites, a registry with RDAP over TLS, a WHOIS server, and a receiver of webhooks. Must run within `ownNetwork`. Runs
 * the executable in it and prints its results and output as JSON. Argument: `WorldPlan` as JSON.
 */
import { chownSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { createAuthority, issue } from "./certificates.ts";
import { startDnsServer } from "./dns-server.ts";
import { startReceiver } from "./receiver.ts";
import {
  ages,
  faults,
  hostingNetwork,
  pages,
  webAddress,
  registryAddress,
  sites,
  whoisAnswer,
  zones,
} from "./small-world-cases.ts";
import { until } from "./until.ts";

export interface WorldPlan {
  /** Arguments that start phishwatch. */
  command: string[];
  folder: string;
  /** User and group that own the folder. */
  uid: number | undefined;
  /** `scan.screenshots`. */
  screenshots: string;
  chromiumArgs: string[];
}

/** The part of `threats show --json` that tests check. */
export interface ShownThreat {
  screenshot_url: string;
  severity_reasons: string[];
  facts: { networks: unknown; unknown: Record<string, string> };
  [field: string]: unknown;
}

export interface Seen {
  scan: { code: number; err: string; found: { domain: string; outcome: string }[] };
  again: { code: number; found: { domain: string; outcome: string }[] };
  /** `threats show --json` by domain. */
  threats: Record<string, ShownThreat>;
  events: { type: string; data: { threat: { domain: string }; scan: Record<string, unknown> } }[];
  /** Responses of each `screenshot_url`, by domain. */
  screenshots: Record<string, { status: number; type: string; bytes: number; text: string }>;
  log: string;
}

const plan = JSON.parse(process.argv[2]!) as WorldPlan;
const dayMs = 86_400_000;

for (const args of [
  ["link", "set", "lo", "up"],
  ...[webAddress, registryAddress, ...sites].map((address) => [
    "route",
    "add",
    "local",
    `${address}/32`,
    "dev",
    "lo",
  ]),
])
  if (Bun.spawnSync(["ip", ...args]).exitCode !== 0) throw new Error(`ip ${args.join(" ")}`);

const authority = createAuthority();
writeFileSync(join(plan.folder, "authority.pem"), authority.cert);
await startDnsServer(zones, { port: 53 });
for (const hostname of [webAddress, ...sites])
  Bun.serve({
    hostname,
    port: 80,
    idleTimeout: 0,
    fetch: (request) => {
      const host = new URL(request.url).hostname;
      return pages[host]?.(request) ?? new Response("nothing", { status: 404 });
    },
  });
const { cert, key } = issue(authority, [
  "rdap.verisign.com",
  "rdap.publicinterestregistry.org",
  "rdap.arin.net",
]);
Bun.serve({
  hostname: registryAddress,
  port: 443,
  tls: { cert, key },
  fetch(request) {
    const { hostname, pathname } = new URL(request.url);
    if (hostname === "rdap.arin.net") return Response.json(hostingNetwork);
    const name = pathname.split("/").at(-1)!;
    const fault = faults[name];
    if (fault !== undefined) return fault();
    const ageDays = ages[name] ?? 400;
    const createdAt = new Date(Date.now() - ageDays * dayMs).toISOString();
    const card = [
      "vcard",
      [
        ["version", {}, "text", "4.0"],
        ["fn", {}, "text", "Cheap Names, Inc."],
      ],
    ];
    return Response.json(
      {
        objectClassName: "domain",
        ldhName: name.toUpperCase(),
        events: [{ eventAction: "registration", eventDate: createdAt }],
        entities: [{ objectClassName: "entity", roles: ["registrar"], vcardArray: card }],
      },
      { headers: { "content-type": "application/rdap+json" } },
    );
  },
});
net
  .createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (query) => void socket.end(whoisAnswer(query.toString("latin1").trim())));
  })
  .listen(43, registryAddress);
const receiver = startReceiver();

writeFileSync(
  join(plan.folder, "phishwatch.toml"),
  `[server]
listen = "127.0.0.1:8080"
[storage]
path = "data/phishwatch.db"
[scan]
resolvers = ["127.0.0.1:53"]
queries_per_second = 5000
screenshots = ${JSON.stringify(plan.screenshots)}
[screenshots]
chromium_args = ${JSON.stringify(plan.chromiumArgs)}
[webhooks]
allow_http = true
[[webhooks.endpoints]]
name = "soc"
url = "${receiver.url}"
secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
[[protected_domains]]
domain = "example-bank.com"
`,
  // It contains a secret: the server warns about a file that every user can read.
  { mode: 0o600 },
);
if (plan.uid !== undefined) {
  chownSync(plan.folder, plan.uid, plan.uid);
  chownSync(join(plan.folder, "phishwatch.toml"), plan.uid, plan.uid);
}

function start(...args: string[]) {
  const env = {
    ...process.env,
    HOME: plan.folder,
    TMPDIR: plan.folder,
    NODE_EXTRA_CA_CERTS: join(plan.folder, "authority.pem"),
  };
  return Bun.spawn([...plan.command, ...args], { cwd: plan.folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

async function run(...args: string[]) {
  const running = start(...args);
  const [out, err] = await Promise.all([
    new Response(running.stdout).text(),
    new Response(running.stderr).text(),
  ]);
  return { code: await running.exited, err, out };
}

const rows = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const scan = await run("scan", "example-bank.com", "--limit", "2200", "--json");
const threats: Seen["threats"] = {};
for (const { id, domain } of rows((await run("threats", "list", "--json")).out))
  threats[domain] = JSON.parse((await run("threats", "show", id, "--json")).out);
const server = start("serve");
let log = "";
void (async () => {
  for await (const piece of server.stderr) log += new TextDecoder().decode(piece);
})();
const isReady = async () => (await fetch("http://127.0.0.1:8080/readyz").catch(() => undefined))?.ok === true;
await until(isReady, "the server is ready");
const screenshots: Seen["screenshots"] = {};
for (const [domain, { screenshot_url: url }] of Object.entries(threats)) {
  const response = await fetch(url);
  const body = await response.bytes();
  screenshots[domain] = {
    status: response.status,
    type: response.headers.get("content-type") ?? "",
    bytes: body.length,
    text:
      response.headers.get("content-type")?.includes("svg") === true ? new TextDecoder().decode(body) : "",
  };
}
await until(() => receiver.received.some(({ body }) => body.includes("scan.completed")), "the events come");
const again = await run("scan", "example-bank.com", "--limit", "2200", "--json");
await until(
  () => receiver.received.filter(({ body }) => body.includes("scan.completed")).length === 2,
  "the second scan's events come",
);
server.kill();
await server.exited;
const seen: Seen = {
  scan: { code: scan.code, err: scan.err, found: rows(scan.out) },
  again: { code: again.code, found: rows(again.out) },
  threats,
  events: receiver.received.map(({ body }) => JSON.parse(body)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  screenshots,
  log,
};
process.stdout.write(JSON.stringify(seen));
process.exit(0);
