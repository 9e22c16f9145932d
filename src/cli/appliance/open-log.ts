import type { Config } from "../../platform/config/config.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { createLog, type Log } from "../../platform/lib/log.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Opens the log of a command on its standard error. @param level minimum level instead of the configured one */
export function openLog(config: Config, { err }: Terminal, level = config.log.level): Log {
  const { format } = config.log;
  return createLog({
    level,
    format: format === "auto" ? (err.isTerminal ? "pretty" : "json") : format,
    clock: systemClock,
    write: (line) => err.write(line),
  });
}
