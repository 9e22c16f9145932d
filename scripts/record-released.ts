import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database as Sqlite } from "bun:sqlite";
import { startDnsServer, type Zones } from "../test/support/dns-server.ts";
import type { CertificateLog } from "../src/engines/certificate-transparency/log.ts";
import { createLogSigner } from "../test/support/log-entries.ts";
import { startLogServer } from "../test/support/log-server.ts";
import { startReceiver } from "../test/support/receiver.ts";
import { until } from "../test/support/until.ts";
import { createVisitor, type Visitor } from "../test/support/visitor.ts";

/*
 * Makes a database with the executable of a released version, through its own commands, API, console and sandbox, so
 * that its content is what that version writes. Commands that the version does not have are left out.
 * Usage: scripts/bun scripts/record-released.ts EXECUTABLE (see scripts/record-released)
 */

const target = join(import.meta.dir, "../test/platform/database/released");
const consolePassword = "a password for tests";
const apiKey = "pw-key-of-the-recorded-version";
const protectedDomains = ["example-bank.com", "example-shop.com", "samplix.org"];
/** Fixed, so that the content is the same each time except for identifiers and times of the second part. */
const sandboxTime = "2026-11-20T12:00:00Z";
const listenerPort = 18_471;

const executable = process.argv[2];
if (executable === undefined) throw new Error("usage: record-released.ts EXECUTABLE");
const folder = mkdtempSync(join(tmpdir(), "phishwatch-record-"));

interface SandboxInfo {
  url: string;
  control_url: string;
  console_password: string;
}

try {
  const version = (await run(["--version"])).split(/[\s,]+/).find((word) => /^\d+\.\d+\.\d+/.test(word))!;
  const database = await recordDatabase();
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, `${version}.db.zst`), Bun.zstdCompressSync(database.bytes, { level: 19 }));
  const configuration = await Bun.file(join(folder, "phishwatch.toml")).text();
  const recorded = { version, apiKey, configuration, responses: database.responses };
  writeFileSync(join(target, `${version}.json`), `${JSON.stringify(recorded, null, 1)}\n`);
  process.stdout.write(`recorded ${version}: ${describeRows(database.bytes)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a command of the recorded version in the folder. @returns its output */
async function run(args: string[]): Promise<string> {
  const child = Bun.spawn([executable!, ...args], {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${err}`);
  return out;
}

async function hasCommand(name: string): Promise<boolean> {
  return new RegExp(`^ {2}${name}\\b`, "m").test(await run(["--help"]));
}

async function recordDatabase(): Promise<{ bytes: Uint8Array; responses: unknown[] }> {
  writeFileSync(join(folder, "sandbox.db"), await recordSandbox());
  const found = ["examp1e-bank.com", "example-bnak.com", "exampie-bank.com", "example-bank.net"];
  const zones: Zones = Object.fromEntries(
    found.map((name, index) => [
      name,
      { A: [`192.0.2.${index + 1}`], MX: [[10, `mail.${name}`]], NS: [`ns1.${name}`] },
    ]),
  );
  const dns = await startDnsServer(zones);
  const logs = startLogServer();
  const receiver = startReceiver(({ path }) => (path === "/broken" ? 500 : 200));
  try {
    const log = logs.add({
      name: "Recorded",
      protocol: "static",
      entryAt: (index) => ({
        names: [`example-bank-${index}.com`],
        serial: `01${index.toString(16).padStart(8, "0")}`,
      }),
    });
    log.grow(40);
    const servers = { resolver: `127.0.0.1:${dns.server.port}`, log: log.log };
    await writeConfiguration({ ...servers, retries: ["50ms"], looksUp: true });
    await run(["restore", "sandbox.db"]);
    await fill(`http://127.0.0.1:${receiver.port}`);
    await writeConfiguration({ ...servers, retries: ["1h", "2h"], looksUp: false });
    await leaveWorkPending();
    await run(["backup", "recorded.db"]);
    // The responses are those of the backup, but the server that gives them changes its own database.
    const responses = await withServer(recordResponses);
    return { bytes: await Bun.file(join(folder, "recorded.db")).bytes(), responses };
  } finally {
    dns.stop();
    await logs.stop();
    await receiver.stop();
  }
}

