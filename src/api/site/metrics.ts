import type { DatabaseStatus } from "../../database/health/health.ts";
import type { BuildInfo } from "../../lib/build-info.ts";
import type { Instant } from "../../lib/clock.ts";
import { resolverVerdicts, type ResolverVerdict } from "../../network/dns/resolver-check.ts";
import { scanFailures, type ScanFailure } from "../../vocabulary/scans.ts";
import type { Status } from "../../vocabulary/threats.ts";
import type { Readiness } from "./health.ts";
import { family, type Labels } from "./metric-text.ts";
import { sourceFamilies, type SourceMetrics } from "./source-metrics.ts";

/** Metrics for a monitoring system. */
export interface Metrics {
  countRequest(route: string, method: string, status: number): void;
  /** Returns all metrics in the Prometheus text format, version 0.0.4. */
  render(): string;
}

export interface MetricSources {
  build: BuildInfo;
  threatTotals: () => readonly { status: Status; severity: string; total: number }[];
  deliveryTotals: () => readonly { recipient: string; status: string; total: number }[];
  recipientStates: () => readonly { recipient: string; state: string; failure: string | null }[];
  /** Changes that wait for a message to people, and messages since the start. */
  messageTotals: () => { queued: number; composed: number };
  scanTotals: () => {
    byStatus: readonly { status: string; total: number }[];
    byFailure: readonly { failure: string; total: number }[];
    completedAt: Instant | null;
  };
  /** Verdicts of the latest check of the resolvers; undefined before the first one. */
  resolverVerdicts: () => readonly ResolverVerdict[] | undefined;
  trapTotals: () => { recorded: number; limited: number; dropped: number };
  sources: () => SourceMetrics;
  storage: () => StorageStatus;
  memory: () => { rss: number; heapUsed: number };
  /** CPU time of this process, in microseconds. */
  cpu: () => { user: number; system: number };
}

/** State of the appliance and its database. */
export interface StorageStatus extends DatabaseStatus, Readiness {
  /** Undefined in memory. */
  bytes: { file: number; log: number } | undefined;
}

/**
 * Collects metrics without a client library, which would cost histograms and promises on every request where a
 * counter suffices.
 */
export function createMetrics(sources: MetricSources): Metrics {
  // Keys are route, method and status, which are small sets: a caller's path never becomes a label.
  const requests = new Map<string, { labels: Labels; count: number }>();
  const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

  return {
    countRequest(route, method, status) {
      const id = `${route} ${method} ${status}`;
      const known = requests.get(id);
      if (known !== undefined) {
        known.count += 1;
        return;
      }
      if (!methods.has(method)) return;
      requests.set(id, { labels: { route, method, status }, count: 1 });
    },

    render() {
      const { build, threatTotals, deliveryTotals, memory, cpu } = sources;
      const scans = sources.scanTotals();
      const { rss, heapUsed } = memory();
      const { user, system } = cpu();
      return [
        family("phishwatch_build_info", "gauge", "Always 1; the labels identify the version.", [
          [{ version: build.version, commit: build.commit, bun: build.bunVersion }, 1],
        ]),
        family(
          "phishwatch_http_requests_total",
          "counter",
          "HTTP requests, by route, method and status.",
          [...requests.values()].map(({ labels, count }) => [labels, count]),
        ),
        family(
          "phishwatch_threats",
          "gauge",
          "Threats on record, by status and severity.",
          threatTotals().map(({ total, ...labels }) => [labels, total]),
        ),
        family(
          "phishwatch_deliveries",
          "gauge",
          "Deliveries in the log, by recipient and status.",
          deliveryTotals().map(({ recipient, status, total }) => [{ endpoint: recipient, status }, total]),
        ),
        family(
          "phishwatch_endpoint_state",
          "gauge",
          "Always 1; the labels give the endpoint's state (enabled, failing, held, disabled) and its last failure.",
          sources
            .recipientStates()
            .map(({ recipient, state, failure }) => [
              { endpoint: recipient, state, failure: failure ?? "" },
              1,
            ]),
        ),
        ...messageFamilies(sources.messageTotals()),
        family(
          "phishwatch_scans",
          "gauge",
          "Scans on record, by status, including the running one.",
          scans.byStatus.map(({ total, ...labels }) => [labels, total]),
        ),
        scanFamilies(scans, sources.resolverVerdicts()),
        family(
          "phishwatch_trap_visits_total",
          "counter",
          "Visits to beacons and honeytokens: recorded, over the limit of their network, or dropped because the queue was full.",
          Object.entries(sources.trapTotals()).map(([outcome, total]) => [{ outcome }, total]),
        ),
        ...sourceFamilies(sources.sources()),
        ...storageFamilies(sources.storage()),
        family("process_resident_memory_bytes", "gauge", "Resident memory.", [[{}, rss]]),
        family("phishwatch_heap_used_bytes", "gauge", "JavaScript heap in use.", [[{}, heapUsed]]),
        family("process_cpu_seconds_total", "counter", "CPU time used.", [[{}, (user + system) / 1e6]]),
      ].join("");
    },
  };
}

