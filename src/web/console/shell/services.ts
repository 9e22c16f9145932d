import type { AccountManagement } from "../../../access/accounts/account-management.ts";
import type { Accounts } from "../../../access/accounts/accounts.ts";
import type { OwnAccount } from "../../../access/console/own-account.ts";
import type { AuditLog } from "../../../access/audit/audit-log.ts";
import type { FailedSignIns } from "../../../access/audit/failed-sign-ins.ts";
import type { BackupServices } from "../../../operations/backups/open-backups.ts";
import type { ConsoleSessions } from "../../../access/console/sessions.ts";
import type { ConsoleSignIn } from "../../../access/console/sign-in.ts";
import type { KeyUsage } from "../../../access/keys/key-usage.ts";
import type { ApiKeys } from "../../../access/keys/keys.ts";
import type { SavedViews } from "../../../access/views/saved-views.ts";
import type { AccountPreferences } from "../../../access/settings/account-preferences.ts";
import type { SetupChoice } from "../../../access/settings/setup-choice.ts";
import type { Archive } from "../../../engines/archive/archive.ts";
import type { NameSearches } from "../../../engines/archive/search/name-searches.ts";
import type { Server } from "../../api/server.ts";
import type { Readiness } from "../../api/site/health.ts";
import type { Campaigns } from "../../../response/cases/campaigns/campaigns.ts";
import type { Channels } from "../../../messaging/channels/all/channels.ts";
import type { Webhooks } from "../../../messaging/channels/webhook/webhooks.ts";
import type { Cases } from "../../../response/cases/cases.ts";
import type { OpenTakedowns } from "../../../response/cases/takedowns/open-takedowns.ts";
import type { Conditions } from "../../../operations/conditions/open-conditions.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { StoreGrowth } from "../../../operations/stores/growth.ts";
import type { DatabaseStatus } from "../../../platform/database/health/health.ts";
import type { ReloadOutcome } from "../../../platform/reload/reload.ts";
import type { Deliveries } from "../../../messaging/deliveries/deliveries.ts";
import type { AssessDomain } from "../../../threats/domains/assess.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Enrichment } from "../../../facts/enrichment/enrichment.ts";
import type { EventLog } from "../../../threats/events/event-log.ts";
import type { BuildInfo } from "../../../platform/lib/build-info.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { FillRandom } from "../../../platform/lib/ids.ts";
import type { Log } from "../../../platform/lib/log.ts";
import type { Originals } from "../../../facts/inspection/originals/open-originals.ts";
import type { Inspection } from "../../../facts/inspection/open-inspection.ts";
import type { Inspections } from "../../../facts/inspection/inspections.ts";
import type { ThreatExports } from "../../../response/outputs/exports/threat-exports.ts";
import type { DataRetention } from "../../../operations/retention/retention.ts";
import type { Candidates } from "../../../intake/sources/candidates.ts";
import type { Lists } from "../../../response/outputs/block-lists/lists.ts";
import type { Notifications } from "../../../messaging/subscriptions/open-notifications.ts";
import type { Scans } from "../../../intake/scans/scans.ts";
import type { SourceActivity } from "../../../intake/sources/activity/source-activity.ts";
import type { CertificateLogs } from "../../../intake/sources/certificate-logs/certificate-logs.ts";
import type { Feeds } from "../../../intake/sources/feeds/feeds.ts";
import type { ArchiveChecks } from "../../../intake/sources/archive-checks/archive-checks.ts";
import type { Imports } from "../../../intake/sources/imports/imports.ts";
import type { Source } from "../../../intake/sources/source.ts";
import type { ThreatIndex } from "../../../threats/index/threat-index.ts";
import type { Threats } from "../../../threats/threats/threats.ts";
import type { Traps } from "../../../response/traps/traps.ts";

