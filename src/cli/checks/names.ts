import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { describePause } from "../../intake/sources/pauses/source-pauses.ts";
import { feedKind, nameOfSource, type Source } from "../../intake/sources/source.ts";
import type { CheckResult } from "../check-results/check-result.ts";

/** Returns a warning if no name arrives on its own. */
export function originsOfNames({
  scan,
  feeds,
  certificateLogs,
}: Pick<Config, "scan" | "feeds" | "certificateLogs">): CheckResult[] {
  if (scan.schedule !== null || feeds.length > 0 || certificateLogs.enabled) return [];
  return [
    {
      check: "names",
      what: "names",
      state: "warning",
      detail:
        "no schedule of scans, no feed and no certificate logs: names arrive only by import and by the API",
      setting: "scan.schedule",
      change: 'set it to "17 3 * * *", or add [[feeds]] or set certificate_logs.enabled = true',
    },
  ];
}

/** @param offline whether to leave out sources that a check would send packets to */
export async function sourceResults(
  { sources }: Pick<App, "sources">,
  offline: boolean,
): Promise<CheckResult[]> {
  return (await Promise.all(sources.map((source) => sourceResult(source, offline)))).flat();
}

async function sourceResult(source: Source, offline: boolean): Promise<CheckResult[]> {
  const base = { check: "sources", what: nameOfSource(source) } as const;
  const setting = settingOf(source);
  const pause = source.pausing?.current();
  const change = "resume it on the console's page Sources";
  const paused: CheckResult[] =
    pause === undefined ? [] : [{ ...base, state: "warning", detail: describePause(pause), change }];
  if (offline && URL.canParse(source.status().location))
    return [...paused, { ...base, state: "skipped", detail: "not connected to" }];
  const result = await source.check();
  if (result === null) return paused;
  const { level, detail } = result;
  if (level === "ok") return [...paused, { ...base, state: "ok", detail }];
  return [
    ...paused,
    { ...base, state: level, detail, ...setting, change: "follow the message, or correct its keys" },
  ];
}

function settingOf({ kind, name, declaredAs }: Source): { setting?: string } {
  if (declaredAs === null) return {};
  return { setting: kind === feedKind ? `feeds["${name}"]` : declaredAs.replace(/^\[+|\]+$/g, "") };
}
