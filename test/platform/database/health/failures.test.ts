import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { commandFolder, defaultConfig, quickest, type CommandFolder } from "../../../support/command-line.ts";
import type { FullDiskPlan } from "../../../support/full-disk-world.ts";
import { ownNetwork } from "../../../support/own-network.ts";
import { damageThreats } from "../../../support/damaged-threats.ts";
import { until } from "../../../support/until.ts";

const key = "a-declared-key-0123456789";
const password = "a-declared-password";
const config = `${defaultConfig}
[console]
password = "${password}"
[[api_keys]]
name = "ci"
key = "${key}"
scopes = ["candidates:write", "threats:read"]
`;

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

const headers = { authorization: `Bearer ${key}`, "content-type": "text/plain" };
const start = async () => (running = await folder.serve());
const submit = async (body: string) =>
  (await fetch(`${running!.url}/v1/candidates`, { method: "POST", headers, body })).status;
const list = async () => (await fetch(`${running!.url}/v1/threats?per_page=100`, { headers })).status;

async function readiness() {
  const response = await fetch(`${running!.url}/readyz`);
  const { checks } = (await response.json()) as { checks: { database: string; disk: string } };
  return { status: response.status, checks };
}

const metric = async (name: string) => {
  const text = await (await fetch(`${running!.url}/metrics`)).text();
  return new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "m").exec(text)?.[1];
};

const lookAlikes = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `example-bank-${index + from}.com`).join("\n");

