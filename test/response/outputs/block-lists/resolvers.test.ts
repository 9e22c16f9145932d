import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { encode, RECURSION_DESIRED } from "dns-packet";
import type { List } from "../../../../src/response/outputs/block-lists/list.ts";
import type { BlockListFormat } from "../../../../src/platform/vocabulary/lists.ts";
import { openApi, type Api } from "../../../support/api.ts";
import { temporaryFolder } from "../../../support/appliance.ts";
import { startDnsServer } from "../../../support/dns-server.ts";
import { codeBlocks } from "../../../support/documentation.ts";
import { findSystemProgram } from "../../../support/programs.ts";
import { analyst } from "../../../support/stores.ts";
import { until } from "../../../support/until.ts";

// Debian's resolvers, configured as the manual shows, with lists that they or the test download.

const [unboundZone, unboundFile, bind, dnsmasq] = codeBlocks(["text"])
  .filter(({ file }) => file === "src/manual/block-lists.md")
  .map(({ code }) => code);
const folder = temporaryFolder();
const inFolder = (name: string) => join(folder.path, name);
const programs = {
  unbound: findSystemProgram("unbound"),
  dnsmasq: findSystemProgram("dnsmasq"),
  named: findSystemProgram("named"),
};

/** Names by what the resolver responds. `zones` has the threats to one protected domain, `policies` those to the other. */
const names = {
  zones: {
    blocked: [
      "examp1e-bank.com",
      "login.examp1e-bank.com",
      "a.b.examp1e-bank.com",
      "xn--exmple-bank-m8a.com",
      "example-bank.pages.dev",
    ],
    reachable: [
      "example-bank.com",
      "shop.examp1e-bank.com",
      "eu.shop.examp1e-bank.com",
      "pages.dev",
      "other.pages.dev",
      "notexamp1e-bank.com",
      "com",
    ],
  },
  policies: {
    blocked: [
      "examp1e-shop.com",
      "login.examp1e-shop.com",
      "x.y.z.examp1e-shop.com",
      "z.examp1e-shop.com",
      "w.z.examp1e-shop.com",
      "b.examp1e-shop.com",
      "c.b.examp1e-shop.com",
      "xn--exmple-shop-m8a.com",
      "example-shop.pages.dev",
    ],
    reachable: [
      "example-shop.com",
      "a.b.examp1e-shop.com",
      "z.a.b.examp1e-shop.com",
      "pages.dev",
      "other.pages.dev",
      "notexamp1e-shop.com",
    ],
  },
};

let api: Api;
let upstream: Awaited<ReturnType<typeof startDnsServer>>;
const running: Bun.Subprocess[] = [];

beforeAll(async () => {
  upstream = await startDnsServer({ "*.": { A: ["192.0.2.1"], AAAA: ["2001:db8::1"] } });
  api = openApi({ server: { publicUrlIsDefault: true } });
  api.domains.reconcile([
    { domain: "example-bank.com", allow: ["shop.examp1e-bank.com"] },
    { domain: "example-shop.com", allow: ["a.b.examp1e-shop.com"] },
  ]);
  const shop = {
    protectedDomain: "example-shop.com",
    type: "typosquatting" as const,
    similarity: 0.9,
    reasons: [],
  };
  api.sight(
    "examp1e-bank.com",
    "xn--exmple-bank-m8a.com",
    "example-bank.pages.dev",
    "pages.dev",
    "shop.examp1e-bank.com",
    ...[
      "examp1e-shop.com",
      "x.y.z.examp1e-shop.com",
      "xn--exmple-shop-m8a.com",
      "example-shop.pages.dev",
    ].map((domain) => ({ domain, match: shop })),
  );
  api.server.listen();
  const filter = { minSeverity: "low", verifiedOnly: false } as const;
  api.lists.add({ name: "zones", ...filter, protectedDomains: ["example-bank.com"] }, { by: analyst });
  api.lists.add({ name: "policies", ...filter, protectedDomains: ["example-shop.com"] }, { by: analyst });
  api.lists.add({ name: "empty" }, { by: analyst });
});
afterAll(async () => {
  for (const process of running) process.kill("SIGKILL");
  await Promise.all(running.map(({ exited }) => exited));
  await api.server.stop(0);
  upstream.stop();
  api.dispose();
  folder.dispose();
});

const urlOf = ({ name, token }: List, format: BlockListFormat) =>
  `http://127.0.0.1:${api.server.port}/lists/${token}/${name}.${format}`;

/** Downloads a list into the folder. Returns the path. */
async function download(name: string, format: BlockListFormat): Promise<string> {
  const response = await fetch(urlOf(api.lists.get(name), format));
  const path = inFolder(`${name}.${format}`);
  await Bun.write(path, response);
  return path;
}

/**
 * Returns a port that is free for UDP and TCP. It is below those that the system gives to connections of other tests,
 * so that none of them takes it before the program does.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    try {
      const socket = await Bun.udpSocket({ hostname: "127.0.0.1", port });
      socket.close();
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // It is in use.
    }
  }
}

/** Starts a program in the folder and waits until it resolves a name. */
async function start(command: string[], port: number): Promise<void> {
  const output = Bun.file(inFolder("output"));
  const process = Bun.spawn(command, { cwd: folder.path, stdio: ["ignore", output, output] });
  running.push(process);
  const isUp = async () => {
    if (process.exitCode !== null) throw new Error(`${command.join(" ")}: ${await output.text()}`);
    return (await ask(port, "up.example.net")) === "NOERROR";
  };
  await until(isUp, `${command[0]} resolves names`);
}

