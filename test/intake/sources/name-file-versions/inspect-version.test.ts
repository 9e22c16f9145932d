import { afterAll, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { zipSync } from "fflate";
import { createYielder } from "../../../../src/platform/lib/yielder.ts";
import { inspectVersion } from "../../../../src/intake/sources/name-file-versions/inspect-version.ts";
import { temporaryFolder } from "../../../support/appliance.ts";
import { randomFrom, seed } from "../../../support/random.ts";

const folder = temporaryFolder();
afterAll(folder.dispose);
const textBytesMax = 1 << 20;
const path = join(folder.path, "download");

function inspect(content: Uint8Array, { namesBefore = 0, shrunkTimes = 0 } = {}) {
  writeFileSync(path, content);
  return inspectVersion({
    label: "list.txt",
    path,
    format: "auto",
    column: null,
    textBytesMax,
    beforePath: null,
    namesBefore,
    shrunkTimes,
    hashesPath: join(folder.path, "hashes"),
    addedPath: join(folder.path, "added"),
    temporaryPath: join(folder.path, "sorting"),
    newKey: () => new Uint8Array(8),
    yielder: createYielder({ sliceMs: 1_000, elapsedMs: () => performance.now() }),
    signal: new AbortController().signal,
  });
}
const text = (content: string) => inspect(Buffer.from(content));

test.each([
  ["names", "a.com\nb.com\n", 2],
  ["links and email addresses", "hxxps://paypa1[.]com/login\nlogin[@]paypa2[.]com\n", 2],
  ["a comment in front", "# list of <today>\na.com\n", 1],
  ["CSV", "rank,domain\n1,a.com\n2,b.com\n", 2],
  ["a hosts file", "127.0.0.1 localhost\n0.0.0.0 a.com\n0.0.0.0 b.com\n", 2],
  ["some lines of other text", "a.com\nb.com\nnot a name\n", 3],
])("a list with %s is accepted", async (_name, content, names) => {
  expect(await text(content)).toMatchObject({ change: { names } });
});

test.each([
  ["an HTML page", " \n<!doctype html><title>a.com</title>", "is an HTML page, not a list"],
  ["HTML without a type", "<HTML>\na.com\n", "is an HTML page, not a list"],
  ["XML", '<?xml version="1.0"?>\n<Error>NoSuchKey</Error>', "is XML or HTML, not a list"],
  ["an error message", "Error: quota exceeded. Contact sales.\n", "contains no names"],
  ["a JSON error", '{"error":"quota exceeded"}\n', "contains no list of names; name the field with column"],
  ["mostly other text", "a.com\nfoo bar\nbar foo\n", "is not a list of names: 2 of 3 entries are no names"],
  ["nothing", "", "contains no names"],
])("%s is rejected", async (_name, content, problem) => {
  expect(await text(content)).toEqual({ problem, isShrunk: false });
});

test.each([
  [1_000, 0, 99, true],
  [1_000, 0, 100, false],
  [1_000, 1, 99, true],
  [1_000, 2, 99, false],
  [999, 0, 1, false],
])(
  "a list of %i names that has shrunk %i times before and now has %i is rejected: %p",
  async (namesBefore, shrunkTimes, now, isRejected) => {
    const list = Array.from({ length: now }, (_, index) => `name${index}.com\n`).join("");
    const result = await inspect(Buffer.from(list), { namesBefore, shrunkTimes });
    expect("problem" in result && result.isShrunk).toBe(isRejected);
  },
);

test(`corrupt and truncated lists of every kind are rejected or read, and leave no open file (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  const plain = Buffer.from(Array.from({ length: 2_000 }, (_, index) => `name${index}.com\n`).join(""));
  const kinds = [plain, gzipSync(plain), zstdCompressSync(plain), zipSync({ "list.txt": plain })];
  for (let round = 0; round < 60; round++) {
    const bytes = Uint8Array.from(kinds[round % kinds.length]!);
    for (let flips = random(8); flips >= 0; flips--) bytes[random(bytes.length)] = random(256);
    const result = await inspect(bytes.subarray(0, random(4) === 0 ? random(bytes.length) : bytes.length));
    expect("change" in result || result.problem.length > 0).toBe(true);
  }
  // Bun reports an open file that is collected as an uncaught error.
  Bun.gc(true);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(readdirSync(folder.path)).not.toContain("sorting");
});
