import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { parseRange, rootOf } from "../../src/engines/certificate-transparency/trees/compact-range.ts";
import { commandFolder, defaultConfig, type CommandFolder } from "../support/command-line.ts";
import { createLogSigner, type EntryOptions } from "../support/log-entries.ts";
import { startLogServer, type LogServer, type TestLog } from "../support/log-server.ts";
import { randomFrom, seed } from "../support/random.ts";
import { until } from "../support/until.ts";

/** A log list of which nothing is followed, so that no test reads a public log. */
function retiredList(): string {
  const { logId: log_id, key } = createLogSigner();
  const state = { retired: { timestamp: "2026-01-01T00:00:00Z" } };
  const logs = [{ description: "Retired", log_id, key, url: "https://retired.invalid/", state }];
  return JSON.stringify({ log_list_timestamp: "2026-01-01T00:00:00Z", operators: [{ name: "None", logs }] });
}
const serial = (index: number) => `01${index.toString(16).padStart(8, "0")}`;

let server: LogServer;
let folder: CommandFolder;
beforeEach(() => {
  server = startLogServer();
});
afterEach(async () => {
  folder.dispose();
  await server.stop();
});

/** Creates a configuration that follows these logs from their beginning. */
function configure(logs: readonly TestLog[], settings = ""): void {
  const declared = logs.map(
    ({ log }) =>
      `[[certificate_logs.extra_logs]]\nname = "${log.description}"\nkey = "${log.key}"\nurl = "${log.url}"\nprotocol = "${log.protocol}"\n`,
  );
  const section = `[certificate_logs]\nenabled = true\nlog_list = "logs.json"\nfirst_start = "beginning"\n${settings}\n`;
  folder = commandFolder(`${defaultConfig}\n${section}${declared.join("")}`);
  folder.file("logs.json", retiredList());
}

function query<Row>(text: string): Row[] {
  const database = new Database(join(folder.path, "data/test.db"), { readonly: true });
  try {
    return database.query<Row, []>(text).all();
  } finally {
    database.close();
  }
}

interface LogRow {
  description: string;
  position: number;
  entries: number;
  names: number;
  verified_range: Uint8Array;
}

const rows = () => query<LogRow>("select * from certificate_logs order by description");

test("However often the server is killed, every entry is processed once, and every look-alike recorded once", async () => {
  const random = randomFrom(seed);
  const planted = new Map(
    [5, 700, 1_023, 1_024, 2_047, 2_999].map((index) => [index, `example-bank-${index}.com`]),
  );
  const entryAt = (index: number): EntryOptions => ({
    names: [planted.get(index) ?? `host${index}.example.org`],
    serial: serial(index),
    kind: "precertificate",
  });
  const logs = [
    server.add({ name: "tiles", protocol: "static", entryAt }),
    server.add({ name: "classic", protocol: "rfc6962", entryAt, batch: 50 }),
  ];
  for (const log of logs) log.grow(1_000);
  configure(logs);
  const sizes = [1_300, 2_100, 3_000];
  for (let kill = 0; kill < 4; kill++) {
    const size = sizes[kill - 1];
    for (const log of logs) if (size !== undefined && size > log.size()) log.grow(size - log.size());
    const before = server.requests.length;
    const running = await folder.serve();
    const requests = 1 + random(25);
    await until(
      () =>
        server.requests.length >= before + requests ||
        rows().every(({ position }) => position >= logs[0]!.size() - 200),
      `${requests} requests (TEST_SEED=${seed})`,
    );
    await running.stop("SIGKILL");
  }
  // All tiles are full, so that nothing waits for the incomplete one.
  for (const log of logs) log.grow(3_072 - log.size());
  const last = await folder.serve();
  await until(
    () => rows().length === 2 && rows().every(({ position }) => position === 3_072),
    `everything is read (TEST_SEED=${seed}): ${JSON.stringify(rows())} ${last.err()}`,
  );
  const status = await folder.run(["certificate-logs", "status", "--json"]);
  const metrics = await (await fetch(`${last.url}/metrics`)).text();
  await last.stop();
  for (const log of ["classic", "tiles"]) {
    expect(metrics).toContain(
      `phishwatch_certificate_log_entries_total{log="${log}",operator="${log}"} 3072`,
    );
    expect(metrics).toContain(`phishwatch_certificate_log_lag_entries{log="${log}",operator="${log}"} 0`);
  }

  for (const [index, row] of rows().entries()) {
    expect(row).toMatchObject({ entries: 3_072, names: 3_072 });
    const log = [...logs].sort((a, b) => a.log.description.localeCompare(b.log.description))[index]!;
    expect(Buffer.from(rootOf(parseRange(row.verified_range)!)).toString("hex")).toBe(
      Buffer.from(log.rootAt(3_072)).toString("hex"),
    );
  }
  const names = [...planted.values()].sort();
  const recorded = query<{ domain: string; source: string }>(
    "select domain, source from threats order by domain",
  );
  expect(recorded).toEqual(names.map((domain) => ({ domain, source: "certificate_transparency" })));
  const events = query<{ body: string }>("select body from events where type = 'threat.created'");
  expect(events).toHaveLength(names.length);
  const certificates = query<{ total: number }>("select count(*) as total from threat_certificates");
  expect(certificates).toEqual([{ total: names.length }]);
  expect(
    status.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { description: "classic", state: "following", position: 3_072, lag_entries: 0, entries: 3_072 },
    { description: "tiles", state: "following", position: 3_072, lag_entries: 0, entries: 3_072 },
  ]);
}, 60_000);

