import { formatConfigError, loadConfig, type LoadResult } from "../../../src/platform/config/load.ts";

interface Environment {
  env?: Record<string, string>;
  /** By absolute path; null: may not be read. */
  files?: Record<string, string | Uint8Array | null>;
}

export const configPath = "/etc/phishwatch/phishwatch.toml";

export function load(text: string, { env = {}, files = {} }: Environment = {}): LoadResult {
  return loadConfig({
    path: configPath,
    text,
    env,
    readFile: (path) => {
      const content = files[path];
      if (typeof content === "string" || content instanceof Uint8Array) return content;
      throw Object.assign(new Error("inner detail"), { code: content === null ? "EACCES" : "ENOENT" });
    },
  });
}

/** The configuration of a file without error. */
export function loaded(text: string, environment?: Environment) {
  const result = load(text, environment);
  if (!result.ok) throw new Error(result.errors.map(formatConfigError).join("\n"));
  return result.config;
}

/** Returns the reported errors, each without the name of the file; empty if the file is valid. */
export function errorLines(text: string, environment?: Environment): string[] {
  const result = load(text, environment);
  if (result.ok) return [];
  return result.errors.map((error) => formatConfigError(error).replace(`${configPath}:`, ""));
}
