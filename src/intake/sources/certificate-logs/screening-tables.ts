import type { Matcher } from "../../../engines/detection/match/matcher.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { PipelineConnection } from "../certificate-log-reading/connection.ts";

/** Keeps the prefilter of the pipeline in step with the protected domains. */
export type ScreeningTables = ReturnType<typeof createScreeningTables>;

export function createScreeningTables(domains: Pick<ProtectedDomains, "matcher">) {
  let connection: PipelineConnection | undefined;
  let sent: Matcher | undefined;
  let version = 0;

  /** Returns the version of the tables of this matcher, which is the present one. */
  function versionOf(matcher: Matcher): number {
    if (matcher !== sent) {
      sent = matcher;
      version++;
      connection?.send({ do: "screen", version, tables: matcher.screeningTables() });
    }
    return version;
  }

  return {
    versionOf,

    /** Sends the tables again if the protected domains have changed. */
    update: () => void versionOf(domains.matcher()),

    /** Sends the present tables, and later ones when they change. */
    sendTo(to: PipelineConnection | undefined) {
      connection = to;
      sent = undefined;
      if (to !== undefined) versionOf(domains.matcher());
    },
  };
}