/** Uses every command and page that stores something. */
async function fill(receiver: string): Promise<void> {
  const isSecond = await hasCommand("channels");
  const down = "http://127.0.0.1:9/down";
  for (const [name, url] of [
    ["soc", `${receiver}/soc`],
    ["broken", `${receiver}/broken`],
    ["down", down],
  ] as const)
    await run(["webhooks", "add", url, "--name", name]);
  await run(["webhooks", "rotate", "soc"]);
  await run(["keys", "create", "--name", "revoked"]);
  const keys = lines<{ id: string; name: string }>(await run(["keys", "list", "--json"]));
  await run(["keys", "revoke", keys.find(({ name }) => name === "revoked")!.id]);
  await run(["beacons", "create", "example-bank.com", "--name", "sign-in", "--memo", "page of the bank"]);
  await run(["tokens", "create", "url", "--name", "wiki"]);
  await run(["tokens", "rotate", "wiki"]);
  await run(["scan", "example-bank.com", "--limit", "400"]);
  await run(["domains", "add", "example-mail.com"]);
  if (isSecond) await fillSecond(receiver);
  await withServer(async (url) => {
    writeFileSync(join(folder, "feed/names.txt"), "example-bank-feed.com\nsomething-else.org\n");
    await submit(url, ["secure-example-bank.com", "example-bank.com.login.example"]);
    await useConsole(url, isSecond);
    await until(async () => (await deliveries("broken", "failed")) > 0, "a delivery failed");
    await until(async () => (await deliveries("soc", "succeeded")) > 0, "a delivery succeeded");
    const isRead = async () => (await listThreats()).some(({ domain }) => domain === "example-bank-feed.com");
    await until(isRead, "the feed was read");
  });
}

/** Uses what version 0.2.0 added. */
async function fillSecond(receiver: string): Promise<void> {
  await run(["channels", "add", "phone", "--type", "ntfy", "--url", receiver, "--topic", "recorded"]);
  await run(["subscriptions", "add", "urgent", "--channel", "phone"]);
  await run(["subscriptions", "add", "daily", "--channel", "phone", "--digest", "daily", "--at", "08:00"]);
  await run(["lists", "add", "block", "--min-severity", "low", "--verified", "no"]);
}

async function useConsole(url: string, isSecond: boolean): Promise<void> {
  const visitor = createVisitor(url);
  await createVisitor(url).post("/console/sign-in", { password: "not the password" });
  await visitor.post("/console/sign-in", { password: consolePassword });
  const [first, second, third] = await listThreats();
  await run(["threats", "notes", first!.id, "Reported to the registrar."]);
  await run(["threats", "false-positive", second!.id]);
  await run(["threats", "reactivate", second!.id]);
  await visitor.post(`/console/threats/${first!.id}/status`, { status: "resolved" });
  await visitor.post("/console/threats/triage", { status: "false_positive", id: [second!.id, third!.id] });
  // A lookup of facts: DNS only, because the addresses are reserved.
  const found = (await listThreats()).find(({ domain }) => domain === "examp1e-bank.com")!;
  await visitor.post(`/console/threats/${found.id}/look`);
  await until(() => countRows("enrichments") > 0, "facts were stored");
  await visitor.post("/console/imports/names", { names: "my-example-bank.com\nexample-bank.org\n" });
  await until(
    async () => (await visitor.get("/console/imports/running")).status !== 200,
    "the import ended",
  ).catch(() => undefined);
  if (isSecond) {
    await visitor.post("/console/threats/views/new", { name: "High", query: "severity=high" });
    await visitor.post("/console/sources/feed/nrd/pause", { from: "list" });
    await visitor.post("/console/sources/feed/nrd/resume", { from: "list" });
    await visitor.post("/console/sources/certificate-logs/pause", { from: "list" });
  }
}

/** Leaves deliveries that wait for their next attempt, and events of a command that no server has seen. */
async function leaveWorkPending(): Promise<void> {
  await withServer(async (url) => {
    await submit(url, ["example-bank-pending.com", "pending-example-shop.com"]);
    await until(
      async () => (await deliveries("down", "pending")) > 0,
      "deliveries wait for their next attempt",
    );
  });
  writeFileSync(join(folder, "later.txt"), "example-bank-later.com\nlater-samplix.org\n");
  await run(["import", "later.txt"]);
}

async function recordResponses(url: string): Promise<unknown[]> {
  const paths = ["/v1/threats?per_page=20", "/v1/threats?per_page=20&page=5"];
  for (const status of ["active", "resolved", "false_positive"])
    paths.push(`/v1/threats?status=${status}&per_page=5`);
  for (const domain of protectedDomains) paths.push(`/v1/threats?protected_domain=${domain}&per_page=5`);
  for (const severity of ["high", "medium", "low"]) paths.push(`/v1/threats?severity=${severity}&per_page=5`);
  for (const { id } of (await listThreats()).slice(0, 5))
    paths.push(`/v1/threats/${id}`, `/v1/threats/${id}/facts`);
  paths.push("/v1/threats/thr_00000000000000000000000000", "/v1/threats?status=unknown");
  const responses = [];
  for (const path of paths) {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
    // A path that the version does not have.
    if (response.status === 404 && path.endsWith("/facts")) continue;
    responses.push({ path, status: response.status, body: (await response.json()) as unknown });
  }
  return responses;
}

