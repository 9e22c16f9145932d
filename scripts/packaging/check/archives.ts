import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { libcPackage, unpackDeb } from "../image/base.ts";
import { fetchDebianPackage } from "../image/debian-packages.ts";
import { projectPackage } from "../source.ts";
import { NotRunnable, requirePrograms, run, type Environment } from "./environment.ts";
import { verifySignature } from "./mach-o.ts";
import { makeMuslRoot } from "./musl.ts";

/** A processor of 2008, without AVX. */
const oldProcessor = "Nehalem";

/**
 * Unpacks an archive and returns where it runs.
 * @param release folder with the archives
 * @throws NotRunnable if this machine cannot run it
 */
export async function openArchive(release: string, target: string): Promise<Environment> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new NotRunnable("the checks need Linux on x64");
  }
  if (target === "windows-x64") throw new NotRunnable("it needs Windows");
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-check-"));
  const dispose = () => rmSync(folder, { recursive: true, force: true });
  try {
    const base = `phishwatch-${projectPackage.version}-${target}`;
    run(["tar", "-xzf", join(release, `${base}.tar.gz`), "-C", folder]);
    // As an operator does it, in the unpacked folder.
    run(["sh", "-c", `cd "$0" && sha256sum --check --quiet SHA256SUMS`, join(folder, base)]);
    const executable = join(folder, base, "phishwatch");
    if (target === "darwin-arm64") {
      const pages = verifySignature(readFileSync(executable));
      throw new NotRunnable(`it needs macOS; its signature matches all ${pages} pages of the executable`);
    }
    const { title, command } = await runnerOf(target, { executable, folder });
    return { title: `${base}.tar.gz, ${title}`, command, folder, dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** Returns how an executable is run on this machine, in words and as a command. */
async function runnerOf(
  target: string,
  { executable, folder }: { executable: string; folder: string },
): Promise<{ title: string; command: Environment["command"] }> {
  if (target === "linux-x64") {
    return { title: "on this machine", command: (words) => [executable, ...words] };
  }
  if (target === "linux-x64-baseline") {
    requirePrograms({ "qemu-x86_64-static": "qemu-user-static" });
    const emulator = ["qemu-x86_64-static", "-cpu", oldProcessor, executable];
    return {
      title: `emulated by QEMU as a processor without AVX (${oldProcessor})`,
      command: (words) => [...emulator, ...words],
    };
  }
  if (target === "linux-arm64") {
    requirePrograms({ "qemu-aarch64-static": "qemu-user-static" });
    const libraries = join(folder, "libraries");
    run(["mkdir", "-p", libraries]);
    unpackDeb(await fetchDebianPackage(libcPackage("arm64")), libraries);
    // The loader is at /lib, which is a link to /usr/lib in Debian.
    run(["ln", "-s", "usr/lib", join(libraries, "lib")]);
    const emulator = ["qemu-aarch64-static", "-L", libraries, executable];
    return {
      title: "emulated by QEMU with the C library of Debian",
      command: (words) => [...emulator, ...words],
    };
  }
  if (target === "linux-x64-musl") {
    requirePrograms({ unshare: "util-linux" });
    if (process.getuid?.() !== 0) throw new NotRunnable("a root folder can be entered by root only");
    const root = await makeMuslRoot(join(folder, "root"), executable, "x64");
    return {
      title: "in a root folder with musl and no other C library",
      command: (words) => [...enter(root, folder), "/usr/bin/phishwatch", ...words],
    };
  }
  requirePrograms({ "qemu-aarch64-static": "qemu-user-static" });
  const root = await makeMuslRoot(join(folder, "root"), executable, "arm64");
  return {
    title: "emulated by QEMU with musl and no other C library",
    command: (words) => ["qemu-aarch64-static", "-L", root, executable, ...words],
  };
}

/** Returns a command that runs its arguments in `root`, with `folder` at the same path, in a mount namespace. */
function enter(root: string, folder: string): string[] {
  const script = `root=$0 folder=$1; shift
mkdir -p "$root/proc" "$root/dev" "$root/tmp" "$root$folder"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$folder" "$root$folder"
exec chroot "$root" "$@"`;
  return ["unshare", "--mount", "sh", "-eu", "-c", script, root, folder];
}
