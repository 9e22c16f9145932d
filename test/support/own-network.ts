import { findChromium } from "./chromium.ts";

/** Who does not exist as a person and owns nothing. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/**
 * The arguments before a command that give it a network of its own, in which any address of the world can be had;
 * undefined where that cannot be had.
 */
export function ownNetwork(): string[] | undefined {
  if (process.platform !== "linux" || Bun.which("ip") === null) return undefined;
  const prefix = ["unshare", ...(isRoot ? [] : ["--user", "--map-root-user"]), "--net", "--"];
  if (Bun.which(prefix[0]!) === null) return undefined;
  const works = Bun.spawnSync([...prefix, "ip", "link", "set", "lo", "up"], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  return works.exitCode === 0 ? prefix : undefined;
}

/** The arguments before a command that run it as a user without rights; undefined where one cannot become another. */
export function asNobody(): { prefix: string[]; uid: number } | undefined {
  if (!isRoot || Bun.which("setpriv") === null) return undefined;
  const prefix = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"];
  return { prefix, uid: nobody };
}

/** Whether Chromium starts here with its sandbox on, as nobody: it needs user namespaces or its set-uid helper. */
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
