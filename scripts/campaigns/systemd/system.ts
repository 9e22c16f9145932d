import { readFileSync, statfsSync } from "node:fs";

/** A system that runs in a container of systemd-nspawn. */
export interface System {
  /** Runs a program in it. */
  run(...command: [string, ...string[]]): Ended;
  /** Runs lines of a shell in it. */
  shell(script: string): Ended;
  /** Waits for a condition, and returns whether it was met in time. */
  until(condition: () => boolean): Promise<boolean>;
  stop(): Promise<void>;
}

interface Ended {
  code: number;
  out: string;
  /** Output and errors. */
  text: string;
}

const timeoutMs = 60_000;
const pollMs = 100;
/** `f_type` of tmpfs, which holds the folders of cgroups before version 2. */
const tmpfsType = 0x01021994;

/** @param root folder with an installation of Debian */
export async function startSystem(root: string): Promise<System> {
  const isFirstVersion = statfsSync("/sys/fs/cgroup").type === tmpfsType;
  const container = Bun.spawn(
    [
      "systemd-nspawn",
      "--quiet",
      "--register=no",
      "--keep-unit",
      "--console=pipe",
      "--boot",
      "--directory",
      root,
      ...(isFirstVersion ? ["systemd.unified_cgroup_hierarchy=0"] : []),
    ],
    // In a session of its own: it must not take over the terminal.
    { stdin: "ignore", stdout: "ignore", stderr: "pipe", detached: true },
  );
  const end = () => container.kill("SIGKILL");
  process.on("exit", end);

  /** Returns the number of its first process on this machine. */
  function firstProcess(): string | undefined {
    const { pid } = container;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0] || undefined;
  }

  function run(...command: [string, ...string[]]): Ended {
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      [
        "nsenter",
        "--target",
        firstProcess() ?? "0",
        "--mount",
        "--pid",
        "--ipc",
        "--uts",
        "--cgroup",
        "--root",
        "--",
        "env",
        "-i",
        "HOME=/root",
        "TERM=dumb",
        "SYSTEMD_PAGER=",
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        // The current folder is one of this machine.
        "sh",
        "-c",
        'cd / && exec "$@"',
        "sh",
        ...command,
      ],
      { stdin: "ignore" },
    );
    return { code: exitCode, out: stdout.toString(), text: `${stdout.toString()}${stderr.toString()}` };
  }

  async function until(condition: () => boolean): Promise<boolean> {
    for (const endsAt = performance.now() + timeoutMs; performance.now() < endsAt; await Bun.sleep(pollMs))
      if (condition()) return true;
    return false;
  }

  const isUp = () =>
    firstProcess() !== undefined && /^(running|degraded)/.test(run("systemctl", "is-system-running").out);
  if (!(await until(() => container.exitCode !== null || isUp())) || container.exitCode !== null) {
    end();
    throw new Error(`the container did not start: ${await new Response(container.stderr).text()}`);
  }
  return {
    run,
    shell: (script) => run("sh", "-c", script),
    until,
    async stop() {
      process.off("exit", end);
      run("systemctl", "poweroff", "--force", "--force");
      end();
      await container.exited;
    },
  };
}
