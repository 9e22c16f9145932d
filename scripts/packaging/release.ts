import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checksumLines, file, gzip, sha256, tar, withFolders, zip, type Entry } from "./archives.ts";
import { compile, makeSandboxImage, type Bundle } from "./compile.ts";
import { collectContents, type SharedContents } from "./contents.ts";
import { buildDeb, debName } from "./debian/deb.ts";
import { buildImage, composeFile } from "./image/image.ts";
import { print } from "./print.ts";
import { fetchRuntimes } from "./runtimes.ts";
import { projectPackage, readSource, root, type Source } from "./source.ts";
import { processors, targets, type Target } from "./targets.ts";

const checksumsName = "SHA256SUMS";

/** Parts that can be built alone: the archive of a target, the Debian packages, or the container image. */
const parts = [...targets.map(({ name }) => name), "debian", "image"];

const usage = `usage: scripts/release [--output FOLDER] [--only PART]... [--runtime FILE] [--allow-modified]

Builds the archives, Debian packages and the container image of this commit into FOLDER (default: dist/release), which it
replaces.
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
  if (existsSync(output) && !existsSync(join(output, checksumsName)) && readdirSync(output).length > 0) {
    console.error(
      `${output} contains other files than a release, and would be replaced. Name another folder.`,
    );
    return 1;
  }
  await release(output, { source, only });
  return 0;
}

/** Builds into a temporary folder, which then replaces `output`. */
async function release(
  output: string,
  { source, only }: { source: Source; only: readonly string[] },
): Promise<void> {
  mkdirSync(resolve(output, ".."), { recursive: true });
  const staging = mkdtempSync(`${output}-staging-`);
  // An interrupted build leaves nothing behind.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      rmSync(staging, { recursive: true, force: true });
      process.exit(1);
    });
  }
  try {
    const forPackages: string[] = processors.map(({ target }) => target);
    const needed = targets.filter(({ name }) => {
      return (
        only.includes(name) ||
        (forPackages.includes(name) && (only.includes("debian") || only.includes("image")))
      );
    });
    const built = await buildExecutables(join(staging, "build"), { source, needed });
    const shared = await collectContents(source, built.bundle);
    const names: string[] = [];
    const write = (name: string, bytes: Uint8Array) => {
      writeFileSync(join(staging, name), bytes);
      names.push(name);
      console.error(`${name}: ${(bytes.length / 1e6).toFixed(1)} MB`);
    };
    for (const target of needed.filter(({ name }) => only.includes(name))) {
      const executable = built.executables.get(target.name)!;
      write(...archive({ target, executable, shared, timeS: source.timeS }));
    }
    const readPackaged = () =>
      processors.map(({ debian, target }) => ({
        architecture: debian,
        executable: new Uint8Array(readFileSync(built.executables.get(target)!)),
        licenses: shared.licenses,
        sbom: shared.sbom(target),
      }));
    if (only.includes("debian")) {
      const unit = await print(["service", "unit", "--executable", "/usr/bin/phishwatch"]);
      for (const { architecture, ...own } of readPackaged()) {
        const contents = { ...own, shared: shared.files, unit };
        write(debName(architecture), buildDeb({ architecture, contents, timeS: source.timeS }));
      }
    }
    if (only.includes("image")) {
      write(`phishwatch-${projectPackage.version}-image.tar`, await buildImage(readPackaged(), source));
      write("compose.yaml", new TextEncoder().encode(composeFile()));
    }
    rmSync(join(staging, "build"), { recursive: true });
    const files = names.map((name) => ({ name, bytes: readFileSync(join(staging, name)) }));
    writeFileSync(join(staging, checksumsName), checksumLines(files));
    chmodSync(staging, 0o755);
    rmSync(output, { recursive: true, force: true });
    renameSync(staging, output);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Returns the path of the executable of each target, and what is in all of them. */
async function buildExecutables(
  folder: string,
  { source, needed }: { source: Source; needed: readonly Target[] },
): Promise<{ executables: Map<string, string>; bundle: Bundle }> {
  const given = values.runtime;
  const runtimes =
    given === undefined
      ? await fetchRuntimes(needed.map(({ runtime }) => runtime))
      : new Map([[needed[0]!.runtime, resolve(given)]]);
  mkdirSync(folder);
  const sandboxImage = await makeSandboxImage(folder);
  const executables = new Map<string, string>();
  let bundle: Bundle = { inputs: {} };
  for (const { name, runtime, bunTarget, executable } of needed) {
    const outfile = join(folder, name, executable);
    const platform = { bunTarget, runtime: runtimes.get(runtime)! };
    bundle = await compile({ commit: source.commit, sandboxImage, outfile, platform });
    executables.set(name, outfile);
  }
  return { executables, bundle };
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
}): [name: string, bytes: Uint8Array] {
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
    ? [`${base}.zip`, zip(all, timeS)]
    : [`${base}.tar.gz`, gzip(tar(all, timeS))];
}

function contentSums(entries: readonly Entry[]): string {
  return entries
    .flatMap((entry) => (entry.kind === "file" ? [`${sha256(entry.bytes)}  ${entry.path}\n`] : []))
    .sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1))
    .join("");
}
