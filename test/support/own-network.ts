import { findChromium } from "./chromium.ts";

/** The user `nobody`, who owns no files. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/**
 * Returns the arguments that run a command in a network namespace of its own, where it can use any address and mount
 * file systems; undefined without the right to create one. The kernel ends everything that the command has started with
 * it, also if it fails or is killed.
 */
export function ownNetwork(): string[] | undefined {
  if (process.platform !== "linux" || Bun.which("ip") === null) return undefined;
  const prefix = [
    "unshare",
    ...(isRoot ? [] : ["--user", "--map-root-user"]),
    "--net",
    "--pid",
    "--kill-child",
    "--mount-proc",
    "--",
  ];
  if (Bun.which(prefix[0]!) === null) return undefined;
  const works = Bun.spawnSync([...prefix, "ip", "link", "set", "lo", "up"], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  return works.exitCode === 0 ? prefix : undefined;
}

/** Returns the arguments that run a command as a user without rights; undefined unless root runs the tests. */
export function asNobody(): { prefix: string[]; uid: number } | undefined {
  if (!isRoot || Bun.which("setpriv") === null) return undefined;
  const prefix = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"];
  return { prefix, uid: nobody };
}

/** Returns Chromium if it starts as `nobody` with its sandbox, which needs user namespaces or its set-uid helper. */
export function sandboxedChromium(): string | undefined {
  const chromium = findChromium();
  const user = asNobody();
  if (chromium === undefined || user === undefined) return undefined;
  const started = Bun.spawnSync([...user.prefix, chromium, "--headless", "--dump-dom", "about:blank"], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, HOME: "/nonexistent" },
    timeout: 20_000,
  });
  return started.stdout.toString().includes("<html>") ? chromium : undefined;
}
