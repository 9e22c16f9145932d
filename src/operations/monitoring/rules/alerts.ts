import { metrics } from "../catalogue/metrics.ts";
import { histogramSeries, series } from "./promql.ts";

/** A rule of an alert. Templates such as `{{ $labels.source }}` are filled in by Prometheus. */
export interface Alert {
  severity: "critical" | "warning";
  /** PromQL: the alert fires for each series of the result. */
  expr: string;
  /** How long the expression has to have a result. */
  forMinutes: number;
  /** One line. */
  summary: string;
  /** Sentences: the meaning, and the action to take. */
  description: string;
  /** Page of the manual with a heading, such as `troubleshooting.md#a-webhook-does-not-arrive`. */
  page: string;
}

const day = 86_400;
const mebibyte = 1_048_576;
/** Job of phishwatch in the configuration of Prometheus. */
const jobName = "phishwatch";

const badRequests = series(metrics.httpRequests, { status: { matches: "5.." } });

/** All alerts by name. */
export const alerts = {
  PhishwatchDown: {
    severity: "critical",
    expr: `up{job="${jobName}"} == 0`,
    forMinutes: 2,
    summary: "phishwatch does not respond",
    description:
      "Prometheus cannot scrape phishwatch. Check that the process runs, and read the last lines of its log.",
    page: "troubleshooting.md#the-server-does-not-start",
  },
  PhishwatchNotReady: {
    severity: "critical",
    expr: `${series(metrics.ready)} == 0`,
    forMinutes: 2,
    summary: "phishwatch is not ready",
    description: "Requests or changes fail. The response of /readyz names the reason.",
    page: "troubleshooting.md#problems-of-the-database",
  },
  PhishwatchDiskNearlyFull: {
    severity: "critical",
    expr: `${series(metrics.diskFree)} < ${512 * mebibyte}`,
    forMinutes: 5,
    summary: "The disk of phishwatch has {{ $value | humanize1024 }}B left",
    description: "phishwatch stops recording below 16 MiB. Make room, or move the database to a larger disk.",
    page: "limits.md#release-space",
  },
  PhishwatchDatabaseDamaged: {
    severity: "critical",
    expr: `${series(metrics.quickCheckOk)} == 0`,
    forMinutes: 0,
    summary: "The database file of phishwatch is damaged",
    description:
      "The check of the whole file found damage, so no change is accepted. Stop the server, run phishwatch database repair, and check the disk.",
    page: "troubleshooting.md#problems-of-the-database",
  },
  PhishwatchDatabaseLocked: {
    severity: "critical",
    expr: `${series(metrics.locked)} > 10`,
    forMinutes: 1,
    summary: "Another process has locked the database of phishwatch for {{ $value | humanizeDuration }}",
    description: "Changes fail until it releases the lock. The log names the process: end or resume it.",
    page: "troubleshooting.md#the-log-says-that-another-process-holds-the-write-lock",
  },
  PhishwatchRecipientFailing: {
    severity: "warning",
    expr: `max by (instance, recipient) (${series(metrics.recipientState, { state: { matches: "failing|held" } })}) == 1`,
    forMinutes: 10,
    summary: "Deliveries to {{ $labels.recipient }} fail",
    description:
      "The webhook endpoint or channel rejects messages or does not respond. Its page in the console shows the last response.",
    page: "notify.md#failing-endpoints",
  },
  PhishwatchDeliveriesDelayed: {
    severity: "warning",
    expr: `${series(metrics.oldestWaiting)} > 3600`,
    forMinutes: 10,
    summary: "A delivery to {{ $labels.recipient }} has waited for {{ $value | humanizeDuration }}",
    description:
      "Deliveries are repeated until they succeed or their retries are used up. Check the receiver.",
    page: "notify.md#check-deliveries",
  },
  PhishwatchTakedownReportsDelayed: {
    severity: "warning",
    expr: `${series(metrics.reportOldestQueued)} > 3600`,
    forMinutes: 10,
    summary: "A takedown report has waited to be sent for {{ $value | humanizeDuration }}",
    description:
      "The mail server defers or rejects the connection. The page Takedowns shows its words; `phishwatch check` tests it.",
    page: "takedown.md#delivery",
  },
  PhishwatchTakedownReportsUndelivered: {
    severity: "warning",
    expr: `${series(metrics.takedownAttention, { reason: "not_delivered" })} > 0`,
    forMinutes: 60,
    summary: "{{ $value }} takedown reports were not delivered",
    description:
      "They bounced, failed or were interrupted while the site is up. The page Takedowns lists them: use another recipient, or send them again.",
    page: "takedown.md#delivery",
  },
  PhishwatchFollowUpsOverdue: {
    severity: "warning",
    expr: `${series(metrics.takedownAttention, { reason: "follow_up" })} > 0`,
    forMinutes: 1440,
    summary: "{{ $value }} takedown reports have been due for a follow-up for a day",
    description: "The sites are still up. The page Takedowns lists them: follow up or escalate.",
    page: "takedown.md#follow-up-and-escalate",
  },
  PhishwatchCampaignsBehind: {
    severity: "warning",
    expr: `${series(metrics.campaignsBehind)} > 600`,
    forMinutes: 10,
    summary: "Campaigns have been behind for {{ $value | humanizeDuration }}",
    description:
      "New threats are recorded, but not grouped. The log has the reason as campaigns.not_updated; a busy machine also delays them.",
    page: "campaigns.md#limits",
  },
  PhishwatchRetentionFailing: {
    severity: "warning",
    expr: `${series(metrics.retentionLastSuccess)} == 0`,
    forMinutes: 120,
    summary: "Old data is not deleted",
    description: "The log has the reason as retention.data_failed. The next hour tries again.",
    page: "retention.md#set",
  },
  PhishwatchSourceStopped: {
    severity: "warning",
    expr: `${series(metrics.sourceOk)} == 0 unless on (instance, kind, source) ${series(metrics.sourceState, { state: "paused" })}`,
    forMinutes: 15,
    summary: "No names from the {{ $labels.kind }} {{ $labels.source }}",
    description:
      "It cannot be read, or nothing new has arrived for much longer than usual. The page Sources names the problem.",
    page: "sources.md#see-what-arrives",
  },
  PhishwatchCertificateLogLagging: {
    severity: "warning",
    expr: `${series(metrics.logLag)} > 3600`,
    forMinutes: 30,
    summary: "The certificate log {{ $labels.log }} is {{ $value | humanizeDuration }} behind",
    description: "Names of new certificates arrive late. Check the network, or follow fewer logs.",
    page: "troubleshooting.md#a-certificate-log-is-far-behind-or-cannot-be-read",
  },
  PhishwatchInspectionsBehind: {
    severity: "warning",
    expr: `${series(metrics.inspectionOldestWaiting)} > ${day}`,
    forMinutes: 30,
    summary: "An address has waited for an inspection for {{ $value | humanizeDuration }}",
    description:
      "More addresses arrive than are inspected. Raise inspection.per_day and inspection.per_minute, or inspect fewer feeds.",
    page: "inspection.md#limits-and-budgets",
  },
  PhishwatchInspectionsDropped: {
    severity: "warning",
    expr: `increase(${series(metrics.inspectionsDropped)}[1h]) > 0`,
    forMinutes: 0,
    summary: "{{ $value | humanize }} addresses of feeds were dropped without an inspection",
    description:
      "Too many addresses wait, or for too long. Raise inspection.per_day and inspection.per_minute, or inspect fewer feeds.",
    page: "inspection.md#limits-and-budgets",
  },
  PhishwatchOriginalsFailing: {
    severity: "warning",
    expr: `${series(metrics.originals, { state: "failing" })} > 0`,
    forMinutes: 1440,
    summary: "{{ $value }} original pages could not be captured for a day",
    description:
      "Pages are compared with old versions of them, or not at all. `phishwatch check` and the original pages of the domain say why.",
    page: "protect-domains.md#original-pages",
  },
  PhishwatchScanFailed: {
    severity: "warning",
    expr: `${series(metrics.scanLastSuccess)} == 0`,
    forMinutes: 0,
    summary: "The last scan failed",
    description:
      "New look-alikes may go unnoticed. The page Scans names the reason; `phishwatch check` tests the resolvers.",
    page: "troubleshooting.md#a-scan-finds-nothing-or-fails",
  },
  PhishwatchScanOverdue: {
    severity: "warning",
    expr: `time() - ${series(metrics.scanLastCompleted)} > ${2 * day}`,
    forMinutes: 60,
    summary: "No scan has completed for {{ $value | humanizeDuration }}",
    description:
      "Check scan.schedule and the page Scans. Remove this alert if you scan less often than every day.",
    page: "sources.md#scans",
  },
  PhishwatchNoResolver: {
    severity: "critical",
    expr: `${series(metrics.resolvers, { verdict: "honest" })} == 0`,
    forMinutes: 5,
    summary: "No DNS resolver can be trusted",
    description:
      "Every resolver is silent, denies names that exist, or invents names. Scans fail and lookups wait. Set scan.resolvers.",
    page: "troubleshooting.md#a-scan-finds-nothing-or-fails",
  },
  PhishwatchCertificateExpiring: {
    severity: "warning",
    expr: `${series(metrics.certificateExpiry)} - time() < ${14 * day}`,
    forMinutes: 60,
    summary: "The {{ $labels.use }} expires in {{ $value | humanizeDuration }}",
    description: "Replace the certificate file. phishwatch loads a changed file without a restart.",
    page: "proxy.md#its-own-certificate",
  },
  PhishwatchBackupMissing: {
    severity: "warning",
    expr: `${series(metrics.backupOverdue)} > ${day}`,
    forMinutes: 60,
    summary: "A scheduled backup is {{ $value | humanizeDuration }} late",
    description: "The log has the reason as backup events. Make one by hand: phishwatch backup.",
    page: "backup.md#make-and-check-backups",
  },
  PhishwatchArchiveFailing: {
    severity: "warning",
    expr: `${series(metrics.archiveOk)} == 0`,
    forMinutes: 15,
    summary: "Names cannot be archived",
    description: "The log has the reason as archive.needs_attention, for example a full disk.",
    page: "archive.md#interruption-and-damage",
  },
  PhishwatchRequestsFailing: {
    severity: "warning",
    expr: `sum by (instance) (rate(${badRequests}[5m])) / sum by (instance) (rate(${series(metrics.httpRequests)}[5m])) > 0.05`,
    forMinutes: 5,
    summary: "{{ $value | humanizePercentage }} of the requests fail with an internal error",
    description: "The log has the cause of each as http.request_failed.",
    page: "log.md#events",
  },
  PhishwatchSlow: {
    severity: "warning",
    expr: `histogram_quantile(0.99, sum by (instance, le) (rate(${histogramSeries(metrics.httpDurations, "bucket")}[5m]))) > 1`,
    forMinutes: 15,
    summary: "One of 100 requests takes longer than {{ $value | humanizeDuration }}",
    description: "Check CPU, memory and disk of the machine, and the delay of the event loop.",
    page: "limits.md#limits-of-one-machine",
  },
  PhishwatchManyFailedSignIns: {
    severity: "warning",
    expr: `increase(${series(metrics.failedSignIns)}[10m]) > 50`,
    forMinutes: 0,
    summary: "{{ $value | humanize }} attempts to sign in failed within 10 minutes",
    description: "Somebody may be guessing passwords. Restrict access to the console with your proxy.",
    page: "security.md#password-guessing",
  },
  PhishwatchFileDescriptors: {
    severity: "warning",
    expr: `${series(metrics.openFds, { job: jobName })} / ${series(metrics.maxFds, { job: jobName })} > 0.8`,
    forMinutes: 5,
    summary: "{{ $value | humanizePercentage }} of the file descriptors are in use",
    description: "Without descriptors, deliveries and connections wait. Raise the limit of open files.",
    page: "check.md#machine",
  },
  PhishwatchReloadFailed: {
    severity: "warning",
    expr: `${series(metrics.reloadLastSuccess)} == 0`,
    forMinutes: 5,
    summary: "The last reload of the configuration failed",
    description:
      "Usually the file has an error: the server continues with the previous configuration, but would not start. Run phishwatch check, then phishwatch reload.",
    page: "configure.md#errors",
  },
} as const satisfies Record<string, Alert>;

export type AlertName = keyof typeof alerts;
