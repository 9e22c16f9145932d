import type { Failure } from "./failures.ts";

/** A failure of the next matching API requests. */
export interface Fault extends Failure {
  /** In uppercase; undefined: any method. */
  method?: string;
  /** A path in which `*` matches any characters; undefined: any path under /v1. */
  path?: string;
  /** Number of requests that still fail. */
  left: number;
}

/** Pending faults. */
export type Faults = ReturnType<typeof createFaults>;

export const faultsMax = 1_000;

export function createFaults() {
  let faults: Fault[] = [];
  return {
    add: (fault: Fault) => void faults.push(fault),
    list: (): readonly Fault[] => faults,
    clear: () => void (faults = []),
    /** Returns whether any fault resets connections. */
    resets: () => faults.some(({ ending }) => ending === "reset"),
    /** Returns the first matching fault and counts it down. */
    take(method: string, path: string): Fault | undefined {
      const fault = faults.find((one) => matches(one, method, path));
      if (fault === undefined) return undefined;
      fault.left -= 1;
      if (fault.left === 0) faults = faults.filter((one) => one !== fault);
      return fault;
    },
  };
}

function matches(fault: Fault, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  if (fault.path === undefined) return true;
  const parts = fault.path.split("*");
  if (parts.length === 1) return path === fault.path;
  if (!path.startsWith(parts[0]!) || !path.endsWith(parts.at(-1)!)) return false;
  // Each part must follow the previous one.
  let from = 0;
  for (const part of parts) {
    const at = path.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= path.length;
}
