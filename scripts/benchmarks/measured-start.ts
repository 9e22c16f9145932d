import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { runMeasured } from "./measured-process.ts";
import { cpuNanoseconds, freePort, startServer } from "./server-process.ts";

/** One start of a program: until its first response, its first line, or its end. */
export interface Start {
  ms: number;
  /** User and system CPU time of all threads. */
  cpuMs: number;
  /** Absent for a command that has ended. */
  residentBytes?: number;
}

const apiKey = "key-of-the-benchmark-0123456789";

/** Starts the minimal server, and measures until its first 200 response. */
export function startBareServer(executable: string, folder: string): Promise<Start> {
  return untilResponse([executable], { port: freePort(), folder, path: "/" });
}

/** Starts `phishwatch serve` on a database, and measures until the first 200 response of its API, which reads the database. */
export function startServe(executable: string, { database, folder }: { database: string; folder: string }) {
  const port = freePort();
  const config = writeConfig({ database, port, apiKey });
  return untilResponse([executable, "serve", "--config", config], { port, folder, path: "/v1/threats" });
}

async function untilResponse(
  command: string[],
  { port, folder, path }: { port: number; folder: string; path: string },
): Promise<Start> {
  const server = await startServer({
    name: command.join(" "),
    port,
    cwd: folder,
    command,
    environment: { PORT: String(port) },
    readyPath: path,
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  const residentBytes = server.residentBytes();
  await server.stop();
  return { ms: server.startMs, cpuMs: server.startCpuMs, residentBytes };
}

/** Runs a command to its end. */
export async function startCommand(command: readonly string[]): Promise<Start> {
  const { exitCode, seconds, cpuMs } = await runMeasured(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} exited with code ${exitCode}`);
  return { ms: seconds * 1_000, cpuMs };
}

/** Starts a sandbox, and measures until its ready line. */
export async function startSandbox(folder: string): Promise<Start> {
  const startedAt = performance.now();
  const child = Bun.spawn([phishwatchExecutable, "sandbox"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { done } = await child.stdout.getReader().read();
  if (done) throw new Error("the sandbox ended before it was ready");
  const ms = performance.now() - startedAt;
  const cpuMs = cpuNanoseconds(child.pid) / 1e6;
  child.kill();
  await child.exited;
  return { ms, cpuMs };
}
