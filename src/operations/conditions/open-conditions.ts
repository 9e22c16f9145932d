import type { Needs } from "../../platform/database/needs.ts";
import type { BackupServices } from "../backups/open-backups.ts";
import type { Config } from "../../platform/config/config.ts";
import type { DatabaseHealth } from "../../platform/database/health/health.ts";
import type { Deliveries } from "../../messaging/deliveries/deliveries.ts";
import type { SystemMessages } from "../../messaging/subscriptions/system-messages.ts";
import type { ReloadOutcome } from "../../platform/reload/reload.ts";
import type { Scans } from "../../intake/scans/scans.ts";
import type { LogListStatus } from "../../intake/sources/certificate-logs/followed-logs.ts";
import type { Source } from "../../intake/sources/source.ts";
import { type CertificateEnd, type CertificateFile, createCertificateEnds } from "./certificate-ends.ts";
import { type ConditionMonitor, createConditionMonitor } from "./monitor.ts";
import {
  backupCondition,
  certificateConditions,
  databaseCondition,
  diskCondition,
  logListNews,
  overdueCondition,
  recipientConditions,
  reloadCondition,
  resolverCondition,
  scanCondition,
  sourceConditions,
  takedownConditions,
} from "./observed.ts";

/** The monitor, and what else shows the same conditions. */
export interface Conditions extends ConditionMonitor {
  /** Returns when the certificates of this appliance end, read at most once a minute. */
  certificateEnds(): Promise<readonly CertificateEnd[]>;
}

/** Constructs the monitor over everything that has a condition. */
export function openConditions({
  backups,
  clock,
  config,
  database,
  databaseHealth,
  log,
  messaging: { deliveries, notifications },
  names: { certificateLogs, sources },
  scans,
  takedowns,
  lastReload,
}: Needs<"clock" | "database" | "log"> & {
  backups: Pick<BackupServices, "copies" | "status">;
  config: Config;
  databaseHealth: Pick<DatabaseHealth, "status">;
  messaging: {
    deliveries: Pick<Deliveries, "nounOf" | "recipients">;
    notifications: { system: SystemMessages };
  };
  names: {
    /** Undefined: none are followed. */
    certificateLogs: { list(): LogListStatus } | undefined;
    sources: readonly Source[];
  };
  scans: Pick<Scans, "latestOutcome" | "resolverHealth">;
  takedowns: Parameters<typeof takedownConditions>[0];
  /** Returns the outcome of the last reload of the configuration file. */
  lastReload: () => ReloadOutcome | undefined;
}): Conditions {
  const certificateEnds = createCertificateEnds({ clock, files: () => certificateFiles(config) });
  const monitor = createConditionMonitor({
    clock,
    database,
    log,
    messages: notifications.system,
    async observe() {
      const certificates = await certificateEnds();
      const now = clock.now();
      const { nounOf, recipients } = deliveries;
      return {
        conditions: [
          ...sourceConditions(sources),
          ...recipientConditions(recipients.listAll(), { now, nounOf }),
          scanCondition(scans.latestOutcome()),
          resolverCondition(scans.resolverHealth.latest()?.problem),
          reloadCondition(lastReload()),
          ...certificateConditions(certificates, now),
          diskCondition(databaseHealth.status().disk),
          databaseCondition(databaseHealth.status()),
          backupCondition(backups.copies.latest(), backups.status()),
          overdueCondition(backups.status()),
          ...takedownConditions(takedowns),
        ],
        news: certificateLogs === undefined ? [] : logListNews(certificateLogs.list()),
      };
    },
  });
  return { ...monitor, certificateEnds };
}

/** Returns the certificates with which this appliance identifies itself. */
function certificateFiles({ server, webhooks }: Config): CertificateFile[] {
  const own = server.tls === null ? [] : [{ use: "server certificate", path: server.tls.certPath }];
  const clients = webhooks.endpoints.flatMap(({ name, clientCertFile }) =>
    clientCertFile === null
      ? []
      : [{ use: `client certificate for the webhook endpoint ${name}`, path: clientCertFile }],
  );
  return [...own, ...clients];
}
