import type { ApiKeys } from "../../../access/keys/keys.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { createCertificateEnds } from "../../conditions/certificate-ends.ts";
import { certificateFiles } from "../../conditions/open-conditions.ts";
import type { CampaignServices } from "../../../response/cases/campaigns/open-campaigns.ts";
import type { OpenTakedowns } from "../../../response/cases/takedowns/open-takedowns.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { DatabaseHealth } from "../../../platform/database/health/health.ts";
import type { Deliveries } from "../../../messaging/deliveries/deliveries.ts";
import type { OpenedEnrichment } from "../../../facts/enrichment/open-enrichment.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Originals } from "../../../facts/inspection/originals/open-originals.ts";
import type { Inspections } from "../../../facts/inspection/inspections.ts";
import { buildInfo } from "../../../platform/lib/build-info.ts";
import type { ReloadOutcome } from "../../../platform/reload/reload.ts";
import type { DataRetention } from "../../retention/retention.ts";
import type { Scans } from "../../../intake/scans/scans.ts";
import type { Threats } from "../../../threats/threats/threats.ts";
import type { Traps } from "../../../response/traps/traps.ts";
import type { Collector } from "../metrics/metrics.ts";
import { accessCollector } from "./access.ts";
import { applianceCollector, reloadCollector } from "./appliance.ts";
import { caseCollector } from "./cases.ts";
import { deliveryCollector } from "./deliveries.ts";
import { inspectionCollector, originalCollector } from "./inspections.ts";
import { backupCollector, storageCollector, type BackupNumbers } from "./storage.ts";
import { processCollector } from "./process.ts";
import { sourceCollector, type SourceNumbers } from "./sources.ts";
import { lookupCollector, scanCollector, threatCollector } from "./threats.ts";

/** Creates the collectors of all services except for the HTTP server, which adds its own. */
export function createCollectors({
  backups,
  campaigns,
  clock,
  config,
  database,
  databaseHealth,
  dataRetention,
  enrichment,
  domains,
  inspection: { inspections, originals },
  keys,
  lastReload,
  log,
  messaging: { deliveries, notifications },
  names,
  scans,
  takedowns,
  threats,
  traps,
}: Needs<"clock" | "database" | "log"> & {
  backups?: { status(): BackupNumbers };
  campaigns: CampaignServices;
  config: Config;
  databaseHealth: Pick<DatabaseHealth, "status">;
  dataRetention: DataRetention;
  enrichment: OpenedEnrichment;
  domains: Pick<ProtectedDomains, "list">;
  inspection: { inspections: Pick<Inspections, "status">; originals: Pick<Originals, "summaries"> };
  keys: ApiKeys;
  /** Returns the outcome of the last reload. */
  lastReload: () => ReloadOutcome | undefined;
  messaging: {
    deliveries: Deliveries;
    notifications: { totals: () => { queued: number; composed: number } };
  };
  names: { metrics: () => SourceNumbers };
  scans: Scans;
  takedowns: OpenTakedowns;
  threats: Threats;
  traps: Pick<Traps, "totals">;
}): readonly Collector[] {
  const certificateEnds = createCertificateEnds({ clock, files: () => certificateFiles(config) });
  return [
    applianceCollector({ build: buildInfo, certificateEnds, database, log, traps }),
    accessCollector({ clock, database, keys }),
    threatCollector({ database, threats }),
    scanCollector(scans),
    lookupCollector({ clock, enrichment }),
    caseCollector({ campaigns, clock, dataRetention, takedowns }),
    sourceCollector(names.metrics),
    inspectionCollector(inspections, clock),
    originalCollector(originals, domains),
    deliveryCollector({ clock, deliveries, messageTotals: notifications.totals }),
    storageCollector({ clock, database, databaseHealth }),
    ...(backups === undefined ? [] : [backupCollector(backups, clock)]),
    reloadCollector(lastReload),
    processCollector(clock),
  ];
}
