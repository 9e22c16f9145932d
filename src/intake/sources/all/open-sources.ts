import type { AuditLog } from "../../../access/audit/audit-log.ts";
import { openNameSearches } from "../../../engines/archive/search/open-name-searches.ts";
import type { DiskArchiveOptions } from "../../../engines/archive/storing/disk-archive.ts";
import { openArchive } from "../../../engines/archive/storing/open-archive.ts";
import type { LogReader } from "../../../engines/certificate-transparency/log.ts";
import { archiveFolder } from "../../../engines/archive/files/folder.ts";
import { tryLock } from "../../../platform/database/lock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Inspections } from "../../../facts/inspection/inspections.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import type { OnConfigChange } from "../../../platform/reload/live-config.ts";
import type { Threats } from "../../../threats/threats/threats.ts";
import { createSourceActivity } from "../activity/source-activity.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import { createArchiveChecks } from "../archive-checks/archive-checks.ts";
import { createCandidates } from "../candidates.ts";
import { createImports } from "../imports/imports.ts";
import { createSourcePauses } from "../pauses/source-pauses.ts";
import type { Source } from "../source.ts";
import { openFeeds } from "./open-feeds.ts";
import { createLogReading } from "./read-one-log.ts";

/** The log list takes time to load. */
const certificateLogReading = lazy(
  () => require("./open-certificate-logs.ts") as typeof import("./open-certificate-logs.ts"),
);

interface SourcesDependencies extends Needs<"clock" | "database" | "fillRandom" | "log" | "yielder"> {
  config: Pick<Config, "archive" | "certificateLogs" | "detection" | "feeds" | "storage">;
  onConfigChange: OnConfigChange;
  domains: ProtectedDomains;
  threats: Threats;
  auditLog: AuditLog;
  turns: Turns;
  inspections: Pick<Inspections, "enqueue">;
  startWorker: StartWorker | undefined;
}

/** Constructs everything that names come from, and what checks them. */
export function openSources({ config, onConfigChange, ...shared }: SourcesDependencies) {
  const { log } = shared;
  const { archive: settings, detection, storage } = config;
  const folder = storage.path === ":memory:" ? undefined : archiveFolder(storage.path);
  const onProblem: DiskArchiveOptions["onProblem"] = (problem) =>
    log.event("archive.needs_attention", problem);
  const archive = openArchive({ ...shared, folder, settings, onProblem, tryLock });
  const onError = (error: unknown) => logDropped(log, error, "archive.search_failed");
  const nameSearches = openNameSearches({ ...shared, archive, folder, onError });
  const activity = createSourceActivity(shared);
  const pauses = createSourcePauses(shared);
  const candidates = createCandidates({ ...shared, activity, archive });
  const archiveChecks = createArchiveChecks({ ...shared, archive, candidates, detection });
  const feeds = openFeeds({ ...shared, candidates, config, pauses });
  const imports = createImports({ ...shared, candidates });
  const ofLogs = { ...shared, activity, archive, config: config.certificateLogs, pauses };
  const certificateLogs = config.certificateLogs.enabled
    ? certificateLogReading().openCertificateLogs(ofLogs)
    : undefined;
  const logs = certificateLogs === undefined ? [] : [certificateLogs];
  /** The array itself changes with a reload. */
  const sources: Source[] = [];
  const collect = () => sources.splice(0, sources.length, ...feeds.all(), ...logs, imports);
  collect();
  onConfigChange(() => {
    feeds.update(config.feeds);
    collect();
  });
  return {
    activity,
    archive,
    archiveChecks,
    /** Returns a function that reads a certificate log when it is called, for a log within the process. */
    readLog: (reader: LogReader) => createLogReading({ ...shared, activity, archive, reader }),
    candidates,
    certificateLogs,
    /** Returns the log list and what the configuration selects, also if no certificate logs are followed. */
    logList: () => certificateLogs?.list() ?? certificateLogReading().openFollowedLogs(ofLogs).status(),
    feeds,
    imports,
    nameSearches,
    sources,
    metrics: () => ({
      totals: activity.totals(),
      sources,
      archive,
      archiveChecks: archiveChecks.list,
      certificateLogs,
    }),
    /** Starts all but the archive and its checks. */
    start() {
      feeds.start();
      for (const source of [...logs, imports]) source.start();
    },
    /** Stops everything but these. Others may still add names to the archive. */
    async stop() {
      nameSearches.stop();
      await Promise.all([feeds, ...logs, imports].map((source) => source.stop()));
      await activity.stop();
    },
  };
}
