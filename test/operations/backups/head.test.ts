import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { newEncryption } from "../../../src/operations/backups/encryption/encrypted-store.ts";
import { headKeys } from "../../../src/operations/backups/repository/format.ts";
import {
  changeRepositorySecret,
  openRepository,
} from "../../../src/operations/backups/repository/repository.ts";
import { StoreError, type BackupStore } from "../../../src/operations/backups/stores/store.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { backUp, fillRandom } from "./support.ts";

const id = "0123456789abcdef0123456789abcdef";
const secret = "correct horse battery";
const next = "another secret of 16";
// The cost of real repositories would make up most of the time of these tests.
const cost = { n: 2 ** 10, r: 8, p: 1 };
const [first, second] = headKeys;

const open = (store: BackupStore, given: string | null = secret) =>
  openRepository({ store, secret: given, fillRandom, createAt: undefined });

async function failureOf(store: BackupStore, given: string | null = secret): Promise<StoreError> {
  return open(store, given).then(
    () => Promise.reject(new Error("it opened")),
    (error: unknown) => error as StoreError,
  );
}

/** Returns a store with the head that earlier versions wrote. */
async function earlierStore(given: string | null = secret) {
  const store = memoryStore();
  const encryption =
    given === null ? null : (await newEncryption({ id, secret: given, fillRandom, cost })).encryption;
  const head = { format: 1, id, createdAt: "2026-01-31T00:00:00.000Z", encryption };
  await store.put(first, Buffer.from(`${JSON.stringify(head, null, 2)}\n`));
  return store;
}

/** Returns a store with two copies of the head, as a backup leaves them. */
async function presentStore(given: string | null = secret) {
  const store = await earlierStore(given);
  await (await open(store, given)).keepHead();
  return store;
}

const flip = (bytes: Uint8Array, bit: number) =>
  bytes.with(bit >> 3, bytes[bit >> 3]! ^ (1 << (bit & 7))) as Uint8Array<ArrayBuffer>;

describe("the head of backups", () => {
  test("of an earlier version gets a checksum and a second copy with the next backup, which later ones leave as they are", async () => {
    const store = await earlierStore();
    const before = await open(store);
    expect(before.headProblem).toBeUndefined();
    const folder = mkdtempSync(join(tmpdir(), "phishwatch-head-"));
    try {
      const path = join(folder, "phishwatch.db");
      openDatabase(path).close();
      expect((await backUp(before, path)).repaired).toBeUndefined();
      const text = new TextDecoder().decode(store.objects.get(first));
      expect(JSON.parse(text)).toMatchObject({ id, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(store.objects.get(second)).toEqual(store.objects.get(first)!);
      store.objects.set(second, flip(store.objects.get(second)!, 100));
      const damaged = await open(store);
      expect(damaged.headProblem).toBe(`memory: ${second} is damaged`);
      expect((await backUp(damaged, path)).repaired).toBe(`memory: ${second} is damaged`);
      expect(new TextDecoder().decode(store.objects.get(second))).toBe(text);
      expect((await backUp(await open(store), path)).repaired).toBeUndefined();
      expect(new TextDecoder().decode(store.objects.get(first))).toBe(text);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each(headKeys)(
    "opens with the other copy, whichever bit of %s is flipped, and if it is empty or missing",
    async (key) => {
      for (const given of [null, secret]) {
        const store = await presentStore(given);
        const good = store.objects.get(key)!;
        // Opening an encrypted one takes milliseconds.
        const step = given === null ? 1 : 97;
        for (let bit = 0; bit < good.length * 8; bit += step) {
          store.objects.set(key, flip(good, bit));
          const repository = await open(store, given);
          expect([bit, repository.id, repository.headProblem]).toEqual([
            bit,
            id,
            `memory: ${key} is damaged`,
          ]);
        }
        store.objects.set(key, new Uint8Array());
        expect((await open(store, given)).headProblem).toBe(`memory: ${key} is damaged`);
        store.objects.delete(key);
        expect((await open(store, given)).headProblem).toBe(`memory: ${key} is missing`);
      }
    },
  );

  test("opens with the other copy if the store cannot return one, and says so if it returns neither", async () => {
    const inner = await presentStore();
    const failing = (keys: readonly string[]): BackupStore => ({
      ...inner,
      get: async (key) => {
        if (keys.includes(key)) throw new StoreError("unreachable", "the disk fails");
        return inner.get(key);
      },
    });
    expect((await open(failing([first]))).headProblem).toBe(`memory: ${first} is unreadable`);
    expect(await failureOf(failing(headKeys))).toMatchObject({ code: "unreachable" });
  });

  test("is reported as damaged only if it is, and a wrong secret and a newer version as what they are", async () => {
    const store = await presentStore();
    const good = store.objects.get(first)!;
    const wrong = await failureOf(store, next);
    expect(wrong.code).toBe("wrong_secret");
    expect(wrong.message).not.toContain("damaged");

    const key = new TextDecoder().decode(good).indexOf('"key": "') + 20;
    for (const one of headKeys) store.objects.set(one, flip(good, key * 8));
    expect(await failureOf(store)).toMatchObject({
      code: "damaged",
      message: expect.stringContaining(
        `${first} is damaged, and ${second} is damaged, and without it no backup`,
      ),
    });
    store.objects.delete(first);
    expect((await failureOf(store)).message).toContain(`${first} is missing, and ${second} is damaged`);

    const newer = (await presentStore(null)).objects.get(first)!;
    const head = JSON.parse(new TextDecoder().decode(newer)) as Record<string, unknown>;
    delete head["hash"];
    head["format"] = 2;
    store.objects.set(first, new TextEncoder().encode(JSON.stringify(head)));
    expect(await failureOf(store)).toMatchObject({
      code: "unexpected",
      message: expect.stringContaining("a newer version of phishwatch wrote these backups"),
    });
    const earlier = await failureOf(await earlierStore(), next);
    expect(earlier.message).toContain(
      `or ${first} is damaged: an earlier version wrote it, without a checksum`,
    );
  });

  test("has no copy without encryption that nothing authenticates: a damaged one is not used", async () => {
    const store = await presentStore(null);
    const text = new TextDecoder().decode(store.objects.get(first)).replace(id, id.replace("0", "1"));
    for (const one of headKeys) store.objects.set(one, new TextEncoder().encode(text));
    expect(await failureOf(store, null)).toMatchObject({ code: "damaged" });
  });
});

describe("changing the secret", () => {
  const change = (store: BackupStore) =>
    changeRepositorySecret({ store, previousSecret: secret, secret: next, fillRandom });

  test("that is interrupted between the two copies leaves a repository that both open, and can be repeated", async () => {
    const store = await presentStore();
    const interrupted: BackupStore = {
      ...store,
      put: async (key, bytes) => {
        if (key === second) throw new StoreError("unreachable", "the network fails");
        await store.put(key, bytes);
      },
    };
    await expect(change(interrupted)).rejects.toThrow("the network fails");
    expect((await open(store, secret)).id).toBe(id);
    expect((await open(store, next)).id).toBe(id);
    await change(store);
    expect(await failureOf(store, secret)).toMatchObject({ code: "wrong_secret" });
    expect((await open(store, next)).headProblem).toBeUndefined();
  });

  test("is not undone by a backup that began before it", async () => {
    const store = await earlierStore();
    const before = await open(store);
    await change(store);
    await before.keepHead();
    expect(await failureOf(store, secret)).toMatchObject({ code: "wrong_secret" });
    expect((await open(store, next)).id).toBe(id);
  });
});