function scanFamilies(
  { byFailure, completedAt }: ReturnType<MetricSources["scanTotals"]>,
  checked: ReturnType<MetricSources["resolverVerdicts"]>,
): string {
  const failedBy = (reason: ScanFailure) => byFailure.find(({ failure }) => failure === reason)?.total ?? 0;
  const resolversWith = (verdict: ResolverVerdict) => checked?.filter((one) => one === verdict).length ?? 0;
  return [
    family(
      "phishwatch_scan_failures_total",
      "counter",
      "Failed scans, by reason.",
      scanFailures.map((reason) => [{ reason }, failedBy(reason)]),
    ),
    family(
      "phishwatch_resolvers",
      "gauge",
      "DNS resolvers, by verdict of the latest check. Without an honest one, scans fail.",
      checked === undefined ? [] : resolverVerdicts.map((verdict) => [{ verdict }, resolversWith(verdict)]),
    ),
    family(
      "phishwatch_last_scan_completed_seconds",
      "gauge",
      "Unix time at which the last completed scan ended. Failed scans do not change it.",
      completedAt === null ? [] : [[{}, completedAt / 1000]],
    ),
  ].join("");
}

function storageFamilies({ ready, checks, errors, quickCheck, disk, bytes }: StorageStatus): string[] {
  return [
    family("phishwatch_ready", "gauge", "1 if /readyz returns 200, else 0.", [[{}, ready ? 1 : 0]]),
    family("phishwatch_database_ok", "gauge", "0 while the database has a problem that /readyz describes.", [
      [{}, checks.database === "ok" ? 1 : 0],
    ]),
    family(
      "phishwatch_database_errors_total",
      "counter",
      "Errors of SQLite that concern the file or its disk, by code.",
      errors.map(({ code, total }) => [{ code }, total]),
    ),
    family(
      "phishwatch_database_quick_check_ok",
      "gauge",
      "1 if the last check of the whole database file found nothing, else 0.",
      quickCheck === null ? [] : [[{}, quickCheck.result === "ok" ? 1 : 0]],
    ),
    family(
      "phishwatch_database_quick_check_seconds",
      "gauge",
      "Unix time of the last check of the whole database file.",
      quickCheck === null ? [] : [[{}, quickCheck.at / 1000]],
    ),
    family(
      "phishwatch_database_bytes",
      "gauge",
      "Size of the database, by file: the database itself, and its write-ahead log.",
      bytes === undefined
        ? []
        : [
            [{ file: "database" }, bytes.file],
            [{ file: "log" }, bytes.log],
          ],
    ),
    family(
      "phishwatch_disk_free_bytes",
      "gauge",
      "Free space on the disk of the database.",
      disk === undefined ? [] : [[{}, disk.freeBytes]],
    ),
  ];
}

function messageFamilies({ queued, composed }: ReturnType<MetricSources["messageTotals"]>): string[] {
  return [
    family(
      "phishwatch_notification_queue",
      "gauge",
      "Changes that wait for the next message of a subscription.",
      [[{}, queued]],
    ),
    family(
      "phishwatch_notifications_total",
      "counter",
      "Messages composed for subscriptions since the start.",
      [[{}, composed]],
    ),
  ];
}
