import { formatConfigError, loadConfig, type LoadResult } from "../../src/config/load.ts";

interface Surroundings {
  env?: Record<string, string>;
  /** By absolute path; null: may not be read. */
  files?: Record<string, string | Uint8Array | null>;
}

export const configPath = "/etc/phishwatch/phishwatch.toml";

export function load(text: string, { env = {}, files = {} }: Surroundings = {}): LoadResult {
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
export function loaded(text: string, surroundings?: Surroundings) {
  const result = load(text, surroundings);
  if (!result.ok) throw new Error(result.errors.map(formatConfigError).join("\n"));
  return result.config;
}

/** What a person is told, each line without the name of the file. None: the file is without error. */
export function errorLines(text: string, surroundings?: Surroundings): string[] {
  const result = load(text, surroundings);
  if (result.ok) return [];
  return result.errors.map((error) => formatConfigError(error).replace(`${configPath}:`, ""));
}
