import type { Host } from "./host.ts";
import { serviceName } from "./unit.ts";

/** State of the service, as systemd reports it. */
export interface ServiceStatus {
  /** `not-found`: it is not installed. */
  load: string;
  /** `active`, `inactive`, `failed`, `activating`, `reloading` … */
  active: string;
  /** `running`, `dead`, `auto-restart` … */
  sub: string;
  /** Whether it starts with the system: `enabled`, `disabled` … */
  enabled: string;
  /** 0: no process. */
  pid: number;
  /** Automatic restarts since it was started. */
  restarts: number;
  /** Time of the last start, in the words of systemd; empty: never. */
  since: string;
  /** How the last process ended: `success`, `exit-code`, `watchdog` … */
  result: string;
  /** Line of the appliance about itself. */
  status: string;
}

const properties = {
  load: "LoadState",
  active: "ActiveState",
  sub: "SubState",
  enabled: "UnitFileState",
  pid: "MainPID",
  restarts: "NRestarts",
  since: "ActiveEnterTimestamp",
  result: "Result",
  status: "StatusText",
} as const;

/** @throws StartError if systemd cannot be asked */
export function readServiceStatus({ run }: Pick<Host, "run">): ServiceStatus {
  const out = run(["systemctl", "show", serviceName, `--property=${Object.values(properties).join(",")}`]);
  const values = new Map(
    out.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const read = Object.entries(properties).map(([name, property]) => [name, values.get(property) ?? ""]);
  const status = Object.fromEntries(read) as Record<keyof typeof properties, string>;
  return { ...status, pid: Number(status.pid), restarts: Number(status.restarts) };
}
