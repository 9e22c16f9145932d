import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkFeed } from "../../../src/intake/sources/feeds/feed-status.ts";
import { listFiles, openFeedFile, readFingerprint } from "../../../src/intake/sources/feeds/feed-folder.ts";
import { temporaryFolder } from "../../support/appliance.ts";

let home: ReturnType<typeof temporaryFolder>;
let folder: string;
let secret: string;
beforeEach(() => {
  home = temporaryFolder();
  folder = join(home.path, "feed");
  mkdirSync(folder);
  secret = join(home.path, "secret.txt");
  writeFileSync(secret, "root:x:0:0\n");
});
afterEach(() => home.dispose());

const inFolder = (name: string) => join(folder, name);
function fifo(name: string): void {
  expect(Bun.spawnSync(["mkfifo", inFolder(name)]).exitCode).toBe(0);
}
async function listed() {
  const listing = await listFiles(folder);
  if ("missing" in listing) throw new Error(listing.missing);
  return { names: listing.files.map(({ path }) => path.slice(folder.length + 1)), skipped: listing.skipped };
}

test("A link that leaves a feed's folder, a broken link, a pipe and a device are not read, and are named with the reason", async () => {
  writeFileSync(inFolder("list.txt"), "example.com\n");
  symlinkSync(secret, inFolder("a-link.txt"));
  symlinkSync("/dev/zero", inFolder("b-device.txt"));
  symlinkSync("nowhere", inFolder("c-broken.txt"));
  fifo("d-pipe.txt");
  mkdirSync(inFolder("sub"));
  writeFileSync(inFolder("sub/list.txt"), "example.org\n");
  symlinkSync("sub/list.txt", inFolder("e-sub.txt"));
  symlinkSync("f-loop.txt", inFolder("f-loop.txt"));
  const { names, skipped } = await listed();
  expect(names).toEqual(["list.txt"]);
  expect(skipped.first.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: "a-link.txt", why: "is a link that leaves the folder" },
    { name: "b-device.txt", why: "is a link that leaves the folder" },
    { name: "c-broken.txt", why: "is a broken link" },
    { name: "d-pipe.txt", why: "is a pipe or device, not a file" },
    { name: "e-sub.txt", why: "is a link that leaves the folder" },
    { name: "f-loop.txt", why: "cannot be opened (ELOOP)" },
  ]);
  expect(skipped.total).toBe(6);
});

test("A link to a file in the same folder, and a feed whose own path is a link, are read", async () => {
  writeFileSync(inFolder("list-2026-01-14.txt"), "example.com\n");
  symlinkSync("list-2026-01-14.txt", inFolder("newest.txt"));
  expect((await listed()).names.toSorted()).toEqual(["list-2026-01-14.txt", "newest.txt"]);
  const opened = await openFeedFile(folder, inFolder("newest.txt"));
  expect(await opened.readFile("utf8")).toBe("example.com\n");
  await opened.close();
  const toFolder = join(home.path, "to-folder");
  symlinkSync(folder, toFolder);
  expect(await listFiles(toFolder)).toMatchObject({ files: [{}, {}], skipped: { total: 0 } });
  await (await openFeedFile(toFolder, join(toFolder, "newest.txt"))).close();
  const toFile = join(home.path, "to-file.txt");
  symlinkSync(inFolder("newest.txt"), toFile);
  expect(await listFiles(toFile)).toMatchObject({ files: [{ path: toFile }] });
  await (await openFeedFile(toFile, toFile)).close();
});

test("A file that is replaced by a link or a pipe after it was listed is not opened, and nothing waits for the pipe's writer", async () => {
  const path = inFolder("list.txt");
  writeFileSync(path, "example.com\n");
  expect((await listed()).names).toEqual(["list.txt"]);
  rmSync(path);
  symlinkSync(secret, path);
  await expect(openFeedFile(folder, path)).rejects.toThrow("is a link that leaves the folder");
  expect(await readFingerprint(folder, path, 4)).toBeNull();
  rmSync(path);
  fifo("list.txt");
  await expect(openFeedFile(folder, path)).rejects.toThrow("is a pipe or device, not a file");
  expect(await readFingerprint(folder, path, 4)).toBeNull();
});

test("A feed whose own path is a pipe is reported as missing", async () => {
  fifo("pipe");
  expect(await listFiles(inFolder("pipe"))).toEqual({
    missing: "it is a pipe or device, not a file or folder",
  });
});

test("`check` warns about a link that leaves a feed's folder", async () => {
  writeFileSync(inFolder("list.txt"), "example.com\n");
  symlinkSync(secret, inFolder("link.txt"));
  symlinkSync(secret, inFolder("link2.txt"));
  const { level, detail } = await checkFeed({ path: folder }, [], 0);
  expect(level).toBe("warning");
  expect(detail).toMatch(/: link2?\.txt is a link that leaves the folder \(and 1 more\); it is not read$/);
});