test("tail prints each name once as it arrives, says which log cannot be read, and ends when it is interrupted", async () => {
  const entryAt = (index: number): EntryOptions => ({
    names: [`host${index}.example.org`, "WWW.Example.org"],
    serial: serial(index),
  });
  const log = server.add({ name: "classic", protocol: "rfc6962", entryAt });
  const missing = server.add({ name: "missing", protocol: "static", entryAt });
  log.grow(3);
  server.fail("/missing/", () => new Response("gone", { status: 410 }));
  configure([log, missing]);
  const running = folder.start(["certificate-logs", "tail"]);
  const names = await firstLines(running.stdout, 4);
  expect(names).toEqual(["host0.example.org", "www.example.org", "host1.example.org", "host2.example.org"]);
  const errors = firstLines(running.stderr, 1);
  expect(await errors).toEqual([expect.stringMatching(/^phishwatch: missing: .*410/)]);
  running.kill("SIGTERM");
  expect(await running.exited).toBe(0);

  const unknown = await folder.run(["certificate-logs", "tail", "--operator", "Nope"]);
  expect(unknown).toMatchObject({
    code: 1,
    err: expect.stringContaining("there are logs of classic, missing"),
  });

  const detailed = folder.start(["certificate-logs", "tail", "--json", "--operator", "classic"]);
  const lines = (await firstLines(detailed.stdout, 6)).map((line) => JSON.parse(line) as object);
  detailed.kill("SIGTERM");
  await detailed.exited;
  expect(lines[5]).toMatchObject({ name: "www.example.org", log: "classic", index: 2, serial: serial(2) });
}, 60_000);

/** Returns the first lines of a stream, without waiting for more. */
async function firstLines(stream: ReadableStream<Uint8Array>, count: number): Promise<string[]> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true });
    if (text.split("\n").length > count) break;
  }
  return text.split("\n").slice(0, count);
}

test("check reports the logs, their cost, and that a contact is missing; list and status work beside it", async () => {
  const entryAt = (index: number): EntryOptions => ({ names: [`host${index}.example.org`] });
  configure([server.add({ name: "classic", protocol: "rfc6962", entryAt })]);
  const check = await folder.run(["check", "--json"]);
  const line = check.out.split("\n").find((text) => text.includes("certificate logs")) ?? "";
  expect(JSON.parse(line)).toMatchObject({ what: "certificate logs", state: "warning" });
  expect(line).toContain("1 log of 1 operator");
  expect(line).toContain("bandwidth: about 1.8 Mbit/s");
  expect(line).toContain("set certificate_logs.contact");

  const list = await folder.run(["certificate-logs", "list"]);
  expect(list.out).toContain("followed: declared in the configuration");
  const status = await folder.run(["certificate-logs", "status", "--json"]);
  expect(JSON.parse(status.out)).toMatchObject({ description: "classic", state: "waiting", position: null });
});

test("list shows the decision about each log of the built-in list, and, as status does, says so when nothing is followed", async () => {
  folder = commandFolder(`${defaultConfig}\n[certificate_logs]\nenabled = true\noperators = ["Geomys"]\n`);
  const { out, code } = await folder.run(["certificate-logs", "list", "--json"]);
  expect(code).toBe(0);
  const listed = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { operator: string; decision: string });
  expect(listed.length).toBeGreaterThan(40);
  expect(
    listed.filter(({ operator }) => operator !== "Geomys").some(({ decision }) => decision === "followed"),
  ).toBeFalse();
  folder.dispose();

  folder = commandFolder(defaultConfig);
  const unread = await folder.run(["certificate-logs", "list", "--json"]);
  expect(unread).toMatchObject({ code: 0, err: expect.stringContaining("this is what would be followed") });
  const decisions = unread.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(decisions.some(({ decision }) => decision === "followed")).toBeTrue();
  expect(decisions.some(({ is_followed: isFollowed }) => isFollowed)).toBeFalse();
  const off = await folder.run(["certificate-logs", "status"]);
  expect(off).toMatchObject({ code: 1, err: expect.stringContaining("set certificate_logs.enabled = true") });
});

test("status shows why a log cannot be read, and that it can be read again, in a process that assumes little memory", async () => {
  const entryAt = (index: number): EntryOptions => ({ names: [`host${index}.example.org`] });
  const log = server.add({ name: "classic", protocol: "rfc6962", entryAt });
  log.grow(5);
  const repair = server.fail("get-sth", () => new Response("gone", { status: 410 }));
  configure([log]);
  const running = await folder.serve();
  const environment = readFileSync(`/proc/${running.process.pid}/environ`, "utf8").split("\0");
  // The process replaces itself, so it keeps its number and its arguments.
  expect(environment).toContain("BUN_JSC_forceRAMSize=134217728");
  const status = async () => {
    const { out } = await folder.run(["certificate-logs", "status", "--json"]);
    return JSON.parse(out) as { state: string; error: string | null; position: number | null };
  };
  await until(async () => (await status()).state === "failing", "the failure is shown");
  expect(await status()).toMatchObject({ position: null, error: expect.stringContaining("410") });
  repair();
  await until(async () => (await status()).position === 5, "the log is read");
  expect((await status()).state).toBe("following");
  await running.stop();
}, 60_000);
