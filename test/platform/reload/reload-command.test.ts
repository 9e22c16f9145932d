import { chownSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { takeServeLock } from "../../../src/platform/database/lock.ts";
import { readServerState, usedWith } from "../../../src/platform/reload/server-file.ts";
import { commandFolder, defaultConfig, type CommandFolder } from "../../support/command-line.ts";
import { until } from "../../support/until.ts";

let folder: CommandFolder;
let server: Awaited<ReturnType<CommandFolder["serve"]>>;

beforeAll(async () => {
  folder = commandFolder();
  server = await folder.serve();
  // It compares the file once after its start.
  const state = () => readServerState(join(folder.path, "data/test.db"));
  await until(() => (state()?.lastReload ?? null) !== null, "the server watches the file");
});
afterAll(async () => {
  await server.stop();
  folder.dispose();
});

const withDomain = (domain: string) => `${defaultConfig}[[protected_domains]]\ndomain = "${domain}"\n`;

test("`reload` applies the file to the running server and prints what changed, what needs a restart, or the errors", async () => {
  folder.file("phishwatch.toml", withDomain("second.example").replace("127.0.0.1:0", "127.0.0.1:1"));
  const applied = await folder.run(["reload"]);
  expect(applied).toEqual({
    code: 0,
    out: "",
    err: 'applied: protected_domains "second.example" added\nneeds a restart: server.listen\n',
  });

  folder.file("phishwatch.toml", `${defaultConfig}[log]\nlevel = "loud"\n`);
  const failed = await folder.run(["reload", "--json"]);
  expect(failed.code).toBe(2);
  expect(JSON.parse(failed.out)).toMatchObject({ result: "failed", applied: [], restart: [] });
  expect(failed.err).toContain('log.level: found "loud"');
  expect(failed.err).toContain("nothing was changed");
  // Stays alive, and is ready.
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});

test("a file of which only a comment has changed is the one in effect, for `check`", async () => {
  const text = `# A comment\n${withDomain("second.example")}`;
  const path = folder.file("phishwatch.toml", text);
  const { err } = await folder.run(["reload"]);
  expect(err).toBe("nothing has changed\n");
  const { uses } = readServerState(join(folder.path, "data/test.db"))!;
  expect(uses).toMatchObject({ configuration: path, sha256: usedWith({ path, text }).sha256 });
});

test("a file that is exchanged behind a symbolic link is applied without a request", async () => {
  writeFileSync(join(folder.path, "next.toml"), withDomain("third.example"));
  symlinkSync("next.toml", join(folder.path, "link"));
  renameSync(join(folder.path, "link"), join(folder.path, "phishwatch.toml"));

  await until(() => server.err().includes("third.example"), "the change is logged", 20_000);

  const { out } = await folder.run(["domains", "list"]);
  expect(out).toContain("third.example");
});

// Only root may signal the processes of others.
test.skipIf(process.getuid?.() !== 0)(
  "`reload` by root signals no process of another user, whatever the user of the server wrote into its file",
  async () => {
    const file = join(folder.path, "data/test.db.server");
    const genuine = readFileSync(file);
    const victim = Bun.spawn(["sleep", "60"]);
    chownSync(file, 4242, 4242);
    const state = JSON.parse(genuine.toString()) as object;
    for (const [pid, reason] of [
      [victim.pid, "does not belong to its owner"],
      [-1, "is damaged"],
      [0, "is damaged"],
    ] as const) {
      writeFileSync(file, JSON.stringify({ ...state, pid }));
      const { code, err } = await folder.run(["reload"]);
      expect(code).toBe(1);
      expect(err).toContain(reason);
    }
    expect(victim.exitCode ?? victim.signalCode).toBeNull();
    victim.kill();
    chownSync(file, 0, 0);
    writeFileSync(file, genuine);
    expect((await folder.run(["reload"])).code).toBe(0);
  },
);

test("a server that starts deletes the state of a killed one first, whose process id may be that of another process now", () => {
  const other = commandFolder();
  const path = join(other.path, "test.db");
  writeFileSync(`${path}.server`, JSON.stringify({ pid: process.pid }));
  takeServeLock(path).release();
  expect(existsSync(`${path}.server`)).toBe(false);
  other.dispose();
});

test("`reload` without a running server says so and exits with 1", async () => {
  const other = commandFolder();
  const { code, err } = await other.run(["reload"]);
  expect(code).toBe(1);
  expect(err).toContain("no server is running on the database");
  other.dispose();
});
