import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { createFolderStore } from "../../../../src/operations/backups/stores/folder-store.ts";
import { keyLengthMax, objectBytesMax } from "../../../../src/operations/backups/stores/store.ts";
import { compareWithNaive, listed } from "../../../support/memory-store.ts";
import { ownNetwork } from "../../../support/own-network.ts";
import { randomFrom, seed } from "../../../support/random.ts";

const home = mkdtempSync(join(tmpdir(), "phishwatch-stores-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let folders = 0;
function newStore() {
  const folder = join(home, `store-${++folders}`);
  return { folder, store: createFolderStore({ folder, fillRandom }) };
}

function fillRandom(bytes: Uint8Array): void {
  crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
}

const namespaces = ownNetwork();
const bytesOf = (text: string) => new TextEncoder().encode(text);

async function failureOf(run: Promise<unknown>): Promise<{ code?: string; message: string }> {
  return run.then(
    () => ({ message: "no error" }),
    (error: { code?: string; message: string }) => error,
  );
}

describe("the folder store", () => {
  test("returns what the naive store returns, for random operations", async () => {
    console.log(`seed ${seed}`);
    const random = randomFrom(seed);
    const { store } = newStore();
    await compareWithNaive({ store, random, seed });
  });

  test("creates folders and files that only their owner can read", async () => {
    const { store, folder } = newStore();
    await store.put("chunks/ab/abcd", bytesOf("content"));
    for (const path of ["", "chunks", "chunks/ab"])
      expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "chunks/ab/abcd")).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, ".incoming"))).toEqual([]);
  });

  test("accepts no key that leads out of the folder or to a hidden file", async () => {
    const { store } = newStore();
    const keys = [
      "",
      "..",
      "../a",
      "a/../b",
      "/a",
      "a/",
      "a//b",
      ".incoming/a",
      "a/.b",
      "A",
      "a b",
      "ä",
      "a\\b",
      "a\0",
    ];
    for (const key of [...keys, "a".repeat(keyLengthMax + 1)]) {
      await expect(store.get(key)).rejects.toThrow("not a key");
      await expect(store.put(key, bytesOf("x"))).rejects.toThrow("not a key");
      await expect(store.delete(key)).rejects.toThrow("not a key");
    }
  });

  test("follows no link inside the folder, for reading, writing, listing and deleting", async () => {
    const { store, folder } = newStore();
    const outside = join(home, "outside");
    mkdirSync(join(outside, "ab"), { recursive: true });
    writeFileSync(join(outside, "ab", "secret"), "secret");
    await store.put("backups/one", bytesOf("1"));
    symlinkSync(outside, join(folder, "chunks"));
    symlinkSync(join(outside, "ab", "secret"), join(folder, "backups", "two"));
    expect(await failureOf(store.get("chunks/ab/secret"))).toMatchObject({ code: "unexpected" });
    expect(await failureOf(store.put("chunks/ab/new", bytesOf("x")))).toMatchObject({ code: "unexpected" });
    expect(await failureOf(store.delete("chunks/ab/secret"))).toMatchObject({ code: "unexpected" });
    expect(await failureOf(store.get("backups/two"))).toMatchObject({ code: "unexpected" });
    expect(await listed(store)).toEqual(["backups/one 1"]);
    expect(readdirSync(join(outside, "ab"))).toEqual(["secret"]);
    await store.put("backups/two", bytesOf("replaced"));
    expect(readFileSync(join(outside, "ab", "secret"), "utf8")).toBe("secret");
  });

  test("reads no file above the limit of one object, and no named pipe", async () => {
    const { store, folder } = newStore();
    await store.put("small", bytesOf("x"));
    const { exitCode } = Bun.spawnSync(["truncate", "-s", String(objectBytesMax + 1), join(folder, "large")]);
    expect(exitCode).toBe(0);
    Bun.spawnSync(["mkfifo", join(folder, "pipe")]);
    expect(await failureOf(store.get("large"))).toMatchObject({ code: "unexpected" });
    expect(await failureOf(store.get("pipe"))).toMatchObject({ code: "unexpected" });
    expect(await listed(store)).toEqual(["small 1"]);
  });

  test("deletes what killed processes left, once it is a day old, and not what another process is writing", async () => {
    const { store, folder } = newStore();
    await store.put("a", bytesOf("x"));
    const [old, recent] = [join(folder, ".incoming", "old"), join(folder, ".incoming", "recent")];
    writeFileSync(old, "x");
    writeFileSync(recent, "x");
    const yesterday = new Date(statSync(recent).mtimeMs - 90_000_000);
    utimesSync(old, yesterday, yesterday);
    await createFolderStore({ folder, fillRandom }).put("b", bytesOf("x"));
    expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
  });

  test("reports a folder that does not exist, instead of an empty one", async () => {
    const { store, folder } = newStore();
    expect(await failureOf(store.get("a"))).toMatchObject({ code: "not_found" });
    const failure = await failureOf(listed(store));
    expect(failure).toMatchObject({ code: "not_found" });
    expect(failure.message).toContain(folder);
    expect(existsSync(folder)).toBe(false);
  });

  test.skipIf(namespaces === undefined)(
    "reports a full and a read-only disk, and leaves neither a part of the object nor a temporary file",
    async () => {
      const world = join(import.meta.dir, "../../../support/full-store-world.ts");
      const { stdout, stderr } = Bun.spawnSync([...namespaces!, process.execPath, world]);
      expect(stderr.toString()).toBe("");
      expect(JSON.parse(stdout.toString())).toEqual({
        code: "no_space",
        listed: ["backups/first"],
        incoming: [],
        again: "stored",
        readOnly: "no_permission",
      });
    },
  );
});
