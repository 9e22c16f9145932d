import type { Host } from "./host.ts";
import { serviceName } from "./unit.ts";

/** Properties of the unit, as systemd names them. */
const properties = {
  /** `not-found`: it is not installed. */
  load: "LoadState",
  /** `active`, `inactive`, `failed`, `activating`, `reloading` … */
  active: "ActiveState",
  /** `running`, `dead`, `auto-restart` … */
  sub: "SubState",
  /** Whether it starts with the system: `enabled`, `disabled` … */
  enabled: "UnitFileState",
  /** 0: no process. */
  pid: "MainPID",
  /** Automatic restarts since it was started. */
  restarts: "NRestarts",
  /** Time of the last start, in the words of systemd; empty: never. */
  since: "ActiveEnterTimestamp",
  /** How the last process ended: `success`, `exit-code`, `watchdog` … */
  result: "Result",
  /** Line of the appliance about itself. */
  status: "StatusText",
} as const;

/** Returns the state of the service, as systemd reports it. @throws StartError if systemd cannot be asked */
export function readServiceStatus({ run }: Pick<Host, "run">) {
  const out = run(["systemctl", "show", serviceName, `--property=${Object.values(properties).join(",")}`]);
  const values = new Map(
    out.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const read = Object.entries(properties).map(([name, property]) => [name, values.get(property) ?? ""]);
  const status = Object.fromEntries(read) as Record<keyof typeof properties, string>;
  return { ...status, pid: Number(status.pid), restarts: Number(status.restarts) };
}
