import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { nearest } from "../../platform/config/nearest.ts";
import { configFile } from "../../platform/service/unit.ts";
import { configVariable, defaultConfigPath } from "../appliance/configuration.ts";
import type { CheckResult } from "../check-results/check-result.ts";
import type { SourceText } from "../check-results/setting-place.ts";
import type { Terminal } from "../terminal/terminal.ts";

const prefix = "PHISHWATCH_";

/** Returns a warning for each variable that looks as if it changed something, and does not. */
export function unknownVariables(
  env: Terminal["env"],
  { source }: { source?: SourceText | undefined },
): CheckResult[] {
  const text = source?.text ?? "";
  const used = [...text.matchAll(/\benv\s*=\s*["']([^"'\n]+)["']/g)].map(([, name]) => name!);
  const known = [configVariable, ...used];
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !known.includes(name))
    .map((name): CheckResult => {
      const meant = nearest(name, known);
      const hint =
        meant === undefined ? `unset it, or use it as { env = "${name}" }` : `rename it to ${meant}`;
      const detail = "is set, but nothing uses it";
      return { check: "environment", what: `variable ${name}`, state: "warning", detail, change: hint };
    });
}

/** Returns a warning if another configuration file exists in one of the places that commands search. */
export function hiddenConfiguration(
  env: Terminal["env"],
  { source }: { source?: SourceText | undefined },
): CheckResult[] {
  if (source === undefined) return [];
  const places = [defaultConfigPath, env[configVariable] ?? "", configFile].filter((path) => path !== "");
  const others = new Set(places.map((path) => resolve(path)).filter((path) => path !== source.path));
  return [...others]
    .filter((path) => existsSync(path))
    .map((path) => ({
      check: "second-configuration",
      what: "second configuration",
      state: "warning",
      detail: `${path} is not used, because ${source.path} is; commands that run elsewhere or without --config may use it`,
      change: `delete one of the files, or name the right one with --config or ${configVariable}`,
    }));
}
