import type { openAccess } from "../../../access/open-access.ts";
import type { AuditLog } from "../../../access/audit/audit-log.ts";
import type { ConsoleSignIn } from "../../../access/console/sign-in.ts";
import type { Enrichment } from "../../../facts/enrichment/enrichment.ts";
import type { Inspection } from "../../../facts/inspection/open-inspection.ts";
import type { Scans } from "../../../intake/scans/scans.ts";
import type { openSources } from "../../../intake/sources/all/open-sources.ts";
import type { openMessaging } from "../../../messaging/subscriptions/open-messaging.ts";
import type { BackupServices } from "../../../operations/backups/open-backups.ts";
import type { Conditions } from "../../../operations/conditions/open-conditions.ts";
import type { DataRetention } from "../../../operations/retention/retention.ts";
import type { StoreGrowth } from "../../../operations/stores/growth.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { DatabaseStatus } from "../../../platform/database/health/health.ts";
import type { BuildInfo } from "../../../platform/lib/build-info.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import type { ReloadOutcome } from "../../../platform/reload/reload.ts";
import type { Campaigns } from "../../../response/cases/campaigns/campaigns.ts";
import type { Cases } from "../../../response/cases/cases.ts";
import type { OpenTakedowns } from "../../../response/cases/takedowns/open-takedowns.ts";
import type { Lists } from "../../../response/outputs/block-lists/lists.ts";
import type { ThreatExports } from "../../../response/outputs/exports/threat-exports.ts";
import type { Traps } from "../../../response/traps/traps.ts";
import type { AssessDomain } from "../../../threats/domains/assess.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { EventLog } from "../../../threats/events/event-log.ts";
import type { ThreatIndex } from "../../../threats/index/threat-index.ts";
import type { Threats } from "../../../threats/threats/threats.ts";
import type { Server } from "../../api/server.ts";

/** Services that the composition root gives to the console. Their types are derived from who constructs them. */
export interface ConsoleServices
  extends
    Needs<"clock" | "fillRandom" | "log">,
    Omit<ReturnType<typeof openAccess>, "openSignIn">,
    Omit<ReturnType<typeof openMessaging>, "reconcile" | "start">,
    Omit<ReturnType<typeof openSources>, "metrics" | "start" | "stop">,
    Pick<Inspection, "inspections" | "originals"> {
  assessDomain: AssessDomain;
  auditLog: AuditLog;
  backups: BackupServices;
  build: BuildInfo;
  campaigns: Campaigns;
  cases: Cases;
  conditions: Conditions;
  config: Config;
  consoleSignIn: ConsoleSignIn;
  dataRetention: DataRetention;
  databaseStatus: () => DatabaseStatus;
  domains: ProtectedDomains;
  enrichment: Enrichment;
  eventLog: EventLog;
  exports: ThreatExports;
  /** Returns the outcome of the last reload of the configuration file. */
  lastReload: () => ReloadOutcome | undefined;
  lists: Lists;
  scans: Scans;
  server: Server;
  /** Location and size of the database file. Routes write through `Context.write`. */
  storage: Pick<Database, "path" | "bytesOnDisk" | "write">;
  storeGrowth: StoreGrowth;
  takedowns: OpenTakedowns;
  threatIndex: () => ThreatIndex;
  threats: Threats;
  traps: Traps;
}

/** Services that pages choose from: the type of their context names those that they use. */
export interface PageServices
  extends
    Omit<ConsoleServices, "consoleSignIn" | "server">,
    Pick<ConsoleSignIn, "failedSignIns" | "ownAccount" | "sessions">,
    Pick<Server, "readiness" | "untrustedProxy"> {
  /** Public URL of the appliance, without a trailing slash. */
  publicUrl: () => string;
}

export type ServiceName = keyof PageServices;

export function pageServicesOf(given: ConsoleServices): PageServices {
  const { failedSignIns, ownAccount, sessions } = given.consoleSignIn;
  const { readiness, untrustedProxy } = given.server;
  const publicUrl = () => given.server.publicUrl;
  return { ...given, failedSignIns, ownAccount, publicUrl, readiness, sessions, untrustedProxy };
}
