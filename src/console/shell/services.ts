import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { ConsolePassword } from "../../access/console/password.ts";
import type { ConsoleSessions } from "../../access/console/sessions.ts";
import type { AuditedDomains } from "../../access/audited-domains.ts";
import type { AuditedKeys } from "../../access/audited-keys.ts";
import type { KeyUsage } from "../../access/keys/key-usage.ts";
import type { SignInThrottle } from "../../access/console/sign-in-throttle.ts";
import type { Readiness } from "../../api/site/health.ts";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import type { LiveCopy } from "../../database/live-copy.ts";
import type { AssessDomain } from "../../domains/assess.ts";
import type { Enrichment } from "../../enrichment/enrichment.ts";
import type { EventLog } from "../../events/event-log.ts";
import type { BuildInfo } from "../../lib/build-info.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FillRandom } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import type { Scans } from "../../scans/scans.ts";
import type { Candidates } from "../../sources/candidates.ts";
import type { Feeds } from "../../sources/feeds/feeds.ts";
import type { ThreatSearch } from "../../threat-index/search.ts";
import type { Imports } from "../../sources/imports/imports.ts";
import type { Threats } from "../../threats/threats.ts";
import type { AuditedWebhooks } from "../../webhooks/audited-webhooks.ts";
import type { Traps } from "../../traps/traps.ts";

/** What pages show and do is done by these; the console decides nothing itself. */
export interface ConsoleServices {
  config: Config;
  clock: Clock;
  log: Log;
  fillRandom: FillRandom;
  build: BuildInfo;
  database: Database;
  /** A consistent copy, while everything goes on. */
  copyDatabase: () => Promise<LiveCopy>;
  eventLog: EventLog;
  domains: AuditedDomains;
  assessDomain: AssessDomain;
  threats: Threats;
  threatSearch: () => ThreatSearch;
  candidates: Candidates;
  feeds: Feeds;
  imports: Imports;
  scans: Scans;
  enrichment: Enrichment;
  keys: AuditedKeys;
  keyUsage: KeyUsage;
  webhooks: AuditedWebhooks;
  traps: Traps;
  auditLog: AuditLog;
  consolePassword: ConsolePassword;
  sessions: ConsoleSessions;
  throttle: SignInThrottle;
  readiness: () => Readiness;
  /** Where the appliance is reached, without trailing slash. */
  publicUrl: () => string;
}
