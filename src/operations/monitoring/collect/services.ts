import type { ApiKeys } from "../../../access/keys/keys.ts";
import type { OpenedEnrichment } from "../../../facts/enrichment/open-enrichment.ts";
import type { Inspections } from "../../../facts/inspection/inspections.ts";
import type { Originals } from "../../../facts/inspection/originals/open-originals.ts";
import type { Scans } from "../../../intake/scans/scans.ts";
import type { Deliveries } from "../../../messaging/deliveries/deliveries.ts";
import type { DatabaseHealth } from "../../../platform/database/health/health.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import type { BuildInfo } from "../../../platform/lib/build-info.ts";
import type { ReloadOutcome } from "../../../platform/reload/reload.ts";
import type { CampaignServices } from "../../../response/cases/campaigns/open-campaigns.ts";
import type { OpenTakedowns } from "../../../response/cases/takedowns/open-takedowns.ts";
import type { Traps } from "../../../response/traps/traps.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Threats } from "../../../threats/threats/threats.ts";
import type { BackupStatus } from "../../backups/running/backups.ts";
import type { CertificateEnd } from "../../conditions/certificate-ends.ts";
import type { DataRetention } from "../../retention/retention.ts";
import type { Archive } from "../../../engines/archive/archive.ts";
import type { ActivityTotal } from "../../../intake/sources/activity/source-activity.ts";
import type { ArchiveCheckStatus } from "../../../intake/sources/archive-checks/archive-checks.ts";
import type { CertificateLogStatus } from "../../../intake/sources/certificate-logs/status.ts";
import type { Source } from "../../../intake/sources/source.ts";

interface SourceNumbers {
  /** Counts by origin of names, sources or not. */
  totals: readonly ActivityTotal[];
  sources: readonly Pick<Source, "kind" | "name" | "declaredAs" | "status">[];
  archive: Archive;
  /** Absent: certificate logs are not followed. */
  certificateLogs?: { logs(): readonly CertificateLogStatus[] } | undefined;
  /** Checks of protected domains against the names seen before. */
  archiveChecks: () => readonly Pick<ArchiveCheckStatus, "state">[];
}

/** Services whose state becomes metrics. */
export interface MonitoredServices extends Needs<"clock" | "database" | "log"> {
  backups: { status(): Pick<BackupStatus, "completed" | "failuresTotal" | "overdueSince" | "schedule"> };
  build: BuildInfo;
  campaigns: Pick<CampaignServices, "behindMs" | "total">;
  certificateEnds: () => Promise<readonly CertificateEnd[]>;
  databaseHealth: Pick<DatabaseHealth, "status">;
  dataRetention: Pick<DataRetention, "lastRun" | "totals">;
  domains: Pick<ProtectedDomains, "list">;
  enrichment: Pick<OpenedEnrichment, "dueCounts" | "meter" | "running">;
  inspection: { inspections: Pick<Inspections, "status">; originals: Pick<Originals, "summaries"> };
  keys: Pick<ApiKeys, "list">;
  /** Returns the outcome of the last reload. */
  lastReload: () => ReloadOutcome | undefined;
  messaging: {
    deliveries: Pick<Deliveries, "attemptTotals" | "log" | "oldestPending" | "totals">;
    /** Returns the changes that wait for a message to people, and the messages since the start. */
    notifications: { totals: () => { queued: number; composed: number } };
  };
  names: { metrics: () => SourceNumbers };
  scans: Pick<Scans, "latestOutcome" | "resolverHealth" | "totals">;
  takedowns: Pick<OpenTakedowns, "attention" | "queue">;
  threats: Pick<Threats, "totals">;
  traps: Pick<Traps, "totals">;
}

/** Services that a collector names. */
export type Monitored<Name extends keyof MonitoredServices> = Pick<MonitoredServices, Name>;
