import { existsSync, readFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { StartError } from "../lib/errors.ts";
import type { Terminal } from "./terminal.ts";

export const defaultConfigPath = "phishwatch.toml";
const configVariable = "PHISHWATCH_CONFIG";

/**
 * Loads the configuration that was named, else `./phishwatch.toml`, else the one that the environment names.
 * @throws StartError with exit code 2, one line for each fault.
 */
export async function loadConfiguration(given: string | undefined, env: Terminal["env"]): Promise<Config> {
  const { formatFault, loadConfig } = await import("../config/load.ts");
  const path = findConfiguration(given, env);
  const result = loadConfig({ path, env, readFile: (file) => readFileSync(file) });
  if (result.ok) return result.config;
  throw new StartError(result.faults.map(formatFault).join("\n"), { exitCode: 2 });
}

function findConfiguration(given: string | undefined, env: Terminal["env"]): string {
  if (given !== undefined) return given;
  if (existsSync(defaultConfigPath)) return defaultConfigPath;
  const named = env[configVariable];
  if (named !== undefined && named !== "") return named;
  throw new StartError(
    `no configuration: there is no ${defaultConfigPath} in this folder and ${configVariable} is not set; ` +
      "write one with 'phishwatch init', or name yours with --config FILE",
    { exitCode: 2 },
  );
}