async function withServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const url = `http://127.0.0.1:${listenerPort}`;
  const child = Bun.spawn([executable!, "serve"], { cwd: folder, stdout: "ignore", stderr: "pipe" });
  const log = new Response(child.stderr).text();
  try {
    await until(
      async () =>
        child.exitCode !== null ||
        (await fetch(`${url}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        )),
      "the server responds",
    );
    return await work(url);
  } catch (error) {
    child.kill();
    throw new Error(`with the log ${(await log).slice(-2_000)}`, { cause: error });
  } finally {
    child.kill();
    await child.exited;
  }
}

async function submit(url: string, domains: string[]): Promise<void> {
  const response = await fetch(`${url}/v1/candidates`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ domains }),
  });
  if (!response.ok) throw new Error(`candidates: ${response.status} ${await response.text()}`);
}

async function deliveries(endpoint: string, status: string): Promise<number> {
  const out = await run(["webhooks", "deliveries", "--json", "--endpoint", endpoint, "--status", status]);
  return lines(out).length;
}

async function listThreats() {
  return lines<{ id: string; domain: string }>(await run(["threats", "list", "--json"]));
}

function countRows(table: string): number {
  const sqlite = new Sqlite(join(folder, "recorded/phishwatch.db"), { readonly: true });
  try {
    return sqlite.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()!.count;
  } finally {
    sqlite.close();
  }
}

function lines<T = unknown>(text: string): T[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

function describeRows(bytes: Uint8Array): string {
  const sqlite = Sqlite.deserialize(bytes);
  const tables = sqlite
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all();
  return tables
    .map(
      ({ name }) =>
        `${name} ${sqlite.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${name}"`).get()!.n}`,
    )
    .join(", ");
}

/** @returns a database with three months of history, as far as the sandbox of the version has it */
async function recordSandbox(): Promise<Uint8Array> {
  const child = Bun.spawn([executable!, "sandbox", "--time", sandboxTime, "--exit-with-parent"], {
    stdout: "pipe",
    stderr: "ignore",
  });
  try {
    const { value } = await child.stdout.getReader().read();
    const info = JSON.parse(new TextDecoder().decode(value)) as SandboxInfo;
    const control = async (path: string, body: unknown) => {
      const response = await fetch(`${info.control_url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    };
    await control("/webhooks", { inbox: "recorded" });
    await control("/inbox/recorded/failures", { status: 503, times: 1 });
    await control("/threats", { count: 5 });
    await control("/scans", {});
    await control("/beacon-hits", { hostname: "login-example-bank.com" });
    await control("/token-accesses", {});
    await control("/clock", { advance: "2h" });
    const visitor = createVisitor(info.url);
    await visitor.post("/console/sign-in", { password: info.console_password });
    return await download(visitor, info.url);
  } finally {
    child.kill();
    await child.exited;
  }
}

async function download(visitor: Visitor, url: string): Promise<Uint8Array> {
  const response = await fetch(`${url}/console/settings/system/backup`, {
    method: "POST",
    headers: {
      cookie: [...visitor.cookies].map((pair) => pair.join("=")).join("; "),
      origin: url,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ form_token: await visitor.formToken() }),
  });
  if (!response.ok) throw new Error(`backup of the sandbox: ${response.status}`);
  return response.bytes();
}

interface Configuration {
  resolver: string;
  log: CertificateLog;
  retries: string[];
  /** Whether facts are looked up, which changes severities at any time. */
  looksUp: boolean;
}

async function writeConfiguration({ resolver, log, retries, looksUp }: Configuration): Promise<void> {
  const isSecond = await hasCommand("certificate-logs");
  mkdirSync(join(folder, "feed"), { recursive: true });
  writeFileSync(join(folder, "logs.json"), retiredLogList());
  const second = `[lookups]
enabled = false
[certificate_logs]
enabled = true
log_list = "logs.json"
first_start = "beginning"
[[certificate_logs.extra_logs]]
name = "${log.description}"
key = "${log.key}"
url = "${log.url}"
protocol = "${log.protocol}"
`;
  writeFileSync(
    join(folder, "phishwatch.toml"),
    `[server]
listen = "127.0.0.1:${listenerPort}"
[storage]
path = "recorded/phishwatch.db"
[console]
password = "${consolePassword}"
[scan]
schedule = "${looksUp && !isSecond ? "0 0 29 2 *" : ""}"
resolvers = ["${resolver}"]
registration_data = false
screenshots = "off"
[webhooks]
allow_http = true
retry_delays = ${JSON.stringify(retries)}
[retention]
events = "3650d"
deliveries = "3650d"
[[api_keys]]
name = "recorded"
key = "${apiKey}"
plan = "enterprise"
scopes = ["threats:read", "threats:write", "candidates:write"]
[[feeds]]
name = "nrd"
path = "feed"
${isSecond ? second : ""}${protectedDomains.map((domain) => `[[protected_domains]]\ndomain = "${domain}"\n`).join("")}`,
  );
}

/** A log list of which nothing is followed, so that no public log is read. */
function retiredLogList(): string {
  const { logId: log_id, key } = createLogSigner();
  const state = { retired: { timestamp: "2026-01-01T00:00:00Z" } };
  const logs = [{ description: "Retired", log_id, key, url: "https://retired.invalid/", state }];
  return JSON.stringify({ log_list_timestamp: "2026-01-01T00:00:00Z", operators: [{ name: "None", logs }] });
}
