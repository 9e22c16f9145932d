import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Built by scripts/bench before a benchmark starts, unless the variable names another one. */
export const phishwatchExecutable =
  process.env["PHISHWATCH_EXECUTABLE"] ?? join(import.meta.dir, "../../dist/phishwatch");

/** Writes a configuration file next to the database and returns its path. */
export function writeConfig({
  database,
  port,
  apiKey,
}: {
  database: string;
  port: number;
  /** Key that may read threats; absent: none. */
  apiKey?: string;
}): string {
  const path = `${database}.toml`;
  const lines = [
    "[server]",
    `listen = "127.0.0.1:${port}"`,
    "[storage]",
    `path = ${JSON.stringify(database)}`,
    "[scan]",
    `schedule = ""`,
    "[lookups]",
    "enabled = false",
    ...(apiKey === undefined
      ? []
      : ["[[api_keys]]", `name = "benchmark"`, `key = "${apiKey}"`, `scopes = ["threats:read"]`]),
  ];
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}
