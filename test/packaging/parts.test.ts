import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import {
  buildParts,
  checksumsName,
  incompleteFolder,
  requireReplaceable,
  type Part,
} from "../../scripts/packaging/parts.ts";

let folder: string;
let output: string;
let said: string;
let spy: ReturnType<typeof spyOn>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "phishwatch-parts-"));
  output = join(folder, "release");
  said = "";
  spy = spyOn(console, "error").mockImplementation((line: string) => void (said += `${line}\n`));
});
afterEach(() => {
  spy.mockRestore();
  rmSync(folder, { recursive: true });
});

const works = (name: string): Part => ({
  name,
  build: () => Promise.resolve([{ name: `${name}.tar`, bytes: new TextEncoder().encode(name) }]),
});
const fails = (name: string): Part => ({ name, build: () => Promise.reject(new Error("no package")) });

/** Returns the names of the files in a folder, whose checksums are compared. */
function filesIn(path: string): string[] {
  const { success } = Bun.spawnSync(["sha256sum", "--check", "--strict", checksumsName], { cwd: path });
  expect(success).toBe(true);
  return readdirSync(path).filter((name) => name !== checksumsName);
}

test("a release whose parts are all built replaces the earlier one and leaves nothing else behind", async () => {
  mkdirSync(output);
  writeFileSync(join(output, "earlier.tar"), "");
  writeFileSync(join(output, checksumsName), "");
  const parts = (temporary: string) => {
    writeFileSync(join(temporary, "executable"), "");
    return [works("a"), works("b")];
  };
  expect(await buildParts(output, parts)).toBe(true);
  expect(filesIn(output)).toEqual(["a.tar", "b.tar"]);
  expect(readdirSync(folder)).toEqual(["release"]);
});

test("what is finished is kept when another part fails, and the earlier release does not change", async () => {
  expect(await buildParts(output, () => [works("earlier")])).toBe(true);
  expect(await buildParts(output, () => [works("a"), fails("image"), works("b")])).toBe(false);
  expect(filesIn(output)).toEqual(["earlier.tar"]);
  expect(filesIn(incompleteFolder(output))).toEqual(["a.tar", "b.tar"]);
  expect(said).toContain("error in image: no package");
  expect(said).toContain(
    `The release is incomplete. Finished: a, b (in ${incompleteFolder(output)}, with checksums). Failed: image.`,
  );
});

test("a part of which one file cannot be written leaves none of its files", async () => {
  const part: Part = {
    name: "image",
    build: async () => [...(await works("image").build()), { name: "no-folder/x", bytes: new Uint8Array() }],
  };
  expect(await buildParts(output, () => [works("a"), part])).toBe(false);
  expect(filesIn(incompleteFolder(output))).toEqual(["a.tar"]);
});

test("if every part fails, nothing is written", async () => {
  expect(await buildParts(output, () => [fails("a"), fails("b")])).toBe(false);
  expect(said).toContain("Finished: nothing. Failed: a, b.");
  expect(readdirSync(folder)).toEqual([]);
});

test("a folder with other files than a release is not replaced", () => {
  requireReplaceable(output);
  mkdirSync(output);
  requireReplaceable(output);
  writeFileSync(join(output, "thesis.txt"), "");
  expect(() => requireReplaceable(output)).toThrow("contains other files than a release");
  expect(existsSync(join(output, "thesis.txt"))).toBe(true);
  expect(readFileSync(join(output, "thesis.txt"), "utf8")).toBe("");
});
