import type { FirstStart } from "../access/console/first-start.ts";
import type { AuditLog } from "../access/audit/audit-log.ts";
import type { AuditedDomains } from "../access/audited-domains.ts";
import type { AuditedKeys } from "../access/audited-keys.ts";
import type { Server } from "../api/server.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import type { Enrichment } from "../enrichment/enrichment.ts";
import type { EventLog } from "../events/event-log.ts";
import type { Clock } from "../lib/clock.ts";
import type { FillRandom } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Scans } from "../scans/scans.ts";
import type { DnsClient } from "../network/dns-client.ts";
import type { Candidates } from "../sources/candidates.ts";
import type { Feeds } from "../sources/feeds/feeds.ts";
import type { Source } from "../sources/source.ts";
import type { Threats } from "../threats/threats.ts";
import type { Traps } from "../traps/traps.ts";
import type { AuditedWebhooks } from "../webhooks/audited-webhooks.ts";

/** What commands use of the appliance, which is put together above them. */
export interface Appliance {
  readonly database: Database;
  readonly eventLog: EventLog;
  readonly domains: AuditedDomains;
  readonly threats: Threats;
  readonly candidates: Candidates;
  readonly sources: readonly Source[];
  readonly feeds: Feeds;
  readonly dns: DnsClient;
  readonly scans: Scans;
  readonly enrichment: Enrichment;
  readonly traps: Traps;
  readonly keys: AuditedKeys;
  readonly webhooks: AuditedWebhooks;
  readonly auditLog: AuditLog;
  readonly server: Server;
  start(): void;
  stop(): Promise<void>;
  firstStart(): FirstStart;
  close(): void;
}

/** Opens it; loads the code for it only then. */
export type OpenAppliance = (surroundings: {
  config: Config;
  clock: Clock;
  log: Log;
  fillRandom: FillRandom;
  /** What the sandbox puts in the place of the outside. */
  dns?: DnsClient;
  image?: Uint8Array;
}) => Promise<Appliance>;
