import type { Matcher } from "../../../engines/detection/match/matcher.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { PipelineConnection } from "../certificate-log-reading/connection.ts";

/** Keeps the prefilter of the pipeline in step with the protected domains. */
export interface ScreeningTables {
  /** Sends the present tables, and later ones when they change. */
  sendTo(connection: PipelineConnection | undefined): void;
  /** Sends the tables again if the protected domains have changed. */
  update(): void;
  /** Returns the version of the tables of this matcher, which is the present one. */
  versionOf(matcher: Matcher): number;
}

export function createScreeningTables(domains: Pick<ProtectedDomains, "matcher">): ScreeningTables {
  let connection: PipelineConnection | undefined;
  let sent: Matcher | undefined;
  let version = 0;

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
    update: () => void versionOf(domains.matcher()),
    sendTo(to) {
      connection = to;
      sent = undefined;
      if (to !== undefined) versionOf(domains.matcher());
    },
  };
}
