import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { imagesFolder } from "../../src/sandbox/images.ts";
import { buildDefinitions, readSource, root, type Source } from "./source.ts";

// Defines how the executable is built: for this machine by scripts/build, for others by scripts/release.

export interface Compilation {
  source: Source;
  /** Folder with the initial databases of a sandbox, from `makeSandboxImages`. */
  sandboxImages: string;
  /** The name of this file becomes part of the executable, so it must be the same in every build. */
  outfile: string;
  /** Runtime of another platform; by default the one that runs this. */
  platform?: { bunTarget: string; runtime: string };
}

/** The parts of Bun's metafile that say which files became part of the executable. */
export interface Bundle {
  inputs: Record<string, unknown>;
}

/** Writes an executable to `outfile`, and returns what it contains. */
export async function compile({ source, sandboxImages, outfile, platform }: Compilation): Promise<Bundle> {
  const metafile = `${outfile}.json`;
  const crossCompiling =
    platform === undefined
      ? []
      : [`--target=${platform.bunTarget}`, `--compile-executable-path=${platform.runtime}`];
  mkdirSync(dirname(outfile), { recursive: true });
  await run([
    "build",
    "--compile",
    "--format=esm",
    "--bytecode",
    "--sourcemap",
    // One file for each part that is loaded on demand. In a single file, the start reads all of it: `version` takes
    // twice as long.
    "--splitting",
    // No --minify: mangled identifiers break the code that Elysia generates ahead of time.
    "--minify-syntax",
    "--minify-whitespace",
    // Otherwise the executable runs bunfig.toml and reads .env in its working directory.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    "--asset=drizzle",
    `--asset=${sandboxImages}`,
    "--asset=src/sandbox/screenshots",
    // Startup code runs once, so not compiling it saves a third of the startup time. endStartup()
    // (src/platform/lib/startup.ts) restores the normal policy.
    "--compile-jit-policy=64",
    ...buildDefinitions(source),
    // Two packages contain unused code that would embed the path of the project's folder.
    "--define=__dirname='/'",
    ...crossCompiling,
    `--metafile=${metafile}`,
    "src/main.ts",
    `--outfile=${outfile}`,
  ]);
  return JSON.parse(readFileSync(metafile, "utf8")) as Bundle;
}

/** Writes the initial databases of a sandbox below `folder`, and returns the path of their folder. */
export async function makeSandboxImages(folder: string): Promise<string> {
  const path = join(folder, imagesFolder);
  await run(["scripts/sandbox/make-images.ts", path]);
  return path;
}

/** Runs Bun in the project's folder. Its output goes to standard error. @throws if it fails */
async function run(words: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, ...words], {
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  for await (const bytes of child.stdout) process.stderr.write(bytes);
  if ((await child.exited) !== 0) throw new Error(`bun ${words.slice(0, 2).join(" ")} failed`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { outfile: { type: "string" } } });
  if (values.outfile === undefined) throw new Error("usage: compile.ts --outfile FILE");
  const outfile = join(root, values.outfile);
  const sandboxImages = await makeSandboxImages(dirname(outfile));
  await compile({ source: readSource(), sandboxImages, outfile });
  rmSync(sandboxImages, { recursive: true });
}
