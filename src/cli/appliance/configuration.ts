import { accessSync, closeSync, existsSync, openSync, readSync } from "node:fs";
import { readStoredUpdate, textsOf } from "../../operations/data-updates/stored-update.ts";
import type { Config, ConfigSource } from "../../platform/config/config.ts";
import { formatConfigError, loadConfig, type LoadResult } from "../../platform/config/load.ts";
import { StartError, codeOf } from "../../platform/lib/errors.ts";
import { replaceLists } from "../../platform/lib/lists/list-texts.ts";
import { configFile, serviceName } from "../../platform/service/unit.ts";
import { FailedError } from "../terminal/command.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const defaultConfigPath = "phishwatch.toml";
export const configVariable = "PHISHWATCH_CONFIG";

/**
 * Loads the configuration file that is given, else `./phishwatch.toml`, else the one that the environment names, else
 * that of the installed service.
 *
 * @param overrides.listen replaces `server.listen`
 * @throws StartError with exit code 2 and one line for each error
 */
export async function loadConfiguration(
  given: string | undefined,
  env: Terminal["env"],
  { listen }: Pick<ConfigSource, "listen"> = {},
): Promise<Config> {
  const path = findConfiguration(given, env);
  const result = loadConfig({ path, listen, env, readFile: readBounded });
  if (result.ok) {
    await useStoredLists(result.config);
    return result.config;
  }
  throw new StartError(result.errors.map(formatConfigError).join("\n"), { exitCode: 2 });
}

/** Returns a function that loads the file again. The configuration has to come from a file. */
export function reloaderOf({ source }: Config, env: Terminal["env"]): () => LoadResult {
  return () => loadConfig({ path: source!.path, listen: source!.listen, env, readFile: readBounded });
}

/**
 * Returns `storage.path` of the configuration file, even if other settings are invalid.
 * @throws StartError like `loadConfiguration` if the file cannot be read at all
 */
export function databasePathOf(given: string | undefined, env: Terminal["env"]): string {
  const path = findConfiguration(given, env);
  const result = loadConfig({ path, env, readFile: readBounded });
  if (result.ok) return result.config.storage.path;
  if (result.databasePath !== undefined) return result.databasePath;
  throw new StartError(result.errors.map(formatConfigError).join("\n"), { exitCode: 2 });
}

/** Replaces embedded lists by those of the data update next to the database. `check` reports an update that cannot be used. */
async function useStoredLists({ data, storage }: Config): Promise<void> {
  if (!existsSync(`${storage.path}.lists`)) {
    replaceLists({});
    return;
  }
  const stored = readStoredUpdate(storage.path, data.trustedKeys);
  if (stored.state === "used") replaceLists(textsOf(stored.update), stored.update.version);
  else replaceLists({});
}

/** Returns the path of the configuration file; undefined: the given one does not exist, or there is none. */
export function findConfigurationFile(given: string | undefined, env: Terminal["env"]): string | undefined {
  const named =
    given ?? (existsSync(defaultConfigPath) ? defaultConfigPath : env[configVariable] || configFile);
  return existsSync(named) ? named : undefined;
}

/** Returns `storage.path` of a configuration as if it were at `path`, even if other settings are invalid. */
export function databasePathIn(path: string, text: string, env: Terminal["env"]): string {
  const result = loadConfig({ path, text, env, readFile: readBounded });
  if (result.ok) return result.config.storage.path;
  if (result.databasePath !== undefined) return result.databasePath;
  throw new StartError(result.errors.map(formatConfigError).join("\n"), { exitCode: 2 });
}

/** Returns the path of a database in a file. @throws FailedError for one in memory */
export function requireFile(path: string): string {
  if (path === ":memory:") throw new FailedError("the database is kept in memory only (storage.path)");
  return path;
}

/**
 * Returns the path of the database.
 * @param hint continues the message about a file that does not exist
 * @throws FailedError if it is in memory or does not exist
 */
export function requireDatabase({ storage }: Pick<Config, "storage">, hint?: string): string {
  const path = requireFile(storage.path);
  if (!existsSync(path))
    throw new FailedError(`${path} does not exist${hint === undefined ? "" : ` ${hint}`}`);
  return path;
}

function findConfiguration(given: string | undefined, env: Terminal["env"]): string {
  if (given !== undefined) return given;
  if (existsSync(defaultConfigPath)) return defaultConfigPath;
  const named = env[configVariable];
  if (named !== undefined && named !== "") return named;
  if (existsSync(configFile)) return configFile;
  if (isOutOfReach(configFile))
    throw new StartError(
      `this user may not read ${configFile}, the configuration of the service; ` +
        `run this as the user of the service: sudo -u ${serviceName} phishwatch …`,
      { exitCode: 2 },
    );
  throw new StartError(
    `no configuration: ${defaultConfigPath} does not exist in this folder and ${configVariable} is not set; ` +
      "create one with 'phishwatch init', or use --config FILE",
    { exitCode: 2 },
  );
}

/** Returns whether the folders above a file keep this user from seeing it. */
function isOutOfReach(path: string): boolean {
  try {
    accessSync(path);
    return false;
  } catch (error) {
    return codeOf(error) === "EACCES";
  }
}

/** Longer than any configuration or secret. A longer file is endless (`/dev/zero`) or not a configuration. */
const fileBytesMax = 1 << 24;

function readBounded(path: string): Uint8Array {
  const chunks: Uint8Array[] = [];
  const file = openSync(path, "r");
  try {
    for (let length = 0; length <= fileBytesMax;) {
      const chunk = new Uint8Array(1 << 16);
      const read = readSync(file, chunk);
      if (read === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, read));
      length += read;
    }
  } finally {
    closeSync(file);
  }
  throw new Error(`longer than ${fileBytesMax} bytes`);
}
