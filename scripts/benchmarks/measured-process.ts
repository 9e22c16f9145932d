import { readFileSync } from "node:fs";

const sampleMs = 20;

export interface MeasuredProcess {
  command: readonly string[];
  exitCode: number;
  seconds: number;
  /** User and system CPU time of all threads. */
  cpuMs: number;
  memoryBytes: number;
}

/**
 * Runs a program to its end and measures it.
 * @param output file that receives the standard output. Without it, the output is discarded.
 */
export async function runMeasured(command: readonly string[], output?: string): Promise<MeasuredProcess> {
  const startedAt = performance.now();
  const child = Bun.spawn([...command], {
    stdio: ["ignore", output === undefined ? "ignore" : Bun.file(output), "inherit"],
  });
  // The peak that getrusage(2) returns for a child is at least the memory of the process that started it.
  let memoryBytes = 0;
  const sample = () => {
    memoryBytes = peakBytes(child.pid) ?? memoryBytes;
  };
  const timer = setInterval(sample, sampleMs);
  const exitCode = await child.exited;
  const seconds = (performance.now() - startedAt) / 1_000;
  clearInterval(timer);
  return {
    command,
    exitCode,
    seconds,
    cpuMs: Number(child.resourceUsage()!.cpuTime.total) / 1_000,
    memoryBytes,
  };
}

/** Returns the peak of the resident memory so far (proc_pid_status(5)), or null once the process has exited. */
function peakBytes(pid: number): number | null {
  try {
    const kiB = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return kiB === undefined ? null : Number(kiB) * 1_024;
  } catch {
    return null;
  }
}
