import { phishwatchExecutable } from "../benchmarks/phishwatch.ts";

/** A running `phishwatch serve`. */
export interface Server {
  readonly pid: number;
  readonly exited: Promise<number>;
  /** Returns the log so far. */
  log(): string;
  signal(name: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT"): void;
}

const readyTimeoutMs = 30_000;
const pollIntervalMs = 5;

/**
 * Starts the executable, and waits until `/healthz` returns 200.
 * @param wrapper command that runs the executable, such as one that limits its descriptors.
 * @throws with the log if the server does not start.
 */
export async function startServer({
  config,
  port,
  wrapper = [],
  environment = {},
}: {
  config: string;
  port: number;
  wrapper?: readonly string[];
  environment?: Record<string, string>;
}): Promise<Server> {
  const child = Bun.spawn([...wrapper, phishwatchExecutable, "serve", "--config", config], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", NODE_ENV: "production", ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  // Also after a failure of the campaign.
  const end = () => child.kill("SIGKILL");
  process.on("exit", end);
  void child.exited.then(() => process.off("exit", end));
  let log = "";
  void (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) log += text;
  })();
  const startedAt = performance.now();
  while (!(await isHealthy(port))) {
    if (child.exitCode !== null || performance.now() - startedAt > readyTimeoutMs) {
      child.kill("SIGKILL");
      await child.exited;
      throw new Error(
        `the server did not start within ${(performance.now() - startedAt).toFixed(0)} ms: ${log}`,
      );
    }
    await Bun.sleep(pollIntervalMs);
  }
  return {
    pid: child.pid,
    exited: child.exited,
    log: () => log,
    signal: (name) => child.kill(name),
  };
}

/** Runs a command of the executable to its end. */
export async function runCommand(
  args: readonly string[],
  { onStart = () => {} }: { onStart?: (child: { kill(signal: "SIGKILL"): void }) => void } = {},
): Promise<{ exitCode: number; output: string }> {
  const child = Bun.spawn([phishwatchExecutable, ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onStart(child);
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, output: output + errors };
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, { keepalive: false });
    await response.bytes();
    return response.status === 200;
  } catch {
    return false;
  }
}
