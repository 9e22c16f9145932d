import { afterAll, expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { createYielder } from "../../../../src/platform/lib/yielder.ts";
import {
  addedMax,
  compareVersions,
  readHashSet,
} from "../../../../src/intake/sources/name-file-versions/compare-versions.ts";
import { createHashFile, openHashFile } from "../../../../src/intake/sources/name-file-versions/hash-file.ts";
import { createHashSorter } from "../../../../src/intake/sources/name-file-versions/hash-sorter.ts";
import { createNameHash } from "../../../../src/intake/sources/name-file-versions/name-hash.ts";
import { temporaryFolder } from "../../../support/appliance.ts";
import { randomFrom, seed } from "../../../support/random.ts";

const folder = temporaryFolder();
afterAll(folder.dispose);
const file = (name: string) => join(folder.path, name);
const key = Uint8Array.from([3, 1, 4, 1, 5, 9, 2, 6]);
const hash = createNameHash(key);
const hashOf = (name: number) => {
  const bytes = Buffer.from(`name${name}.org`);
  return hash(bytes, 0, bytes.length);
};

/** Writes a version, and compares it with the file of the version before. */
async function compare(names: Iterable<number>, beforePath: string | undefined, version: number) {
  const sorter = await createHashSorter(file("sorting"));
  const before = beforePath === undefined ? undefined : await openHashFile(beforePath);
  let count = 0;
  for (const name of names) {
    sorter.add(hashOf(name));
    if (++count % 5_000 === 0) await sorter.settle();
  }
  const paths = { hashesPath: file(`${version}.hashes`), addedPath: file(`${version}.added`) };
  try {
    const { signal } = new AbortController();
    const yielder = createYielder({ sliceMs: 1_000, elapsedMs: () => performance.now() });
    return { ...(await compareVersions({ sorter, key, before, ...paths, yielder, signal })), ...paths };
  } finally {
    await sorter.close();
    await before?.close();
  }
}

test(`the added names of random versions are those that a plain set finds (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  let before = new Set<number>();
  let beforePath: string | undefined;
  for (let version = 1; version <= 6; version++) {
    // Repeated names, up to more than one block for each bucket.
    const names = Array.from({ length: random(4) === 0 ? random(20) : random(60_000) }, () => random(50_000));
    const now = new Set(names);
    const change = await compare(names, beforePath, version);
    const added = [...now].filter((name) => !before.has(name));
    expect(change).toMatchObject({
      names: now.size,
      added: added.length,
      removed: [...before].filter((name) => !now.has(name)).length,
      isAddedKept: version > 1,
    });
    if (version > 1) {
      const kept = (await readHashSet(change.addedPath))!;
      expect(kept.key).toEqual(key);
      const isAdded = new Set(added);
      for (const name of now)
        if (kept.hashes.has(hashOf(name)) !== isAdded.has(name)) throw new Error(`${name}`);
    }
    before = now;
    beforePath = change.hashesPath;
  }
});

test("more new names than are kept apart are not written, so that the whole list is scored", async () => {
  const first = await compare([1], undefined, 20);
  const many = await compare(
    Array.from({ length: addedMax + 1 }, (_, index) => index + 2).values(),
    first.hashesPath,
    21,
  );
  expect(many).toMatchObject({ added: addedMax + 1, removed: 1, isAddedKept: false });
  expect(await readHashSet(many.addedPath)).toBeUndefined();
});

test("a file of hashes that is cut or empty counts as missing", async () => {
  const { hashesPath } = await compare([1, 2, 3], undefined, 30);
  const whole = await openHashFile(hashesPath);
  expect(whole?.count).toBe(3);
  await whole?.close();
  truncateSync(hashesPath, 40);
  expect(await openHashFile(hashesPath)).toBeUndefined();
  truncateSync(hashesPath, 0);
  expect(await openHashFile(hashesPath)).toBeUndefined();
  const unfinished = await createHashFile(file("unfinished"), key);
  await unfinished.write(Float64Array.of(0.5));
  expect(await openHashFile(file("unfinished"))).toBeUndefined();
  await unfinished.discard();
});
