import { counter, gauge } from "../model/metric.ts";

/** Metrics of the process, with the names that all Prometheus clients use, and of its memory. */
export const processMetrics = {
  cpu: counter({ name: "process_cpu_seconds_total", help: "CPU time used." }),
  residentMemory: gauge({ name: "process_resident_memory_bytes", help: "Resident memory." }),
  startTime: gauge({ name: "process_start_time_seconds", help: "Time at which the process started." }),
  openFds: gauge({ name: "process_open_fds", help: "Open file descriptors. Linux only." }),
  maxFds: gauge({ name: "process_max_fds", help: "Limit of open file descriptors. Linux only." }),
  heapUsed: gauge({ name: "phishwatch_heap_used_bytes", help: "JavaScript heap in use." }),
  eventLoopDelay: gauge({
    name: "phishwatch_event_loop_delay_seconds",
    help: "Longest delay of the event loop in the last minute, by which requests were late.",
  }),
};
