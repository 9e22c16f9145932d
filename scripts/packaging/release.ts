import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { file, gzip, sha256, tar, withFolders, zip, type Entry } from "./archives.ts";
import { compile, makeSandboxImages, type Bundle } from "./compile.ts";
import { collectContents, type SharedContents } from "./contents.ts";
import { buildDeb, debName } from "./debian/deb.ts";
import { libcPackage } from "./image/base.ts";
import { fetchDebianPackage } from "./image/debian-packages.ts";
import { buildImage, composeFile } from "./image/image.ts";
import {
  buildParts,
  checksumsName,
  incompleteFolder,
  requireReplaceable,
  type Part,
  type ReleaseFile,
} from "./parts.ts";
import { print } from "./print.ts";
import { fetchRuntimes } from "./runtimes.ts";
import { projectPackage, readSource, root, type Source } from "./source.ts";
import { processors, targets, type Target } from "./targets.ts";

/** Parts that can be built alone: the archive of a target, the Debian packages, or the container image. */
const parts = [...targets.map(({ name }) => name), "debian", "image"];

const usage = `usage: scripts/release [--output FOLDER] [--only PART]... [--runtime FILE] [--allow-modified]

Builds the archives, Debian packages and the container image of this commit into FOLDER (default: dist/release), which it
replaces. Fetches everything that it needs before it compiles. If a part fails, the others are in FOLDER-incomplete.
PART: ${parts.join(", ")}
FILE: the Bun in the archive of the only part, which is not verified; by default, runtimes are fetched and verified`;

