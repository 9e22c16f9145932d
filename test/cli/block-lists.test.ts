import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { commandFolder, type CommandFolder } from "../support/command-line.ts";

let folder: CommandFolder;
beforeEach(() => void (folder = commandFolder()));
afterEach(() => folder.dispose());

const run = (...args: string[]) => folder.runHere(["lists", ...args]);

test("`lists` adds, shows, changes, rotates, disables and removes lists; only `add`, `show` and `rotate` print addresses", async () => {
  const added = await run("add", "block", "--min-severity", "low", "--verified", "no", "--max-age", "30d");
  expect(added.code).toBe(0);
  const token = /^http:\/\/127\.0\.0\.1:\d+\/lists\/([\w-]{32})\/block\.txt\n$/.exec(added.out)![1]!;
  const listed = await run("list");
  expect(listed.out).toContain("active; any severity; first seen in the last 30d");
  const changed = await run(
    "change",
    "block",
    "--status",
    "active",
    "--status",
    "resolved",
    "--max-age",
    "",
    "--json",
  );
  expect(JSON.parse(changed.out)).toMatchObject({
    statuses: ["active", "resolved"],
    max_age_ms: null,
    names: 0,
  });
  expect(`${listed.out}${listed.err}${changed.out}${changed.err}${added.err}`).not.toContain(token);
  const shown = JSON.parse((await run("show", "block", "--json")).out);
  expect(Object.keys(shown.addresses)).toEqual([
    "txt",
    "hosts",
    "adblock",
    "dnsmasq",
    "unbound",
    "rpz",
    "squid",
    "csv",
  ]);
  expect(shown.addresses.rpz).toEndWith(`/lists/${token}/block.rpz`);
  folder.file("token", "a-token-of-my-own/1234\n");
  expect((await run("rotate", "block", "--token-file", "token")).out).toEndWith(
    "/lists/a-token-of-my-own%2F1234/block.txt\n",
  );
  expect((await run("disable", "block")).err).toMatch(/^disabled block \(lst_\w{26}\)\n$/);
  expect((await run("list")).out).toContain("disabled (operator)");
  expect((await run("remove", "block")).code).toBe(0);
  const missing = await run("show", "block");
  expect([missing.code, missing.err]).toEqual([1, "phishwatch: there is no list block\n"]);
});

test("`lists export` replaces a file only if the list has changed, at once, with its permissions, and through a symbolic link", async () => {
  await folder.run(["import", "-"], { stdin: "example-bank.net\nlogin-example-bank.com\n" });
  await run("add", "block", "--min-severity", "low", "--verified", "no");
  expect((await run("export", "block")).out).toBe("example-bank.net\nlogin-example-bank.com\n");
  mkdirSync(join(folder.path, "out"));
  const target = join(folder.path, "out/target.conf");
  writeFileSync(target, "before");
  chmodSync(target, 0o640);
  symlinkSync(target, join(folder.path, "out/link.conf"));
  const exported = () => run("export", "block", "--format", "unbound", "--output", "out/link.conf");
  expect((await exported()).out).toBe("changed\n");
  const { ino, mode } = statSync(target);
  expect(mode & 0o777).toBe(0o640);
  expect(readFileSync(target, "utf8")).toContain('local-zone: "example-bank.net." always_nxdomain\n');
  expect((await exported()).out).toBe("unchanged\n");
  expect(statSync(target).ino).toBe(ino);
  await folder.run(["import", "-"], { stdin: "example-bank.org\n" });
  expect((await exported()).out).toBe("changed\n");
  expect(readdirSync(join(folder.path, "out")).toSorted()).toEqual(["link.conf", "target.conf"]);
  const wrong = await run("export", "block", "--output", "missing/file");
  expect([wrong.code, wrong.err]).toEqual([1, "phishwatch: cannot write missing/file (ENOENT)\n"]);
});

test("`check` reports a declared list whose token cannot be part of an address", async () => {
  const config = readFileSync(join(folder.path, "phishwatch.toml"), "utf8");
  folder.file(
    "phishwatch.toml",
    `${config}\n[[lists]]\nname = "block"\ntoken = 'a-token-with-a-backslash\\'\n`,
  );
  const { code, out, err } = await folder.run(["check"]);
  expect(code).not.toBe(0);
  expect(`${out}${err}`).toContain('lists "block": the token is part of an address');
});
