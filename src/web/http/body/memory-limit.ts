import { readFileSync } from "node:fs";
import { totalmem } from "node:os";

/** Returns how many bytes of memory this process may use: the least of its cgroup, its address space and the machine. */
export function memoryLimitBytes(): number {
  // 0, or an astronomical number, without a limit of the cgroup.
  const ofCgroup = process.constrainedMemory() || Infinity;
  return Math.min(totalmem(), ofCgroup, addressSpaceBytes());
}

/** RLIMIT_AS; infinite where the system does not report it. */
function addressSpaceBytes(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max address space\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