/** Sends one query. Resolves with the response code; undefined: no response. */
async function ask(
  port: number,
  name: string,
  type: "A" | "AAAA" | "TXT" = "A",
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = await Bun.udpSocket({
    hostname: "127.0.0.1",
    connect: { hostname: "127.0.0.1", port },
    socket: {
      data: (_socket, data) => resolve(responseCodes[data[3]! & 15]),
      error: () => resolve(undefined),
    },
  });
  const query = encode({
    type: "query",
    id: 1,
    flags: RECURSION_DESIRED,
    questions: [{ type, name, class: "IN" }],
  });
  socket.send(query);
  const timer = setTimeout(() => resolve(undefined), responseTimeoutMs);
  const code = await promise;
  clearTimeout(timer);
  socket.close();
  return code;
}
const responseTimeoutMs = 500;
const responseCodes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN"];

/** Asks again until there is a response: on a busy machine, one may take longer than a client waits. */
async function answer(port: number, name: string, type?: "A" | "AAAA" | "TXT"): Promise<string> {
  let code: string | undefined;
  await until(async () => (code = await ask(port, name, type)) !== undefined, `a response for ${name}`);
  return code!;
}

/** A resolver may load its lists after it has begun to respond. */
async function untilLoaded(port: number, blocked: readonly string[]): Promise<void> {
  await until(async () => (await ask(port, blocked[0]!)) === "NXDOMAIN", "the list is loaded");
}

async function expectBlocked(port: number, { blocked, reachable }: (typeof names)["zones"]): Promise<void> {
  await untilLoaded(port, blocked);
  const found = await Promise.all(
    [...blocked, ...reachable].map(async (name) => [
      name,
      await answer(port, name),
      await answer(port, name, "AAAA"),
    ]),
  );
  expect(found).toEqual([
    ...blocked.map((name) => [name, "NXDOMAIN", "NXDOMAIN"]),
    ...reachable.map((name) => [name, "NOERROR", "NOERROR"]),
  ]);
  expect(await answer(port, blocked[0]!, "TXT")).toBe("NXDOMAIN");
}

describe.skipIf(programs.unbound === undefined)("Unbound", () => {
  test("blocks the names of both formats, keeps allowed names reachable, and fetches a zone itself", async () => {
    const port = await freePort();
    const zone = unboundZone!
      .replace(/https:\S*block\.rpz/, urlOf(api.lists.get("policies"), "rpz"))
      .replace("/var/lib/unbound", folder.path);
    const include = (path: string) => unboundFile!.replace("/etc/unbound/phishwatch.conf", path);
    const configuration = `server:
  interface: 127.0.0.1@${port}
  do-daemonize: no
  username: ""
  chroot: ""
  directory: "${folder.path}"
  pidfile: ""
  use-syslog: no
  do-not-query-localhost: no
${zone}
${include(await download("zones", "unbound"))}
${include(await download("empty", "unbound"))}
rpz:
  name: "empty.rpz"
  zonefile: "${await download("empty", "rpz")}"
forward-zone:
  name: "."
  forward-addr: 127.0.0.1@${upstream.server.port}
`;
    await Bun.write(inFolder("unbound.conf"), configuration);
    await start([...programs.unbound!, "-c", inFolder("unbound.conf")], port);
    await expectBlocked(port, names.zones);
    await expectBlocked(port, names.policies);
  });
});

describe.skipIf(programs.dnsmasq === undefined)("dnsmasq", () => {
  test("blocks the names of a list and keeps allowed names reachable", async () => {
    const port = await freePort();
    const lists = await Promise.all(["zones", "empty"].map((name) => download(name, "dnsmasq")));
    const included = lists.map((path) => dnsmasq!.replace("/etc/dnsmasq.d/phishwatch.conf", path)).join("");
    const options = `port=${port}\nlisten-address=127.0.0.1\nbind-interfaces\nno-resolv\nno-hosts\nserver=127.0.0.1#${upstream.server.port}\n`;
    await Bun.write(inFolder("dnsmasq.conf"), `${options}${included}`);
    const command = [...programs.dnsmasq!, "--keep-in-foreground", `--conf-file=${inFolder("dnsmasq.conf")}`];
    await start([...command, "--user=", `--pid-file=${inFolder("dnsmasq.pid")}`], port);
    await expectBlocked(port, names.zones);
  });
});

describe.skipIf(programs.named === undefined)("BIND", () => {
  test("blocks the names of a zone and keeps allowed names reachable", async () => {
    const port = await freePort();
    const [zone, empty] = await Promise.all(["policies", "empty"].map((name) => download(name, "rpz")));
    const options = `options {
    directory "${folder.path}"; pid-file none; session-keyfile none;
    listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
    dnssec-validation no; forward only; forwarders { 127.0.0.1 port ${upstream.server.port}; };`;
    const configuration = bind!
      .replace("options {", options)
      .replace('zone "phishwatch.rpz";', 'zone "phishwatch.rpz"; zone "empty.rpz";')
      .replace("/var/cache/bind/phishwatch.rpz", zone!);
    const others = `zone "empty.rpz" { type primary; file "${empty}"; };\ncontrols { };\n`;
    await Bun.write(inFolder("named.conf"), `${configuration}${others}`);
    await start([...programs.named!, "-f", "-c", inFolder("named.conf")], port);
    await expectBlocked(port, names.policies);
  });
});