/** Services that page groups choose from: a group names those that it uses and receives no others. */
export interface PageServices {
  archive: Pick<Archive, "status">;
  archiveChecks: ArchiveChecks;
  accounts: Pick<Accounts, "byName" | "get" | "list">;
  accountManagement: AccountManagement;
  /** Changes that people make to their own accounts. */
  ownAccount: OwnAccount;
  activity: Pick<SourceActivity, "since" | "totals">;
  assessDomain: AssessDomain;
  auditLog: Pick<AuditLog, "actorOf" | "list" | "count">;
  failedSignIns: Pick<FailedSignIns, "list" | "count" | "attemptsSince">;
  backups: BackupServices;
  build: BuildInfo;
  campaigns: Campaigns;
  cases: Cases;
  config: Config;
  domains: ProtectedDomains;
  enrichment: Enrichment;
  eventLog: EventLog;
  /** All sources of names, feeds and imports included. */
  sources: readonly Source[];
  /** Undefined if no certificate logs are followed. */
  certificateLogs: Pick<CertificateLogs, "kind" | "list" | "logs" | "name"> | undefined;
  feeds: Feeds;
  imports: Imports;
  inspections: Inspections;
  nameSearches: Pick<NameSearches, "search">;
  keys: ApiKeys;
  lists: Lists;
  candidates: Pick<Candidates, "submit">;
  dataRetention: Pick<DataRetention, "deletedNames" | "previews" | "restore">;
  keyUsage: KeyUsage;
  preferences: AccountPreferences;
  savedViews: SavedViews;
  originals: Originals;
  /** Public URL of the appliance, without a trailing slash. */
  publicUrl: () => string;
  readiness: () => Readiness;
  /** Address of a proxy that requests came through, but that the configuration does not trust. */
  untrustedProxy: () => string | undefined;
  scans: Scans;
  setup: SetupChoice;
  /** Location and size of the database file. Routes write through `Context.write`. */
  storage: Pick<Database, "path" | "bytesOnDisk" | "write">;
  databaseStatus: () => DatabaseStatus;
  conditions: Pick<Conditions, "certificateEnds">;
  /** Returns the outcome of the last reload of the configuration file. */
  lastReload: () => ReloadOutcome | undefined;
  storeGrowth: Pick<StoreGrowth, "latest">;
  sessions: Pick<ConsoleSessions, "find" | "list">;
  takedowns: OpenTakedowns;
  threats: Threats;
  threatIndex: () => ThreatIndex;
  exports: Pick<ThreatExports, "open">;
  traps: Traps;
  deliveries: Deliveries;
  webhooks: Webhooks;
  channels: Channels;
  notifications: Pick<Notifications, "subscriptions">;
}

export type ServiceName = keyof PageServices;

/** Services for pages that `names` contains. */
type NameServices = Pick<
  PageServices,
  | "activity"
  | "archive"
  | "archiveChecks"
  | "candidates"
  | "certificateLogs"
  | "feeds"
  | "imports"
  | "nameSearches"
  | "sources"
>;

/** Services for pages that `messaging` contains. */
type MessagingServices = Pick<PageServices, "channels" | "deliveries" | "notifications" | "webhooks">;

/** Services for pages that other services contain. */
type ContainedServices = Pick<
  PageServices,
  | keyof NameServices
  | keyof MessagingServices
  | "failedSignIns"
  | "inspections"
  | "originals"
  | "ownAccount"
  | "publicUrl"
  | "readiness"
  | "sessions"
  | "untrustedProxy"
>;

/** Everything that the console is built on. */
export interface ConsoleServices extends Omit<PageServices, keyof ContainedServices> {
  clock: Clock;
  consoleSignIn: ConsoleSignIn;
  fillRandom: FillRandom;
  log: Log;
  /** Everything that sends messages. */
  messaging: MessagingServices;
  inspection: Pick<Inspection, "inspections" | "originals">;
  /** Everything that names come from. */
  names: NameServices;
  server: Pick<
    Server,
    "bodies" | "isFromTrustedProxy" | "publicUrl" | "readiness" | "turns" | "untrustedProxy"
  >;
}

export function pageServicesOf(given: ConsoleServices): PageServices {
  const { consoleSignIn, inspection, messaging, names, server } = given;
  const contained: ContainedServices = {
    ...messaging,
    ...names,
    failedSignIns: consoleSignIn.failedSignIns,
    originals: inspection.originals,
    inspections: inspection.inspections,
    ownAccount: consoleSignIn.ownAccount,
    publicUrl: () => server.publicUrl,
    readiness: server.readiness,
    sessions: consoleSignIn.sessions,
    untrustedProxy: server.untrustedProxy,
  };
  return { ...given, ...contained };
}

/** Returns the named services and no others. */
export function pickServices<Name extends ServiceName>(
  services: PageServices,
  names: readonly Name[],
): Pick<PageServices, Name> {
  return Object.fromEntries(names.map((name) => [name, services[name]])) as Pick<PageServices, Name>;
}
