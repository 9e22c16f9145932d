import { readFileSync, readdirSync } from "node:fs";

/** Linux gives CPU times in ticks of this many a second, on every architecture (`getconf CLK_TCK`). */
const ticksPerSecond = 100;
const startTimeoutMs = 20_000;
const stopTimeoutMs = 15_000;
const pollIntervalMs = 0.5;
const endKnownMs = 500;

export interface ServerProcess {
  name: string;
  port: number;
  /** User and system CPU time of the whole process so far, all threads, in seconds; 10 ms fine. */
  cpuSeconds(): number;
  /** Resident memory now, in bytes. */
  residentBytes(): number;
  /** Time from starting the process to its first answer 200, in milliseconds. */
  startMs: number;
  /** CPU time of the process until then, all threads, in milliseconds. */
  startCpuMs: number;
  /** @throws what is known of its end, when it has ended. */
  requireAlive(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server and waits until `readyPath` answers 200. */
export async function startServer({
  name,
  command,
  port,
  readyPath,
  cwd,
  environment = {},
}: {
  name: string;
  command: string[];
  port: number;
  readyPath: string;
  cwd: string;
  environment?: Record<string, string>;
}): Promise<ServerProcess> {
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, NODE_ENV: "production", ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const log = new Response(child.stderr).text();
  const url = `http://127.0.0.1:${port}${readyPath}`;
  const died = async () =>
    new Error(`${name} ended (code ${child.exitCode}, signal ${child.signalCode}): ${await log}`);
  let ready = false;
  while (!ready) {
    if (child.exitCode !== null) throw await died();
    if (performance.now() - startedAt > startTimeoutMs) {
      child.kill("SIGKILL");
      throw new Error(`${name} did not answer ${url} with 200 in time: ${await log}`);
    }
    ready = await answers200(url);
    if (!ready) await Bun.sleep(pollIntervalMs);
  }
  const startMs = performance.now() - startedAt;
  const startCpuMs = cpuNanoseconds(child.pid) / 1e6;
  return {
    name,
    port,
    startMs,
    startCpuMs,
    cpuSeconds: () => {
      // The name in parentheses may hold blanks; utime and stime are fields 14 and 15 (proc_pid_stat(5)).
      const stat = readFileSync(`/proc/${child.pid}/stat`, "latin1");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    },
    residentBytes: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, "latin1");
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    },
    async requireAlive() {
      // What became of the process is known some time after its connections broke.
      await Promise.race([child.exited, Bun.sleep(endKnownMs)]);
      if (child.exitCode !== null || child.signalCode !== null) throw await died();
    },
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      await child.exited;
      clearTimeout(timer);
    },
  };
}

/** Of all living threads, to the nanosecond: too dear to read often, and ended threads are missing. */
function cpuNanoseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1"))
    .reduce((sum, schedstat) => sum + Number(schedstat.split(" ")[0]), 0);
}

async function answers200(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { keepalive: false, proxy: false as never });
    await answer.bytes();
    return answer.status > 0;
  } catch {
    return false;
  }
}

/** A port that was free a moment ago. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
