import type { Instant } from "../../../../platform/lib/clock.ts";
import { feedKind } from "../../../../intake/sources/source.ts";
import { certstreamKind } from "../../../../intake/sources/certstream/certstream-feed.ts";
import type { Context } from "../../shell/router.ts";
import { queuedCountedMax, type ConcernSources } from "./attention.ts";
import type { Status } from "./status-line.tsx";
import { conditionConcerns, growthConcerns, reloadConcerns } from "./system-concerns.ts";

/** Services that show whether everything works. */
export type StatusServices = Context<
  | "archive"
  | "auditLog"
  | "backups"
  | "certificateLogs"
  | "conditions"
  | "databaseStatus"
  | "deliveries"
  | "keys"
  | "lastReload"
  | "readiness"
  | "scans"
  | "sources"
  | "storeGrowth"
  | "untrustedProxy"
>["services"];

/** Reads what the concerns and the status line are derived from, once for both. */
export async function readStatus(
  services: StatusServices,
  now: Instant,
): Promise<{ given: ConcernSources; status: Status }> {
  const { auditLog, backups, certificateLogs, deliveries, scans } = services;
  const recipients = deliveries.recipients.listAll().map((recipient) => ({
    ...recipient,
    noun: deliveries.nounOf(recipient.channel),
    queued: () => deliveries.log.queued(recipient.id, queuedCountedMax),
  }));
  const sources = services.sources.map((source) => ({
    kind: source.kind,
    pausedAt: source.pausing?.current()?.at ?? null,
    ...source.status(),
  }));
  const lastScan = scans.latestOutcome();
  const database = services.databaseStatus();
  const certificates = await services.conditions.certificateEnds();
  const others = [
    ...reloadConcerns(services.lastReload()),
    ...conditionConcerns({ backups, certificates, database, now }),
    ...growthConcerns(services.storeGrowth.latest().growth, database.disk?.freeBytes),
  ];
  return {
    given: {
      now,
      readiness: services.readiness(),
      untrustedProxy: services.untrustedProxy(),
      database,
      recipients,
      sources,
      keys: services.keys.list(),
      lastScan,
      resolverProblem: scans.resolverHealth.latest()?.problem ?? null,
      archiveProblem: services.archive.status().problem,
      others,
    },
    status: {
      lastScan,
      isScanning: scans.running() !== undefined,
      logs: certificateLogs?.logs(),
      feeds: sources.filter(({ kind }) => kind === feedKind || kind === certstreamKind),
      recipients,
      backupAt: auditLog.list({ action: "backup.make" }, { limit: 1, offset: 0 })[0]?.at,
      backupError: backups.status().failure?.error ?? backups.copies.latest()?.error ?? null,
      isBackupOverdue: backups.status().overdueSince !== null,
    },
  };
}
