import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import type { ProtectedDomains } from "../../domains/domains.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { Yielder } from "../../lib/yielder.ts";
import type { Threats } from "../../threats/threats.ts";
import { createSourceActivity } from "../activity/source-activity.ts";
import { createCandidates } from "../candidates.ts";
import { createFeeds, isFolderFeed } from "../feeds/feeds.ts";
import { createImports } from "../imports/imports.ts";
import { createSourcePauses } from "../pauses/source-pauses.ts";
import type { Source } from "../source.ts";

/** Constructs everything that names come from, and what checks them. */
export function openSources({
  config,
  database,
  domains,
  threats,
  auditLog,
  clock,
  log,
  yielder,
}: {
  config: Pick<Config, "feeds">;
  database: Database;
  domains: ProtectedDomains;
  threats: Threats;
  auditLog: AuditLog;
  clock: Clock;
  log: Log;
  yielder: () => Yielder;
}) {
  const activity = createSourceActivity({ database, clock });
  const pauses = createSourcePauses({ auditLog, database, clock });
  const candidates = createCandidates({ activity, database, domains, threats, clock, yielder });
  const folders = config.feeds.filter(isFolderFeed);
  const feeds = createFeeds({ feeds: folders, database, candidates, clock, log, auditLog, pauses });
  const imports = createImports({ auditLog, database, candidates, clock, log });
  const sources: readonly Source[] = [...feeds.sources, imports];
  return { activity, candidates, feeds, imports, sources };
}
