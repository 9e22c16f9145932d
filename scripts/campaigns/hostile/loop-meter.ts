import { dlopen, FFIType, ptr } from "bun:ffi";

/** Longest turn of the event loop since the previous call of `take`, in milliseconds. */
export interface Gap {
  /** CPU time of the thread that runs the loop. Other processes of the machine do not affect it. */
  cpuMs: number;
  /** Elapsed time, which includes waiting for a processor. */
  elapsedMs: number;
}

const tickMs = 1;

export interface LoopMeter {
  take(): Gap;
  stop(): void;
}

/** `CLOCK_THREAD_CPUTIME_ID` of Linux. `process.threadCpuUsage` advances only with the timer interrupt, every 4 ms. */
const threadCpuClock = 3;

/**
 * Measures the event loop of this process. A figure includes up to `tickMs` of the turns before it; ticks without a pause
 * would fill a processor while the loop waits.
 */
export function startLoopMeter(): LoopMeter {
  const { symbols } = dlopen("libc.so.6", {
    clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
  });
  const time = new BigInt64Array(2);
  const address = ptr(time);
  const cpuMs = () => {
    symbols.clock_gettime(threadCpuClock, address);
    return Number(time[0]) * 1_000 + Number(time[1]) / 1e6;
  };
  let gap: Gap = { cpuMs: 0, elapsedMs: 0 };
  let cpuAt = cpuMs();
  let at = performance.now();
  let isRunning = true;
  const tick = () => {
    const cpuNow = cpuMs();
    const now = performance.now();
    gap.cpuMs = Math.max(gap.cpuMs, cpuNow - cpuAt);
    gap.elapsedMs = Math.max(gap.elapsedMs, now - at);
    cpuAt = cpuNow;
    at = now;
    if (isRunning) setTimeout(tick, tickMs);
  };
  setTimeout(tick, tickMs);
  return {
    take() {
      const taken = gap;
      gap = { cpuMs: 0, elapsedMs: 0 };
      return taken;
    },
    stop: () => void (isRunning = false),
  };
}
