import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../archives.ts";
import { containerUserId } from "../image/base.ts";
import { NotRunnable, requirePrograms, run } from "./environment.ts";
import { smokeTest } from "./smoke.ts";

interface Descriptor {
  digest: string;
  size: number;
  platform?: { architecture: string };
}

interface Manifest {
  config: Descriptor;
  layers: Descriptor[];
}

/**
 * Compares every part of an image with its checksum, and runs the image for this processor without a container engine:
 * in its own root folder, which is read-only, as its user, without capabilities, on a volume. Returns what was done.
 * @param archive the image, a tar archive in the OCI layout
 * @throws NotRunnable if the user is not root
 */
export async function checkImageRoot(archive: string, { port }: { port: number }): Promise<string> {
  requirePrograms({ unshare: "util-linux", setpriv: "util-linux" });
  if (process.getuid?.() !== 0) throw new NotRunnable("only root can enter a root folder");
  const home = mkdtempSync(join(tmpdir(), "phishwatch-root-"));
  try {
    const { layers, env } = readImage(archive, join(home, "layout"));
    const root = join(home, "root");
    const volume = join(home, "volume");
    for (const folder of [root, volume]) mkdirSync(folder, { mode: 0o755 });
    for (const layer of layers) run(["tar", "--numeric-owner", "--same-owner", "-xzpf", layer, "-C", root]);
    for (const folder of ["proc", "dev"]) mkdirSync(join(root, folder));
    chownSync(volume, containerUserId, containerUserId);
    await smokeTest(
      {
        title: "image",
        folder: null,
        command: (words) => [...enter(root, volume, env), "phishwatch", ...words],
        dispose() {},
      },
      { port },
    );
    return "the container image, all parts by checksum, and run in its root folder, read-only and without capabilities";
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Returns the paths of the layers and the environment of the image for amd64. @throws if a part has another checksum */
function readImage(archive: string, layout: string): { layers: string[]; env: string[] } {
  mkdirSync(layout);
  run(["tar", "-xf", archive, "-C", layout]);
  const pathOf = ({ digest, size }: Descriptor): string => {
    const path = join(layout, "blobs", digest.replace(":", "/"));
    const bytes = readFileSync(path);
    if (bytes.length !== size || `sha256:${sha256(bytes)}` !== digest)
      throw new Error(`${digest} in the image is damaged`);
    return path;
  };
  const json = (path: string) => JSON.parse(readFileSync(path, "utf8")) as object;
  const top = json(join(layout, "index.json")) as { manifests: [Descriptor] };
  const all = json(pathOf(top.manifests[0])) as { manifests: Descriptor[] };
  const images = all.manifests.map((descriptor) => {
    const { config, layers } = json(pathOf(descriptor)) as Manifest;
    const { Env: env } = (json(pathOf(config)) as { config: { Env: string[] } }).config;
    return { architecture: descriptor.platform?.architecture, layers: layers.map(pathOf), env };
  });
  return images.find(({ architecture }) => architecture === "amd64")!;
}

/** Returns a command that runs its arguments in the root folder. */
function enter(root: string, volume: string, env: readonly string[]): string[] {
  const script = `root=$0 volume=$1; shift
mount --bind "$root" "$root"
mount --bind "$volume" "$root/var/lib/phishwatch"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount -o remount,ro,bind "$root"
exec "$@"`;
  const user = `--userspec=${containerUserId}:${containerUserId}`;
  const chroot = ["setpriv", "--no-new-privs", "env", "-i", ...env, Bun.which("chroot")!, user, root];
  return ["unshare", "--mount", "sh", "-eu", "-c", script, root, volume, ...chroot];
}
