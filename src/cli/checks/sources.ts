import type { App } from "../../app/app.ts";
import { describePause } from "../../intake/sources/pauses/source-pauses.ts";
import { feedKind, nameOfSource, type Source } from "../../intake/sources/source.ts";
import type { Config } from "../../platform/config/config.ts";
import { resultsOf, type CheckResult } from "./result.ts";

/** Returns a warning if no name arrives on its own. */
export function originsOfNames({
  scan,
  feeds,
  certificateLogs,
}: Pick<Config, "scan" | "feeds" | "certificateLogs">): CheckResult[] {
  if (scan.schedule !== null || feeds.length > 0 || certificateLogs.enabled) return [];
  return [
    resultsOf("names", "names", "scan.schedule").warning(
      "no schedule of scans, no feed and no certificate logs: names arrive only by import and by the API",
      'set it to "17 3 * * *", or add [[feeds]] or set certificate_logs.enabled = true',
    ),
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
  const results = resultsOf("sources", nameOfSource(source));
  const pause = source.pausing?.current();
  const paused =
    pause === undefined
      ? []
      : [results.warning(describePause(pause), "resume it on the console's page Sources")];
  if (offline && URL.canParse(source.status().location))
    return [...paused, results.skipped("not connected to")];
  const result = await source.check();
  if (result === null) return paused;
  const { level, detail } = result;
  if (level === "ok") return [...paused, results.ok(detail)];
  return [...paused, results[level](detail, "follow the message, or correct its keys", settingOf(source))];
}

function settingOf({ kind, name, declaredAs }: Source): string | undefined {
  if (declaredAs === null) return undefined;
  return kind === feedKind ? `feeds["${name}"]` : declaredAs.replace(/^\[+|\]+$/g, "");
}
