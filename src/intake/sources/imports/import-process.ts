import { readFileSync, readlinkSync } from "node:fs";

/**
 * Returns what identifies this process among all of this machine: its id, its start time in clock ticks, and its
 * namespace of process ids. A process id alone is not enough: it is given to another process later, and another
 * container has processes of its own.
 */
export function ownProcess(): string {
  return [process.pid, startOf(process.pid)?.ticks ?? "-", pidNamespace()].join(" ");
}

/** Returns whether a process, as `ownProcess` returned it there, has ended for certain. */
export function hasEnded(identity: string): boolean {
  const [pidText, ticks, namespace] = identity.split(" ");
  const pid = Number(pidText);
  // The processes of another container cannot be seen.
  if (namespace !== pidNamespace() || !Number.isSafeInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Other errors mean that the process exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  // A service may be prevented from reading /proc for the processes of others.
  const found = startOf(pid);
  return found !== undefined && (found.isZombie || (ticks !== "-" && found.ticks !== ticks));
}

/** Returns fields 3 and 22 of /proc/PID/stat (proc_pid_stat(5)); undefined where it cannot be read. */
function startOf(pid: number): { ticks: string; isZombie: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before may contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { ticks: fields[19]!, isZombie: fields[0] === "Z" || fields[0] === "X" };
  } catch {
    return undefined;
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "-";
  }
}
