import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandFolder, defaultConfig, type CommandFolder } from "../../../support/command-line.ts";
import { damageThreats } from "../../../support/damaged-threats.ts";
import { damageIndex } from "../../../support/damaged-index.ts";
import { until } from "../../../support/until.ts";

const key = "a-declared-key-0123456789";
const config = `${defaultConfig}
[archive]
enabled = false
[[api_keys]]
name = "ci"
key = "${key}"
scopes = ["candidates:write", "threats:read", "threats:write"]
`;
const headers = { authorization: `Bearer ${key}` };

let folder: CommandFolder;
let path: string;
let running: Awaited<ReturnType<CommandFolder["serve"]>> | undefined;
beforeEach(() => {
  folder = commandFolder(config);
  folder.createDatabase();
  path = join(folder.path, "data/test.db");
});
afterEach(async () => {
  await running?.stop("SIGKILL");
  running = undefined;
  folder.dispose();
});

const start = async () => (running = await folder.serve());
async function stop(): Promise<void> {
  await running!.stop();
  running = undefined;
}
const get = (address: string) => fetch(`${running!.url}${address}`, { headers });
async function submit(body: string) {
  const request = { method: "POST", headers: { ...headers, "content-type": "text/plain" }, body };
  const response = await fetch(`${running!.url}/v1/candidates`, request);
  const { meta } = (await response.json()) as { meta?: { created: number } };
  return { status: response.status, created: meta?.created };
}
const database = async () => {
  const { checks } = (await (await fetch(`${running!.url}/readyz`)).json()) as {
    checks: { database: string };
  };
  return checks.database;
};
const metric = async (name: string) =>
  new RegExp(`^${name} (\\S+)$`, "m").exec(await (await fetch(`${running!.url}/metrics`)).text())?.[1];

const domain = "example-bank-7.com";
const lookAlikes = Array.from({ length: 300 }, (_, index) => `example-bank-${index}.com`).join("\n");

/** Damages the index in which a threat is found by its pair, and returns the id of that threat. */
async function damagePair(): Promise<string> {
  await start();
  expect(await submit(lookAlikes)).toEqual({ status: 200, created: 300 });
  await stop();
  const sqlite = new Sqlite(path, { readonly: true });
  const { id } = sqlite
    .query<{ id: string }, [string]>("SELECT id FROM threats WHERE domain = ?")
    .get(domain)!;
  sqlite.close();
  damageIndex(path, "threats_pair", domain);
  damageIndex(path, "threats_id_unique", id);
  return id;
}

/** Changes what the last server has stored about its file. */
function editState(change: object): void {
  const state = JSON.parse(readFileSync(`${path}.health`, "utf8")) as object;
  writeFileSync(`${path}.health`, JSON.stringify({ ...state, ...change }));
}

const dayMs = 86_400_000;
const ready = () => until(async () => (await database()) === "ok", "the server is ready");

test("Damage in an index is found by the daily check and by `check`, and refuses changes, also after a restart", async () => {
  await damagePair();
  // SQLite's check of the pages finds nothing.
  const sqlite = new Sqlite(path);
  expect(sqlite.query("PRAGMA quick_check").values()).toEqual([["ok"]]);
  sqlite.close();
  const stopped = await folder.run(["check"]);
  expect(stopped.code).toBe(1);
  expect(stopped.out).toMatch(/^error +database: .*test\.db: row \d+ missing from index threats_/m);
  expect(stopped.out).toContain("phishwatch database repair");

  editState({ quickCheck: { at: Date.now() - 2 * dayMs, result: "ok" } });
  await start();
  await until(async () => (await database()).includes("missing from index"), "the damage is found");
  expect(await database()).toContain("'phishwatch database repair'");
  expect(await metric("phishwatch_database_quick_check_ok")).toBe("0");
  expect(await metric("phishwatch_ready")).toBe("0");
  // Recorded as a second threat of this pair otherwise.
  expect((await submit(domain)).status).toBe(500);
  expect((await get("/v1/threats?per_page=100")).status).toBe(200);
  await stop();

  // A restart does not forget it.
  await start();
  expect(await database()).toContain("missing from index");
  expect((await submit(domain)).status).toBe(500);
  const refused = await folder.run(["database", "repair"]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("already serving") });
  await stop();
  const add = await folder.run(["domains", "add", "example.org"]);
  expect(add).toMatchObject({ code: 1, err: expect.stringContaining("is damaged") });
});

