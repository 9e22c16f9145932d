/**
 * Runs the main job of an appliance without a network, and counts the packets that it tried to send. Must run within
 * `ownNetwork` with mounts of its own. Prints what it saw as JSON. Argument: `AirGapPlan` as JSON.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startReceiver } from "./receiver.ts";
import { until } from "./until.ts";

export interface AirGapPlan {
  folder: string;
  /** Command that starts phishwatch. */
  command: string[];
  key: string;
  password: string;
  /** Configuration without the webhook endpoint, whose port is not known before. */
  config: string;
}

const { folder, command, key, password, config } = JSON.parse(process.argv[2]!) as AirGapPlan;

/** Packets and connections that were attempted, but not within the machine. */
const attempts = () => ({ ...withoutRoute(), sent: sentBy("gap0") });

/** The system counts each `connect` and `sendto` for which it finds no route. */
function withoutRoute() {
  const rows = readFileSync("/proc/net/snmp", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("Ip:"))
    .map((line) => line.split(" "));
  const ipv4 = Number(rows[1]![rows[0]!.indexOf("OutNoRoutes")]);
  const ipv6 = Number(/^Ip6OutNoRoutes\s+(\d+)$/m.exec(readFileSync("/proc/net/snmp6", "utf8"))?.[1] ?? NaN);
  return { ipv4, ipv6 };
}

function sentBy(device: string): number {
  const line = readFileSync("/proc/net/dev", "utf8")
    .split("\n")
    .find((one) => one.trim().startsWith(`${device}:`));
  return line === undefined ? 0 : Number(line.split(":")[1]!.trim().split(/\s+/)[9]);
}

function run(...parts: string[]): void {
  if (Bun.spawnSync(parts).exitCode !== 0) throw new Error(parts.join(" "));
}

async function phishwatch(...args: string[]) {
  const child = Bun.spawn([...command, ...args], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

run("ip", "link", "set", "lo", "up");
// The resolver of the system is elsewhere, so a lookup cannot stay within the machine.
writeFileSync(join(folder, "resolv.conf"), "nameserver 192.0.2.53\noptions timeout:1 attempts:1\n");
run("mount", "--bind", join(folder, "resolv.conf"), "/etc/resolv.conf");

const receiver = startReceiver();
const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const endpoint = `[[webhooks.endpoints]]\nname = "soc"\nurl = "${receiver.url}"\nsecret = "${secret}"\n`;
writeFileSync(join(folder, "phishwatch.toml"), `${config}\n${endpoint}`);

const child = Bun.spawn([...command, "serve"], { cwd: folder, stdout: "pipe", stderr: "pipe" });
let out = "";
void (async () => {
  for await (const piece of child.stdout) out += new TextDecoder().decode(piece);
})();
const logged = new Response(child.stderr).text();
await until(() => /ready on \S+\n/.test(out) || child.exitCode !== null, "serve is ready");
const url = /ready on (\S+)\n/.exec(out)?.[1] ?? (await logged);
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

async function signedIn(): Promise<string> {
  const form = await fetch(`${url}/console/sign-in`);
  const cookies = (response: Response) => response.headers.getSetCookie().map((text) => text.split(";")[0]!);
  const token = /name="form_token" value="([^"]+)"/.exec(await form.text())![1]!;
  const response = await fetch(`${url}/console/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: {
      cookie: cookies(form).join("; "),
      origin: url,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ form_token: token, password }).toString(),
  });
  return [...cookies(form), ...cookies(response)].join("; ");
}

let cookie: string | undefined;

/** Imports a list, waits for the webhooks, triages the first threat, and opens its page in the console. */
async function mainJob(names: string[], delivered = receiver.received.length + 1) {
  writeFileSync(join(folder, "names.txt"), `${names.join("\n")}\n`);
  const imported = await phishwatch("import", "names.txt");
  await until(() => receiver.received.length >= delivered, "the webhooks arrive");
  const { data } = (await (await fetch(`${url}/v1/threats?status=active`, { headers })).json()) as {
    data: { id: string; domain: string }[];
  };
  const { id } = data[0]!;
  const body = JSON.stringify({ status: "resolved" });
  const triaged = await fetch(`${url}/v1/threats/${id}`, { method: "PATCH", headers, body });
  cookie ??= await signedIn();
  const page = await fetch(`${url}/console/threats/${id}`, { headers: { cookie } });
  return {
    imported: imported.code,
    threats: data.map(({ domain }) => domain).sort(),
    triaged: triaged.status,
    page: page.status,
    check: (await phishwatch("check", "--offline")).code,
    ready: (await fetch(`${url}/readyz`)).status,
  };
}

const resolverBefore = config.replace("[scan]", '[scan]\nresolvers = ["192.0.2.53"]');
writeFileSync(join(folder, "resolvers.toml"), resolverBefore);
const isolated = {
  ...(await mainJob(["example-bank-login.com", "secure-example-bank.net"], 2)),
  search: (await phishwatch("search", "bank")).code,
  backup: (await phishwatch("backup")).code,
};
const isolatedAttempts = attempts();
// A check that asks resolvers must be counted.
await phishwatch("check", "--config", "resolvers.toml");
const isolatedControl = attempts();

// With a default route, attempts become packets. The devices send none on their own without IPv6.
run("ip", "link", "add", "gap0", "type", "veth", "peer", "name", "gap1");
for (const device of ["gap0", "gap1"]) writeFileSync(`/proc/sys/net/ipv6/conf/${device}/disable_ipv6`, "1");
run("ip", "link", "set", "gap1", "up");
run("ip", "address", "add", "198.51.100.2/24", "dev", "gap0");
run("ip", "link", "set", "gap0", "up");
run("ip", "route", "add", "default", "dev", "gap0");
const routedStart = sentBy("gap0");
const routed = await mainJob(["example-bank-support.com"]);
const routedPackets = sentBy("gap0") - routedStart;
// Nobody responds, so it does not wait for the end.
const asking = Bun.spawn([...command, "check", "--config", "resolvers.toml"], {
  cwd: folder,
  stdout: "ignore",
});
await until(() => sentBy("gap0") > routedStart + routedPackets, "a packet is counted");
asking.kill("SIGKILL");
await asking.exited;
const routedControl = sentBy("gap0") - routedStart;

child.kill("SIGTERM");
const code = await child.exited;
await receiver.stop();
const warnings = (await logged).split("\n").filter((line) => /"level":"(error|fatal)"/.test(line));
const seen = {
  isolated,
  isolatedAttempts,
  isolatedControl,
  routed,
  routedPackets,
  routedControl,
  code,
  warnings,
};
console.log(JSON.stringify(seen));
