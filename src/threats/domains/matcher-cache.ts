import type { DetectionSettings } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Matcher } from "../../engines/detection/match/matcher.ts";
import type { Log } from "../../platform/lib/log.ts";
import { lazy } from "../../platform/lib/startup.ts";
import type { ProtectedDomain } from "./tables.ts";

const matching = lazy(
  () =>
    require("../../engines/detection/match/matcher.ts") as typeof import("../../engines/detection/match/matcher.ts"),
);

/** Keeps the matcher for the enabled domains, because building one takes time. */
export function createMatcherCache({
  database,
  log,
  list,
  detection,
}: {
  database: Pick<Database, "foreignVersion">;
  log: Log;
  list: () => readonly ProtectedDomain[];
  detection: Pick<DetectionSettings, "minSimilarity">;
}) {
  let cached:
    { matcher: Matcher; content: string; foreignVersion: number; minSimilarity: number } | undefined;
  /** Warnings already in the log, so that each is logged once, not after every change of the domains. */
  let logged = new Set<string>();

  function logWarnings(matcher: Matcher): void {
    const before = logged;
    logged = new Set();
    for (const warning of matcher.warnings()) {
      const key = JSON.stringify(warning);
      logged.add(key);
      if (!before.has(key)) log.event("keyword.limited", warning);
    }
  }

  return {
    get(): Matcher {
      const foreignVersion = database.foreignVersion();
      const { minSimilarity } = detection;
      if (cached?.foreignVersion === foreignVersion && cached.minSimilarity === minSimilarity)
        return cached.matcher;
      const enabled = list().filter((row) => row.enabled);
      // Most commits of other processes do not change the domains.
      const rows = enabled.map(({ domain, keywords, allow }) => [domain, keywords, allow]);
      const content = JSON.stringify([minSimilarity, rows]);
      if (cached?.content === content) cached.foreignVersion = foreignVersion;
      else {
        const matcher = matching().createMatcher(enabled, { minSimilarity });
        logWarnings(matcher);
        cached = { matcher, content, foreignVersion, minSimilarity };
      }
      return cached.matcher;
    },
    /** Rebuilds the matcher at its next use when the domains have changed. */
    invalidate() {
      if (cached !== undefined) cached.foreignVersion = -1;
    },
  };
}