test("`database repair` creates damaged indexes again without a loss, keeps the damaged file, and finds nothing more", async () => {
  const id = await damagePair();
  const { code, err } = await folder.run(["database", "repair"]);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("repaired ") });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const keptAs = /is kept as (\S+);/.exec(err)![1]!;
  expect(dirname(keptAs)).toBe(dirname(path));
  expect(statSync(keptAs).nlink).toBe(1);
  const again = await folder.run(["database", "repair"]);
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining("is not damaged") });
  await start();
  await ready();
  expect((await get(`/v1/threats/${id}`)).status).toBe(200);
  expect(await submit(domain)).toEqual({ status: 200, created: 0 });
  const { meta } = (await (await get("/v1/threats")).json()) as { meta: { total: number } };
  expect(meta.total).toBe(300);
});

test("A check continues after a restart where it was, so that it ends however often the server is restarted", async () => {
  await damagePair();
  // The previous server has compared all tables before this one.
  const startedCheck = { at: Date.now(), position: { table: "trap_visits", row: 0 } };
  editState({ quickCheck: null, startedCheck });
  await start();
  await until(async () => (await metric("phishwatch_database_quick_check_ok")) === "1", "the check ends");
  expect(await metric("phishwatch_database_quick_check_timestamp_seconds")).toBe(
    String(startedCheck.at / 1_000),
  );
});

test("The repair changes nothing if a table is damaged, or if rows were recorded twice while the index was damaged", async () => {
  await damagePair();
  const twice = new Sqlite(path);
  twice.run("CREATE TEMP TABLE one AS SELECT * FROM threats WHERE domain = ?", [domain]);
  twice.run("UPDATE one SET seq = (SELECT max(seq) + 1 FROM threats), id = 'thr_other'");
  twice.run("INSERT INTO threats SELECT * FROM one");
  twice.close();
  const before = readFileSync(path);
  const doubled = await folder.run(["database", "repair"]);
  expect(doubled).toMatchObject({ code: 1, err: expect.stringContaining("two rows have the same values") });
  expect(readFileSync(path).equals(before)).toBe(true);
  damageThreats(path);
  const damaged = readFileSync(path);
  const lost = await folder.run(["database", "repair"]);
  expect(lost).toMatchObject({ code: 1, err: expect.stringContaining("has damaged tables") });
  expect(readFileSync(path).equals(damaged)).toBe(true);
});

test("The repair rebuilds an index with a page whose cells overlap and lead nowhere", async () => {
  await damagePair();
  const before = new Sqlite(path);
  const { root, size } = before
    .query<{ root: number; size: number }, []>(
      "SELECT rootpage AS root, page_size AS size FROM sqlite_master, pragma_page_size WHERE name = 'threats_id_unique'",
    )
    .get()!;
  before.close();
  const bytes = readFileSync(path);
  const page = bytes.subarray((root - 1) * size);
  // https://www.sqlite.org/fileformat.html §1.6: the last child, and two cells at the same place.
  page.fill(0xff, 8, 12);
  page.copyWithin(14, 12, 14);
  writeFileSync(path, bytes);
  const check = new Sqlite(path, { readonly: true });
  expect(() => check.query("PRAGMA integrity_check(10000)").values()).toThrow("malformed");
  check.close();
  const { code, err } = await folder.run(["database", "repair"]);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("repaired ") });
  const after = new Sqlite(path, { readonly: true });
  expect(after.query("SELECT count(*) FROM threats").values()).toEqual([[300]]);
  after.close();
});

test("Changes are refused once a request has met damage, as for a removed file", async () => {
  await start();
  expect((await submit(lookAlikes)).status).toBe(200);
  await stop();
  damageThreats(path);
  await start();
  for (let page = 1; page <= 4; page++) await get(`/v1/threats?per_page=100&page=${page}`);
  expect(await database()).toContain("damaged");
  expect((await submit("example-bank-new.com")).status).toBe(500);
  expect((await get("/v1/threats?per_page=1")).status).toBe(200);
});

test("A server says that changes are lost if the log that a killed one left is damaged", async () => {
  await start();
  for (let number = 0; number < 5; number++) await submit(`example-bank-${number}.com`);
  await running!.stop("SIGKILL");
  const log = readFileSync(`${path}-wal`);
  log[5_000]! ^= 1;
  writeFileSync(`${path}-wal`, log, { flag: "r+" });
  await start();
  await until(
    () => readFileSync(`${path}.health`, "utf8").includes("the changes after it are lost"),
    "the state is stored",
  );
  const { err } = await running!.stop();
  running = undefined;
  expect(err).toContain("database.log_damaged");
});
