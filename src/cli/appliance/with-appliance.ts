import { type App, openApp } from "../../app.ts";
import type { Config } from "../../config/config.ts";
import { systemClock } from "../../lib/clock.ts";
import { createLog, type Log } from "../../lib/log.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { loadConfiguration } from "./configuration.ts";

/** Opens the appliance for one command and always closes it. A server may run at the same time. */
export async function withAppliance<T>(
  { terminal, options }: { terminal: Terminal; options: { config: string | undefined } },
  work: (appliance: App, config: Config) => Promise<T> | T,
): Promise<T> {
  const config = await loadConfiguration(options.config, terminal.env);
  const appliance = open(config, terminal, { level: "warn" });
  try {
    return await work(appliance, config);
  } finally {
    appliance.close();
  }
}

/**
 * @param options.level minimum level of the log; default: that of the configuration
 * @param options.image database to start with, for `storage.path` ":memory:"
 */
export function open(
  config: Config,
  terminal: Terminal,
  { level, image }: { level?: "warn"; image?: Uint8Array } = {},
): App {
  return openApp({
    config,
    ...(image === undefined ? {} : { image }),
    clock: systemClock,
    log: openLog(config, terminal, level),
    fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  });
}

export function openLog(config: Config, { err }: Terminal, level = config.log.level): Log {
  const { format } = config.log;
  return createLog({
    level,
    format: format === "auto" ? (err.isTerminal ? "pretty" : "json") : format,
    clock: systemClock,
    write: (line) => err.write(line),
  });
}
