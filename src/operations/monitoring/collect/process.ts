import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Collector } from "../metrics/metrics.ts";
import type { Monitored } from "./services.ts";

const halfMinuteMs = 30_000;
const resolutionMs = 100;

/** Collects the state of this process. */
export function processCollector({ clock }: Monitored<"clock">): Collector {
  const delaySeconds = measureDelay();
  const startedAt = clock.now() - Math.round(process.uptime() * 1000);
  return () => {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return {
      cpu: (user + system) / 1e6,
      residentMemory: rss,
      startTime: startedAt / 1000,
      openFds: countOpenFiles(),
      maxFds: openFilesMax(),
      heapUsed,
      eventLoopDelay: delaySeconds(),
    };
  };
}

/** Returns the longest delay of the last half to whole minute. It is measured from the first scrape on. */
function measureDelay(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let previous = 0;
  let since = performance.now();
  return () => {
    // A sample is the whole interval between two ticks, so it is at least the resolution.
    const longest = Math.max(0, histogram.max / 1e9);
    const present = histogram.count === 0 ? 0 : longest;
    const value = Math.max(previous, present);
    if (performance.now() - since >= halfMinuteMs) {
      previous = present;
      histogram.reset();
      since = performance.now();
    }
    return value;
  };
}

function countOpenFiles(): number | null {
  try {
    // One of them reads the folder.
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return null;
  }
}

function openFilesMax(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
