import type { Config } from "../config/config.ts";
import { systemClock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Appliance } from "./appliance.ts";
import { loadConfiguration } from "./configuration.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Opens the appliance's database for one command and closes it whatever happens. A server may run beside it. */
export async function withAppliance<T>(
  { terminal, options }: { terminal: Terminal; options: { config: string | undefined } },
  work: (appliance: Appliance, config: Config) => Promise<T> | T,
): Promise<T> {
  const config = await loadConfiguration(options.config, terminal.env);
  const appliance = await open(config, terminal, "warn");
  try {
    return await work(appliance, config);
  } finally {
    appliance.close();
  }
}

/** @param level lowest level of the log that is shown; absent: the configuration's. */
export async function open(config: Config, terminal: Terminal, level?: "warn"): Promise<Appliance> {
  return terminal.openAppliance({
    config,
    clock: systemClock,
    log: await openLog(config, terminal, level),
    fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  });
}

export async function openLog(config: Config, { err }: Terminal, level = config.log.level): Promise<Log> {
  const { createLog } = await import("../lib/log.ts");
  const { format } = config.log;
  return createLog({
    level,
    format: format === "auto" ? (err.isTerminal ? "pretty" : "json") : format,
    clock: systemClock,
    write: (line) => err.write(line),
  });
}
