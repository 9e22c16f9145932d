import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectPackage } from "../source.ts";
import { NotRunnable, requirePrograms, run } from "./environment.ts";
import { checkImageRoot } from "./image-root.ts";
import { smokeTest } from "./smoke.ts";

/** Limits that a container may have on machines that are containers themselves. */
const limits = ["--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"];
/** The restrictions of the compose file. */
const restrictions = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"];

/**
 * Checks the container image with a container engine, or without one if no engine works on this machine. Returns what
 * was done.
 * @throws NotRunnable if neither is possible
 */
export async function checkImage(release: string, options: { port: number }): Promise<string> {
  const archive = join(release, `phishwatch-${projectPackage.version}-image.tar`);
  try {
    return await checkWithPodman(archive, options);
  } catch (error) {
    if (!(error instanceof NotRunnable)) throw error;
    return `${await checkImageRoot(archive, options)}; not with a container engine: ${error.message}`;
  }
}

/**
 * Loads the container image into an engine of its own and runs it without rights, on a volume. Returns what was done.
 * @throws NotRunnable if no container can be started on this machine
 */
async function checkWithPodman(archive: string, { port }: { port: number }): Promise<string> {
  requirePrograms({ podman: "podman", skopeo: "skopeo" });
  const home = mkdtempSync(join(tmpdir(), "phishwatch-image-"));
  try {
    // Reads every part for every processor and compares the checksums.
    run(["skopeo", "copy", "--quiet", "--all", `oci-archive:${archive}`, `dir:${join(home, "copied")}`]);
    const folders = ["--root", join(home, "root"), "--runroot", join(home, "run")];
    const podman = [
      "podman",
      ...folders,
      "--storage-driver=vfs",
      "--cgroup-manager=cgroupfs",
      "--events-backend=file",
    ];
    run([...podman, "load", "--quiet", "--input", archive]);
    const image = `localhost/phishwatch:${projectPackage.version}`;
    const runtime = findRuntime(podman, image);
    const volume = ["--volume", "data:/var/lib/phishwatch"];
    const container = [...podman, "--runtime", runtime, "run", "--rm", "--interactive", "--network=host"];
    await smokeTest(
      {
        title: "image",
        folder: null,
        command: (words) => [...container, ...limits, ...restrictions, ...volume, image, ...words],
        dispose() {},
      },
      { port },
    );
    return `the container image, with podman and ${runtime}, read-only and without capabilities`;
  } finally {
    run(["chmod", "-R", "u+rwX", home]);
    rmSync(home, { recursive: true, force: true });
  }
}

/** Returns the first container runtime that starts a container on this machine. */
function findRuntime(podman: readonly string[], image: string): string {
  const attempts = ["crun", "runc"].map((runtime) => {
    if (Bun.which(runtime) === null) return { runtime, problem: "not installed" };
    const command = [
      ...podman,
      "--runtime",
      runtime,
      "run",
      "--rm",
      "--network=host",
      ...limits,
      image,
      "version",
    ];
    const { exitCode, stderr } = Bun.spawnSync(command, { stdin: "ignore" });
    return { runtime, problem: exitCode === 0 ? undefined : stderr.toString().trim() };
  });
  const working = attempts.find(({ problem }) => problem === undefined);
  if (working !== undefined) return working.runtime;
  throw new NotRunnable(attempts.map(({ runtime, problem }) => `${runtime}: ${problem}`).join("; "));
}
