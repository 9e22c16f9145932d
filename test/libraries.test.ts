import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { read, top } from "./support/source-tree.ts";

// The rooms that others can use without the appliance: their READMEs show how.

const rooms = [
  "src/engines/archive",
  "src/engines/certificate-transparency",
  "src/engines/detection",
  "src/platform/network",
];
const readmeLinesMax = 40;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-examples-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the content of the only code fence of a language. */
function fence(text: string, language: string): string {
  const found = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))];
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? "";
}

function writeExample(room: string): string {
  const code = fence(read(join(room, "README.md")), "ts");
  const path = join(folder, `${room.replaceAll("/", "-")}.ts`);
  writeFileSync(
    path,
    code.replace(/(?<= from ")\.[^"]+/g, (specifier) => resolve(top, room, specifier)),
  );
  return path;
}

test.each(rooms)("the example of %s prints what its README says", (room) => {
  const readme = read(join(room, "README.md"));
  const { stdout, stderr } = Bun.spawnSync([process.execPath, writeExample(room)], { cwd: folder });
  expect(stderr.toString()).toBe("");
  expect(stdout.toString()).toBe(fence(readme, "text"));
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(readmeLinesMax);
});

test("the examples have correct types, by the rules of the project", () => {
  for (const room of rooms) writeExample(room);
  const config = join(folder, "tsconfig.json");
  const compilerOptions = { typeRoots: [join(top, "node_modules")] };
  const rules = { extends: join(top, "tsconfig.json"), compilerOptions, include: ["*.ts"], references: [] };
  writeFileSync(config, JSON.stringify(rules));
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, "check", "-p", config], {
    cwd: folder,
  });
  expect({ exitCode, text: stdout.toString() }).toMatchObject({ exitCode: 0 });
});
