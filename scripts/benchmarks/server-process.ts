import { readFileSync, readdirSync } from "node:fs";

/** Clock ticks per second in the CPU times that Linux reports, on every architecture (`getconf CLK_TCK`). */
const ticksPerSecond = 100;
const startTimeoutMs = 20_000;
const stopTimeoutMs = 15_000;
const pollIntervalMs = 0.5;
/** Maximum time between the loss of a connection and the exit of the process that caused it. */
const exitDelayMs = 500;
/**
 * A server is idle when it uses less than this share of one processor for this time, and its threads do not wait for a
 * processor that other programs use either.
 */
const idle = { share: 0.05, waitingShare: 0.5, forMs: 1_000, timeoutMs: 300_000 };

export interface ServerProcess {
  name: string;
  command: readonly string[];
  port: number;
  pid: number;
  /** Returns the user and system CPU time of all threads so far, in seconds, with a resolution of 10 ms. */
  cpuSeconds(): number;
  /** Returns the current resident memory, in bytes. */
  residentBytes(): number;
  /** Time from starting the process to its first 200 response, in milliseconds. */
  startMs: number;
  /** CPU time of all threads up to that response, in milliseconds. */
  startCpuMs: number;
  /** Resolves when the work that follows the start is done, such as grouping threats into campaigns. */
  untilIdle(): Promise<void>;
  /** @throws if the process has exited, with its exit code and log. */
  requireAlive(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server and waits until `readyPath`, requested with `headers`, returns 200. */
export async function startServer({
  name,
  command,
  port,
  readyPath,
  cwd,
  environment = {},
  headers = {},
}: {
  name: string;
  command: string[];
  port: number;
  readyPath: string;
  cwd: string;
  environment?: Record<string, string>;
  headers?: Record<string, string>;
}): Promise<ServerProcess> {
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, NODE_ENV: "production", ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const killOnExit = () => child.kill("SIGKILL");
  process.on("exit", killOnExit);
  const log = new Response(child.stderr).text();
  const url = `http://127.0.0.1:${port}${readyPath}`;
  const exitError = async () =>
    new Error(`${name} exited (code ${child.exitCode}, signal ${child.signalCode}): ${await log}`);
  let ready = false;
  while (!ready) {
    if (child.exitCode !== null) throw await exitError();
    if (performance.now() - startedAt > startTimeoutMs) {
      child.kill("SIGKILL");
      throw new Error(`${name} did not return 200 for ${url} in time: ${await log}`);
    }
    ready = await returns200(url, headers);
    if (!ready) await Bun.sleep(pollIntervalMs);
  }
  const startMs = performance.now() - startedAt;
  const startCpuMs = cpuNanoseconds(child.pid) / 1e6;
  return {
    name,
    command,
    port,
    pid: child.pid,
    startMs,
    startCpuMs,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    async untilIdle() {
      const waitedFrom = performance.now();
      for (let isIdle = false; !isIdle;) {
        if (performance.now() - waitedFrom > idle.timeoutMs) throw new Error(`${name} does not become idle`);
        const before = schedulingOf(child.pid);
        await Bun.sleep(idle.forMs);
        const after = schedulingOf(child.pid);
        const shareOf = (nanoseconds: number) => nanoseconds / (idle.forMs * 1e6);
        isIdle =
          shareOf(after.ran - before.ran) <= idle.share &&
          shareOf(after.waited - before.waited) <= idle.waitingShare;
      }
    },
    residentBytes: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, "latin1");
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    },
    async requireAlive() {
      await Promise.race([child.exited, Bun.sleep(exitDelayMs)]);
      if (child.exitCode !== null || child.signalCode !== null) throw await exitError();
    },
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      await child.exited;
      clearTimeout(timer);
      process.off("exit", killOnExit);
    },
  };
}

/** Returns the user and system CPU time of a process, all threads, in seconds, with a resolution of 10 ms. */
export function cpuSecondsOf(pid: number): number {
  // The name in parentheses can contain spaces; utime and stime are fields 14 and 15 (proc_pid_stat(5)).
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Returns the exact CPU time of all live threads. Too expensive to read often, and excludes exited threads. */
export function cpuNanoseconds(pid: number): number {
  return schedulingOf(pid).ran;
}

/** Returns for how many nanoseconds all live threads have run, and waited for a processor. */
function schedulingOf(pid: number): { ran: number; waited: number } {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ").map(Number),
  );
  const sum = (field: number) => threads.reduce((total, fields) => total + fields[field]!, 0);
  return { ran: sum(0), waited: sum(1) };
}

async function returns200(url: string, headers: Record<string, string>): Promise<boolean> {
  try {
    const response = await fetch(url, { headers, keepalive: false, proxy: false as never });
    await response.bytes();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** Returns a port that was free a moment ago. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
