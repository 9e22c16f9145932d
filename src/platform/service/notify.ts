import { openNotifySocket, type NotifySocket } from "./notify-socket.ts";

/**
 * Reports the state of the server to the service manager, by the protocol of sd_notify(3). No call throws, and none has
 * an effect without a service manager.
 */
export interface ServiceNotifier {
  /** The server is ready, or a reload has ended. */
  ready(): void;
  /** A reload has begun. `ready` must follow. */
  reloading(): void;
  /** Shutdown has begun. Nothing is sent afterward. */
  stopping(): void;
  /** Sets the line that `systemctl status` shows. */
  status(text: string): void;
  /** Undefined if the service manager expects no signs of life. */
  watchdog: Watchdog | undefined;
}

export interface Watchdog {
  /** The service manager restarts the process if it gets no sign of life for this long. */
  timeoutMs: number;
  /** Sends a sign of life. */
  alive(): void;
}

/** Longer lines are truncated. */
const statusCharactersMax = 200;

/**
 * @param options.failed receives the first error of the connection to the service manager
 * @param options.pid that of this process
 */
export function createServiceNotifier({
  env,
  failed,
  pid = process.pid,
}: {
  env: Readonly<Record<string, string | undefined>>;
  failed: (error: unknown) => void;
  pid?: number;
}): ServiceNotifier {
  const name = env["NOTIFY_SOCKET"];
  let hasFailed = false;
  let isStopping = false;

  function attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!hasFailed) failed(error);
      hasFailed = true;
      return undefined;
    }
  }

  const socket = name === undefined || name === "" ? undefined : attempt(() => openNotifySocket(name));
  const send = (assignments: (open: NotifySocket) => string[]) => {
    // A reload may still end during shutdown, but the server is not ready again.
    if (socket !== undefined && !isStopping) attempt(() => socket.send(assignments(socket).join("\n")));
  };
  const timeoutMs = socket === undefined ? undefined : watchdogTimeoutMs(env, pid);
  return {
    ready: () => send(() => ["READY=1"]),
    reloading: () => send(({ monotonicUs }) => ["RELOADING=1", `MONOTONIC_USEC=${monotonicUs()}`]),
    stopping() {
      send(() => ["STOPPING=1"]);
      isStopping = true;
    },
    // A line break would start another assignment.
    status: (text) => send(() => [`STATUS=${text.replaceAll(/\s+/g, " ").slice(0, statusCharactersMax)}`]),
    watchdog: timeoutMs === undefined ? undefined : { timeoutMs, alive: () => send(() => ["WATCHDOG=1"]) },
  };
}

/** See sd_watchdog_enabled(3). Returns undefined if the watchdog is off, or meant for another process. */
function watchdogTimeoutMs(
  { WATCHDOG_USEC: timeoutUs = "", WATCHDOG_PID: ofPid = "" }: Readonly<Record<string, string | undefined>>,
  pid: number,
): number | undefined {
  if (ofPid !== "" && ofPid !== String(pid)) return undefined;
  return /^[1-9][0-9]{0,15}$/.test(timeoutUs) ? Number(timeoutUs) / 1_000 : undefined;
}