test("One damaged page makes the server not ready, with the reason, once a request meets it", async () => {
  await start();
  expect(await submit(lookAlikes(300))).toBe(200);
  await running!.stop();
  damageThreats(path);
  await start();
  const statuses: number[] = [];
  for (let page = 1; page <= 4; page++)
    statuses.push((await fetch(`${running!.url}/v1/threats?per_page=100&page=${page}`, { headers })).status);
  expect(statuses).toContain(500);
  const { status, checks } = await readiness();
  expect(status).toBe(503);
  expect(checks.database).toContain("damaged");
  expect(await metric("phishwatch_ready")).toBe("0");
  expect(await metric("phishwatch_database_ok")).toBe("0");
  expect(Number(await metric("phishwatch_database_errors_total"))).toBeGreaterThan(0);
  // The error starts a check of the whole file in another thread.
  await until(
    async () => (await metric("phishwatch_database_quick_check_ok")) === "0",
    "the file is checked",
  );
  expect((await readiness()).status).toBe(503);
  await until(() => /"quickCheck":\{/.test(readFileSync(`${path}.health`, "utf8")), "the state is stored");
  const { code, out } = await folder.run(["check"]);
  expect(code).toBe(1);
  expect(out).toMatch(/^error +database in the server: .*damaged/m);
  expect(out).toMatch(/^warning +last database error: .*SQLITE_CORRUPT/m);
  const { err } = await running!.stop();
  running = undefined;
  expect(err.match(/"message":"database error"/g)?.length).toBe(1);
});

test("A truncated database file makes the server not ready and does not end it", async () => {
  await start();
  expect(await submit(lookAlikes(1_000))).toBe(200);
  await running!.stop();
  await start();
  expect(await list()).toBe(200);
  truncateSync(path, 64 << 10);
  await until(async () => {
    expect(running!.process.signalCode).toBeNull();
    await list();
    return (await readiness()).status === 503;
  }, "the server is not ready");
});

test("A damaged page that no request meets is found by the daily check of the whole file", async () => {
  await start();
  expect(await submit(lookAlikes(300))).toBe(200);
  await running!.stop();
  damageThreats(path);
  const stored = JSON.parse(readFileSync(`${path}.health`, "utf8")) as Record<string, unknown>;
  // The last check was eight days ago, so the next one does not wait until the process is idle.
  const long = Date.now() - 8 * 86_400_000;
  writeFileSync(`${path}.health`, JSON.stringify({ ...stored, quickCheck: { at: long, result: "ok" } }));
  await start();
  await until(async () => (await readiness()).status === 503, "the damage is found");
  expect(await metric("phishwatch_database_quick_check_ok")).toBe("0");
});

/** Runs a shell script in a mount namespace, with a small disk at `disk`. */
const mounts = ownNetwork();
const script = async (text: string) => {
  const child = Bun.spawn([...mounts!, "bash", "-c", text], {
    cwd: folder.path,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out, err, code };
};
const program = quickest.join(" ");

/** A server tries every 5 s whether a full disk has room again. */
const fullDiskTimeoutMs = 60_000;

describe.skipIf(mounts === undefined)("on a disk of its own", () => {
  test("A read-only file system is named at the start", async () => {
    const { out, err } = await script(`
      mkdir disk && mount -t tmpfs none disk
      sed -i 's|data/test.db|disk/data/test.db|' phishwatch.toml
      ${program} domains list >/dev/null && mount -o remount,ro disk || exit 9
      for command in "serve" "domains list"; do ${program} $command; echo "$command: $?"; done
      umount disk && mount -t tmpfs -o ro none disk
      ${program} serve; echo "empty: $?"`);
    expect(out).toBe("serve: 1\ndomains list: 1\nempty: 1\n");
    expect(err.match(/its file system is read-only/g)?.length).toBe(3);
  });

  test(
    "A full disk is reported by readiness, metrics, check and the console, and all works again with room",
    async () => {
      const world = join(import.meta.dir, "../../../support/full-disk-world.ts");
      const plan: FullDiskPlan = { folder: folder.path, command: quickest, password, key };
      const { out, err, code } = await script(
        `ip link set lo up && mkdir -p data && mount -t tmpfs -o size=24m none data && exec ${process.execPath} ${world} '${JSON.stringify(plan)}'`,
      );
      expect({ code, err }).toMatchObject({ code: 0 });
      const { failed, logged, ended, ...seen } = JSON.parse(out);
      expect(seen).toEqual({
        first: 200,
        refused: 500,
        reads: 200,
        ready: 503,
        database: expect.stringContaining(
          "the disk is full; make room (a running server continues without a restart)",
        ),
        disk: expect.stringContaining("nearly full"),
        metrics: { ready: "0", free: expect.any(Number) },
        check: { code: 1, disk: expect.stringMatching(/^error +disk: full: /) },
        signIn: { status: 500, text: expect.stringContaining("The disk of the appliance is full") },
        later: { submit: 200, signIn: 303, restarted: 200 },
      });
      expect(failed).toBeGreaterThan(20);
      expect(logged).toBeGreaterThan(0);
      expect(logged).toBeLessThan(failed);
      expect(ended).toBe(logged);
    },
    fullDiskTimeoutMs,
  );

  test("A backup that fills its disk leaves no file", async () => {
    await start();
    expect(await submit(lookAlikes(1_000))).toBe(200);
    await running!.stop();
    running = undefined;
    const { out, err } = await script(`
      mkdir disk && mount -t tmpfs -o size=400k none disk
      ${program} backup disk/copy.db; echo "code: $?"; ls -A disk`);
    expect(out).toBe("code: 1\n");
    expect(err).toContain("the disk is full");
  });
});

test("What killed backups and restores leave is deleted at the next start, and nothing else", async () => {
  await start();
  await running!.stop();
  const data = join(folder.path, "data");
  const before = readdirSync(data);
  const leftovers = [
    "test.db.server.new",
    "test.db.index.next",
    ...["", "-wal", "-shm", "-journal"].map((ending) => `test.db.incoming${ending}`),
    "test.db.copy-0123456789abcdef",
    "test.db.copy-0123456789abcdef-journal",
    "test.db.lost-20260131T120000.partial",
  ];
  const others = [
    "test.db.copy-of-ada",
    "test.db.incoming.txt",
    "test.db.index",
    "test.db.lost-20260131T120000",
    "other.db.incoming",
  ];
  for (const name of [...leftovers, ...others]) writeFileSync(join(data, name), "x");
  // A killed rehearsal leaves a folder.
  mkdirSync(join(data, "test.db.copy-fedcba9876543210", "screenshots"), { recursive: true });
  await start();
  await running!.stop();
  running = undefined;
  expect(readdirSync(data).sort()).toEqual([...before, ...others].sort());
});

test("Two restores within a second keep both previous databases", async () => {
  await start();
  await running!.stop();
  running = undefined;
  expect((await folder.run(["backup", "copy.db"])).code).toBe(0);
  const kept = new Set<string>();
  for (let time = 0; time < 4; time++) {
    const { code, err } = await folder.run(["restore", "copy.db"]);
    expect({ code, err }).toMatchObject({ code: 0 });
    kept.add(/is kept as (.*)$/m.exec(err)![1]!);
  }
  expect(kept.size).toBe(4);
  for (const file of kept) expect(statSync(file).nlink).toBe(1);
});

test("`backup` without a file writes to a folder next to the configuration file that only its owner can read, and `restore` reads it", async () => {
  await start();
  await running!.stop();
  running = undefined;
  expect((await folder.run(["backup"])).code).toBe(0);
  expect(statSync(join(folder.path, "backups")).mode & 0o777).toBe(0o700);
  rmSync(path);
  expect((await folder.run(["restore"])).code).toBe(0);
  expect(existsSync(path)).toBe(true);
});

test("What was not checked yet is said to be unknown by readiness, the page System and `check`, and the server is ready nevertheless", async () => {
  await start();
  const state = async () =>
    (await (await fetch(`${running!.url}/readyz`)).json()) as { status: string; unknown: string[] };
  expect(await state()).toMatchObject({
    status: "ready",
    unknown: ["whether the database file is intact: it was not checked yet"],
  });
  expect(await metric("phishwatch_database_quick_check_ok")).toBeUndefined();
  await until(() => existsSync(`${path}.health`), "the state is stored");
  const { out } = await folder.run(["check", "--offline"]);
  expect(out).toMatch(/^skipped +last check of the whole file by the server: not checked yet$/m);
  await running!.stop();
  const stored = JSON.parse(readFileSync(`${path}.health`, "utf8")) as Record<string, unknown>;
  const long = Date.now() - 2 * 86_400_000;
  writeFileSync(`${path}.health`, JSON.stringify({ ...stored, quickCheck: { at: long, result: "ok" } }));
  await start();
  expect(await state()).toMatchObject({ status: "ready", unknown: [] });
});
