import type { Failure } from "./failures.ts";

/** A failure for the next API requests that match. */
export interface Fault extends Failure {
  /** Upper case; undefined: any. */
  method?: string;
  /** A path, in which `*` stands for anything; undefined: any under /v1. */
  path?: string;
  /** How often it still happens. */
  left: number;
}

/** What the next API requests are to suffer. */
export interface Faults {
  add(fault: Fault): void;
  list(): readonly Fault[];
  clear(): void;
  /** Whether a connection is to be closed without an answer. */
  closes(): boolean;
  /** The first fault that matches, once less often from now on. */
  take(method: string, path: string): Fault | undefined;
}

export const faultsMax = 1_000;

export function createFaults(): Faults {
  let faults: Fault[] = [];
  return {
    add: (fault) => void faults.push(fault),
    list: () => faults,
    clear: () => void (faults = []),
    closes: () => faults.some(({ answer }) => answer === "reset"),
    take(method, path) {
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
  // Each part has to stand behind the one before.
  let from = 0;
  for (const part of parts) {
    const at = path.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= path.length;
}
