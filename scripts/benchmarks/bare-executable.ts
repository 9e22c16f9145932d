import { randomBytes } from "node:crypto";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { phishwatchExecutable } from "./phishwatch.ts";

/**
 * Compiles a program next to this file with the flags of phishwatch. Random bytes, which nothing reads, make the executable
 * as large as phishwatch: the system maps large executables more slowly. Returns its path in `folder`.
 */
export function buildBare(name: "bare-server" | "bare-command", folder: string): string {
  const executable = join(folder, name);
  compile(name, executable, []);
  const padding = join(folder, `${name}.padding`);
  const missing = statSync(phishwatchExecutable).size - statSync(executable).size;
  writeFileSync(padding, randomBytes(Math.max(0, missing)));
  compile(name, executable, [`--asset=${padding}`]);
  rmSync(padding);
  return executable;
}

function compile(name: string, executable: string, assets: readonly string[]): void {
  const flags = "--compile --format=esm --bytecode --minify-syntax --minify-whitespace".split(" ");
  const source = join(import.meta.dir, `${name}.ts`);
  const words = [process.execPath, "build", ...flags, ...assets, source, "--outfile", executable];
  const build = Bun.spawnSync(words);
  if (!build.success) throw new Error(`${name} did not compile: ${build.stderr.toString()}`);
}
