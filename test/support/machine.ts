import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./until.ts";

/** A container with systemd, the programs of this system, and nothing else: no files, no users, no network. */
export interface Machine {
  /** Folder of this system that the machine has as `/media/shared`. */
  shared: string;
  /** Runs a script with `sh -eu` as root, in `/`. */
  run(script: string): Promise<{ exitCode: number; out: string; err: string }>;
  /** Stops everything at once and deletes the machine with all its files. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Returns whether machines can be booted: by root, with systemd-nspawn. */
export const canBootMachines =
  process.platform === "linux" && process.getuid?.() === 0 && Bun.which("systemd-nspawn") !== null;

const bootMs = 20_000;

/**
 * Boots a machine.
 * @param name unique among the running machines; its host name
 */
export async function bootMachine(name: string): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), `phishwatch-machine-`));
  const shared = join(folder, "shared");
  mkdirSync(shared);
  const preset = join(folder, "none.preset");
  // An empty /etc makes systemd enable every service of this system that its presets name.
  writeFileSync(preset, "disable *\n");
  const console = join(folder, "console.log");
  const nspawn = Bun.spawn(
    [
      "systemd-nspawn",
      "--quiet",
      "--directory=/",
      // The root is empty and in memory; only /usr is that of this system.
      "--volatile=yes",
      "--overlay=+/usr/local::/usr/local",
      `--bind=${shared}:/media/shared`,
      `--bind-ro=${preset}:/etc/systemd/system-preset/00-none.preset`,
      "--private-network",
      // Without these, it asks the service manager of this system, which containers and build machines lack.
      "--register=no",
      "--keep-unit",
      `--machine=${name}`,
      `--uuid=${crypto.randomUUID()}`,
      "--console=pipe",
      "--boot",
      "systemd.unit=multi-user.target",
      "systemd.firstboot=off",
      "systemd.show_status=no",
    ],
    { stdin: "ignore", stdout: Bun.file(console), stderr: Bun.file(console) },
  );
  const stop = async () => {
    // The kernel ends everything in the machine with its first process, which would outlive systemd-nspawn.
    const leader = leaderOf(nspawn.pid);
    if (leader === undefined) nspawn.kill("SIGKILL");
    else process.kill(leader, "SIGKILL");
    await nspawn.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const run = (script: string) => runInside(leaderOf(nspawn.pid), script);
    const state = async () => (await run("systemctl is-system-running || true")).out.trim();
    const hasBooted = async () =>
      leaderOf(nspawn.pid) !== undefined && /^(running|degraded)$/.test(await state());
    await until(hasBooted, "the machine has booted", bootMs);
    return { shared, run, [Symbol.asyncDispose]: stop };
  } catch (error) {
    const text = readFileSync(console, "utf8");
    await stop();
    throw new Error(`the machine ${name} did not start:\n${text}`, { cause: error });
  }
}

/** Returns the process that is the first one of the machine, by its number in this system. */
function leaderOf(nspawn: number): number | undefined {
  const { stdout } = Bun.spawnSync(["pgrep", "--parent", String(nspawn), "--exact", "systemd"]);
  const [first] = stdout.toString().split("\n");
  return first ? Number(first) : undefined;
}

async function runInside(leader: number | undefined, script: string) {
  const command = [
    "nsenter",
    `--target=${leader}`,
    "--mount",
    "--uts",
    "--ipc",
    "--net",
    "--pid",
    "--wd=/",
    "--",
    "env",
    "-i",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/root",
    "LANG=C.UTF-8",
    "sh",
    "-eu",
  ];
  const child = Bun.spawn(command, { stdin: new Blob([script]), stdout: "pipe", stderr: "pipe" });
  const [out, err, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, out, err };
}
