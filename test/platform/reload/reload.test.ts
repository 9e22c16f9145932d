import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "bun:test";
import { until } from "../../support/until.ts";
import { openReloadable as open, type Reloadable } from "../../support/reloadable.ts";

const opened: Reloadable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.dispose();
});

function openReloadable(text: string, env: Record<string, string> = {}): Reloadable {
  const one = open(text, { env });
  opened.push(one);
  return one;
}

test("a reload adds, changes and disables protected domains, and records who did it", async () => {
  const { app, reload } = openReloadable(`[[protected_domains]]\ndomain = "first.example"`);

  const outcome = await reload(`
[[protected_domains]]
domain = "first.example"
keywords = ["firstbrand"]
[[protected_domains]]
domain = "second.example"
`);

  expect(outcome.applied).toEqual([
    'protected_domains "first.example" changed: keywords',
    'protected_domains "second.example" added',
  ]);
  expect(app.domains.find("first.example")?.keywords).toEqual(["firstbrand"]);
  expect(app.domains.matcher().match("second-login.example").length).toBe(1);
  await reload("");
  expect(app.domains.list().filter(({ enabled }) => enabled)).toEqual([]);
  const entries = app.auditLog.list({}, { limit: 3, offset: 0 });
  expect(entries.map(({ action, channel }) => `${action} by ${channel}`)).toEqual([
    "config.reload by configuration",
    "domain.remove by configuration",
    "domain.remove by configuration",
  ]);
  expect(entries[0]?.detail).toEqual({
    applied: ['protected_domains "first.example" removed', 'protected_domains "second.example" removed'],
    needs_restart: [],
  });
});

test("a reload with an error reports the lines of a start, and changes nothing", async () => {
  const { app, reload, logged } = openReloadable(`[[protected_domains]]\ndomain = "first.example"`);

  const outcome = await reload(`
[log]
level = "debugg"
[[protected_domains]]
domain = "second.example"
color = "red"
`);

  expect(outcome).toMatchObject({ result: "failed", exitCode: 2, applied: [] });
  expect(outcome.errors[0]).toContain('log.level: found "debugg"');
  expect(outcome.errors[1]).toContain("color");
  expect(app.domains.list().map(({ domain }) => domain)).toEqual(["first.example"]);
  expect(logged.at(-1)).toMatchObject({ level: "error", errors: outcome.errors });
});

test("a reload of a server that stops fails and changes nothing", async () => {
  const { app, reload } = openReloadable("");
  await app.reload!.stop();

  const outcome = await reload(`[[protected_domains]]\ndomain = "first.example"`);

  expect(outcome).toMatchObject({ result: "failed", errors: ["the server is stopping"] });
  expect(app.domains.list()).toEqual([]);
});

test("an entry that the database rejects undoes the settings and the other entries of the reload", async () => {
  const { app, reload } = openReloadable("");
  const by = { channel: "console" as const, name: "test", address: null };
  const { key } = app.keys.create({ name: "of the console" }, { by });

  const outcome = await reload(`
[log]
level = "debug"
[detection]
min_similarity = 0.9
[[protected_domains]]
domain = "second.example"
[[api_keys]]
name = "ci"
key = "${key}"
`);

  expect(outcome).toMatchObject({ result: "failed", exitCode: 2 });
  expect(outcome.errors.join()).not.toContain(key);
  expect(app.config.log.level).toBe("info");
  expect(app.config.detection.minSimilarity).toBe(0.75);
  expect(app.domains.list()).toEqual([]);
});

test("a file with the same error is logged once, and again only for a request", async () => {
  const { app, logged, write } = openReloadable("");
  write("[log]\nlevel = 1\n");
  await app.reload!.run("file");
  await app.reload!.run("file");
  const errors = () => logged.filter(({ level }) => level === "error").length;
  expect(errors()).toBe(1);
  await app.reload!.run("request");
  expect(errors()).toBe(2);
  write("[log]\nlevel = 2\n");
  await app.reload!.run("file");
  expect(errors()).toBe(3);
});

test("the log level changes at once, and no value of a secret is in the outcome or in the log", async () => {
  const env = { TOKEN: "metrics-token-that-is-secret", NEXT: "another-token-that-is-secret" };
  const { app, log, logged, reload } = openReloadable("", env);

  const outcome = await reload(`
[log]
level = "debug"
[[api_keys]]
name = "ci"
key = { env = "TOKEN" }
`);
  log.event("http.request", { request: "r", method: "GET", path: "/", statusCode: 200 });
  await reload(`
[[api_keys]]
name = "ci"
key = { env = "NEXT" }
`);

  expect(outcome.applied).toEqual(["log.level", 'api_keys "ci" added']);
  expect(logged.map(({ event }) => event)).toContain("http.request");
  expect(app.reload!.last()?.applied).toEqual(["log.level", 'api_keys "ci" changed: key']);
  expect(JSON.stringify([logged, app.reload!.last()])).not.toContain("that-is-secret");
  expect(app.config.log.level).toBe("info");
});