const { values } = parseArgs({
  options: {
    output: { type: "string", default: join(root, "dist/release") },
    only: { type: "string", multiple: true, default: parts },
    runtime: { type: "string" },
    "allow-modified": { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) console.log(usage);
else process.exitCode = await main(resolve(values.output), values.only);

async function main(output: string, only: readonly string[]): Promise<number> {
  const source = readSource();
  const unknown = only.filter((part) => !parts.includes(part));
  if (unknown.length > 0) {
    console.error(`unknown part: ${unknown.join(", ")}\n\n${usage}`);
    return 2;
  }
  if (values.runtime !== undefined && !(only.length === 1 && targets.some(({ name }) => name === only[0]))) {
    console.error("--runtime needs --only with one archive, because each platform has a runtime of its own.");
    return 2;
  }
  if (source.commit.endsWith("-modified") && !values["allow-modified"]) {
    console.error("Tracked files differ from the last commit. Commit them, or add --allow-modified.");
    return 1;
  }
  try {
    requireReplaceable(output);
    requireReplaceable(incompleteFolder(output));
    const needed = neededTargets(only);
    const runtimes = await fetchInputs(needed, only);
    const complete = await buildParts(output, (folder) =>
      partsOf(createBuilder({ folder, source, needed, runtimes }), { source, only }),
    );
    return complete ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

/** Returns the targets whose executables the parts contain. */
function neededTargets(only: readonly string[]): Target[] {
  const packaged = only.includes("debian") || only.includes("image");
  return targets.filter(
    ({ name }) => only.includes(name) || (packaged && processors.some(({ target }) => target === name)),
  );
}

/**
 * Fetches everything that comes from elsewhere, so that nothing is compiled in vain.
 * @returns the path of each runtime
 * @throws with everything that cannot be fetched
 */
async function fetchInputs(needed: readonly Target[], only: readonly string[]): Promise<Map<string, string>> {
  const given = values.runtime;
  const runtimes =
    given === undefined
      ? fetchRuntimes(needed.map(({ runtime }) => runtime))
      : Promise.resolve(new Map([[needed[0]!.runtime, resolve(given)]]));
  const libraries = only.includes("image")
    ? processors.map(({ debian }) => fetchDebianPackage(libcPackage(debian)))
    : [];
  const results = await Promise.allSettled([runtimes, ...libraries]);
  const problems = results.flatMap((result) =>
    result.status === "rejected" ? [(result.reason as Error).message] : [],
  );
  if (problems.length > 0) {
    throw new Error(
      `${problems.join("\n")}\nNothing was built. --only builds the parts that do not need these files.`,
    );
  }
  return runtimes;
}

/** Builds what several parts contain, once. */
interface Builder {
  /** Returns the path of the executable of a target. */
  executable(target: string): Promise<string>;
  /** Returns what is the same for all targets, from the bundle of this one, if it is the first. */
  shared(target: string): Promise<SharedContents>;
}

function createBuilder({
  folder,
  source,
  needed,
  runtimes,
}: {
  folder: string;
  source: Source;
  needed: readonly Target[];
  runtimes: ReadonlyMap<string, string>;
}): Builder {
  const sandboxImages = once(() => makeSandboxImages(folder));
  const compiled = new Map(
    needed.map(({ name, runtime, bunTarget, executable }) => {
      const outfile = join(folder, name, executable);
      const platform = { bunTarget, runtime: runtimes.get(runtime)! };
      const build = async (): Promise<{ outfile: string; bundle: Bundle }> => {
        const options = { source, sandboxImages: await sandboxImages(), outfile, platform };
        return { outfile, bundle: await compile(options) };
      };
      return [name, once(build)] as const;
    }),
  );
  let shared: Promise<SharedContents> | undefined;
  return {
    executable: async (target) => (await compiled.get(target)!()).outfile,
    async shared(target) {
      const { bundle } = await compiled.get(target)!();
      return (shared ??= collectContents(source, bundle));
    },
  };
}

/** Returns a function that starts the work with its first call, and returns the result of it to all. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => (result ??= work());
}

function partsOf(
  { executable, shared }: Builder,
  { source, only }: { source: Source; only: readonly string[] },
): Part[] {
  const { timeS } = source;
  const readPackaged = async () => {
    const { licenses, sbom, files } = await shared(processors[0].target);
    return Promise.all(
      processors.map(async ({ debian, target }) => ({
        architecture: debian,
        executable: new Uint8Array(readFileSync(await executable(target))),
        licenses,
        sbom: sbom(target),
        shared: files,
      })),
    );
  };
  const archives = targets.map((target) => ({
    name: target.name,
    build: async () => [
      archive({
        target,
        executable: await executable(target.name),
        shared: await shared(target.name),
        timeS,
      }),
    ],
  }));
  const debian = async () => {
    const unit = await print(["service", "unit", "--executable", "/usr/bin/phishwatch"]);
    return (await readPackaged()).map(({ architecture, ...own }) => ({
      name: debName(architecture),
      bytes: buildDeb({ architecture, contents: { ...own, unit }, timeS }),
    }));
  };
  const image = async () => [
    {
      name: `phishwatch-${projectPackage.version}-image.tar`,
      bytes: await buildImage(await readPackaged(), source),
    },
    { name: "compose.yaml", bytes: new TextEncoder().encode(composeFile()) },
  ];
  const all: Part[] = [...archives, { name: "debian", build: debian }, { name: "image", build: image }];
  return all.filter(({ name }) => only.includes(name));
}

/** Returns the name and the bytes of the archive of one target. Everything in it is in one folder of that name. */
function archive({
  target,
  executable,
  shared,
  timeS,
}: {
  target: Target;
  executable: string;
  shared: SharedContents;
  timeS: number;
}): ReleaseFile {
  const base = `phishwatch-${projectPackage.version}-${target.name}`;
  const files = [
    file(target.executable, readFileSync(executable), 0o755),
    file("sbom.cdx.json", shared.sbom(target.name)),
    ...shared.files,
  ];
  const entries: Entry[] = [...files, file(checksumsName, contentSums(files))].map((entry) => ({
    ...entry,
    path: `${base}/${entry.path}`,
  }));
  const all = withFolders(entries);
  return target.format === "zip"
    ? { name: `${base}.zip`, bytes: zip(all, timeS) }
    : { name: `${base}.tar.gz`, bytes: gzip(tar(all, timeS)) };
}

function contentSums(entries: readonly Entry[]): string {
  return entries
    .flatMap((entry) => (entry.kind === "file" ? [`${sha256(entry.bytes)}  ${entry.path}\n`] : []))
    .sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1))
    .join("");
}
