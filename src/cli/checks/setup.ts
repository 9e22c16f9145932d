import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../../platform/config/config.ts";
import { nearest } from "../../platform/config/nearest.ts";
import { isServed } from "../../platform/database/lock.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";
import { readServerState, usedWith, type ServerState } from "../../platform/reload/server-file.ts";
import { configFile } from "../../platform/service/unit.ts";
import { configVariable, defaultConfigPath } from "../appliance/configuration.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { resultsOf, type CheckResult } from "./result.ts";
import type { SourceText } from "./setting-place.ts";

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
    .map((name) => {
      const meant = nearest(name, known);
      const hint =
        meant === undefined ? `unset it, or use it as { env = "${name}" }` : `rename it to ${meant}`;
      return resultsOf("environment", `variable ${name}`).warning("is set, but nothing uses it", hint);
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
    .map((path) =>
      resultsOf("second-configuration", "second configuration").warning(
        `${path} is not used, because ${source.path} is; commands that run elsewhere or without --config may use it`,
        `delete one of the files, or name the right one with --config or ${configVariable}`,
      ),
    );
}

/** Compares the running server with this program and its configuration file. Returns no result if none runs. */
export function runningServer({
  source,
  storage: { path },
}: Pick<Config, "storage"> & { source?: SourceText | undefined }): CheckResult[] {
  const results = resultsOf("server", "running server");
  const served = isServed(path);
  if (served === undefined)
    return [results.skipped("not known: this user cannot read the lock file of the server")];
  if (!served) return [];
  const state = stateOf(path);
  if (state === undefined || source === undefined) return [results.ok("runs")];
  const { uses, lastReload } = state;
  const expected = usedWith(source);
  const { version, commit } = expected;
  const warnings: CheckResult[] = [];
  const warn = (detail: string, change: string) => warnings.push(results.warning(detail, change));
  if (uses.version !== version || uses.commit !== commit)
    warn(
      `it has version ${uses.version} (commit ${uses.commit}), this program ${version} (commit ${commit})`,
      "restart the server, which then runs the installed version",
    );
  if (uses.configuration !== expected.configuration)
    warn(
      `it uses ${uses.configuration}, not ${expected.configuration}`,
      `run 'phishwatch check --config ${shellWord(uses.configuration)}'`,
    );
  else if (uses.sha256 !== expected.sha256 && lastReload?.result === "failed")
    warn(
      `the changed ${source.path} cannot be applied: ${lastReload.errors.join("; ")}`,
      "follow the message, then run 'phishwatch reload'",
    );
  else if (uses.sha256 !== expected.sha256)
    warn(`${source.path} was changed since the server read it`, "run 'phishwatch reload'");
  else if (lastReload !== null && lastReload.restart.length > 0)
    warn(`it still uses the previous value of ${lastReload.restart.join(", ")}`, "restart the server");
  if (uses.lists !== expected.lists)
    warn(
      `it uses ${describeLists(uses.lists)}, but ${describeLists(expected.lists)} would be used now`,
      "restart the server",
    );
  return warnings.length > 0 ? warnings : [results.ok(`version ${version}, with this configuration`)];
}

function describeLists(version: string | null): string {
  return version === null ? "the embedded lists" : `the data update ${version}`;
}

/** Returns undefined for a missing or unreadable file. */
function stateOf(path: string): ServerState | undefined {
  try {
    return readServerState(path);
  } catch {
    return undefined;
  }
}