test("what cannot change while the server runs is named, and stays until the next start", async () => {
  const { app, folder, reload } = openReloadable("");
  const before = app.config.storage.path;

  const outcome = await reload(`
[traps]
listen = "127.0.0.1:0"
hits_per_minute = 60
[api]
max_per_page = 50
`);

  expect(outcome.result).toBe("applied");
  expect(outcome.applied).toEqual(["traps.hits_per_minute"]);
  expect(outcome.restart).toEqual(["api.max_per_page", "traps.listen"]);
  expect(app.config.api.maxPerPage).toBe(100);
  expect(app.config.traps.listen).toBeNull();
  expect(before).toBe(join(folder, "phishwatch.db"));
});

test("a file that is missing, as while an editor replaces it, leaves everything as it is", async () => {
  const { app, folder } = openReloadable(`[[protected_domains]]\ndomain = "first.example"`);
  rmSync(join(folder, "phishwatch.toml"));
  const outcome = await app.reload!.run("file");
  expect(outcome.errors[0]).toContain("no such file");
  expect(app.domains.list().every(({ enabled }) => enabled)).toBe(true);
});

test("requests during a reload share one that begins after it", async () => {
  const { app, write } = openReloadable("");
  const first = app.reload!.run("request");
  write(`[log]\nlevel = "warn"\n`);
  const [second, third] = [app.reload!.run("request"), app.reload!.run("request")];
  await first;
  expect((await second).applied).toEqual(["log.level"]);
  expect(await third).toBe(await second);
});

const feed = (name: string, file: string) => `[[feeds]]\nname = "${name}"\npath = "${file}"\n`;

test("feeds that a reload adds are read, changed ones go on from where they were, and removed ones are read no more", async () => {
  const { app, clock, folder, reload } = openReloadable(
    `[[protected_domains]]\ndomain = "example-bank.com"\n${feed("first", "one.txt")}`,
  );
  const protect = `[[protected_domains]]\ndomain = "example-bank.com"\n`;
  const put = (file: string, ...names: string[]) =>
    writeFileSync(join(folder, file), names.map((name) => `${name}\n`).join(""));
  const found = () =>
    app.threats
      .list({}, { page: 1, perPage: 100 })
      .threats.map(({ domain }) => domain)
      .sort();
  put("one.txt", "example-bank.net");
  put("two.txt", "example-bank.org");
  await app.start();
  const reads = (count: number) =>
    until(() => {
      clock.advance(5_000);
      return found().length === count;
    }, `${count} threats`);
  await reads(1);
  const kept = app.sources.find(({ name }) => name === "first");

  expect((await reload(protect + feed("first", "one.txt") + feed("second", "two.txt"))).applied).toEqual([
    'feeds "second" added',
  ]);
  await reads(2);
  expect(app.sources.find(({ name }) => name === "first")).toBe(kept!);

  const changed = await reload(`${protect}${feed("second", "two.txt")}format = "lines"\n`);
  expect(changed.applied).toEqual(['feeds "second" changed: format', 'feeds "first" removed']);
  expect(app.sources.map(({ name }) => name)).not.toContain("first");
  put("one.txt", "example-bank.net", "example-bank.info");
  put("two.txt", "example-bank.org", "example-bank.biz");
  await reads(3);
  expect(found()).toEqual(["example-bank.biz", "example-bank.net", "example-bank.org"]);
});

test("settings that services read when they need them follow a reload", async () => {
  const { app, reload } = openReloadable("");
  const matches = () => app.domains.matcher().match("examp1e-banc.com").length;

  await reload(`
[detection]
min_similarity = 1
[scan]
schedule = "0 0 1 1 *"
[[protected_domains]]
domain = "example-bank.com"
[smtp]
host = "mail.example.com"
from = "phishwatch@example.com"
[console]
password = "a password of the reload"
`);
  expect(matches()).toBe(0);
  expect(app.channels.mailServer?.name).toBe("mail.example.com:587");
  expect(await app.consolePassword.verify("admin", "a password of the reload")).toBeDefined();

  await reload(`
[detection]
min_similarity = 0.5
[[protected_domains]]
domain = "example-bank.com"
`);
  expect(matches()).toBe(1);
  expect(app.channels.mailServer).toBeNull();
  expect(await app.consolePassword.verify("admin", "a password of the reload")).toBeUndefined();
});
