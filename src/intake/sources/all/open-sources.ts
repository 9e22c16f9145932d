import { openNameSearches } from "../../../engines/archive/search/name-searches.ts";
import type { DiskArchiveOptions } from "../../../engines/archive/storing/disk-archive.ts";
import { openArchive } from "../../../engines/archive/storing/open-archive.ts";
import type { LogReader } from "../../../engines/certificate-transparency/log.ts";
import { archiveFolder } from "../../../engines/archive/files/folder.ts";
import { tryLock } from "../../../platform/database/lock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { Config, FeedConfig } from "../../../platform/config/config.ts";
import type { Inspections } from "../../../facts/inspection/inspections.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import type { OnConfigChange } from "../../../platform/reload/live-config.ts";
import { createSourceActivity } from "../activity/source-activity.ts";
import { createArchiveChecks } from "../archive-checks/archive-checks.ts";
import { createCandidates } from "../candidates.ts";
import { createImports } from "../imports/imports.ts";
import { createSourcePauses } from "../pauses/source-pauses.ts";
import { type Source, feedKind } from "../source.ts";
import { createLogReading } from "./read-one-log.ts";
import { createSettings } from "../../../access/settings/settings.ts";
import { userAgentOf } from "../../../platform/lib/build-info.ts";
import { createSystemResolver } from "../../../platform/network/dns/resolve-with-system.ts";
import { createCertstreamFeeds, isStreamFeed } from "../certstream/certstream-feed.ts";
import { createFeeds, createFolderFeeds, isFolderFeed } from "../feeds/feeds.ts";
import type { FeedDependencies, InspectFeed, SourceNeeds } from "../needs.ts";
import { isUrlFeed } from "../url-feeds/download-state.ts";
import { createUrlFeeds } from "../url-feeds/url-feeds.ts";

/** The log list takes time to load. */
const certificateLogReading = lazy(
  () => require("./open-certificate-logs.ts") as typeof import("./open-certificate-logs.ts"),
);

interface SourcesDependencies
  extends
    Omit<FeedDependencies, "candidates" | "inspectFeed" | "pauses" | "resolveHost" | "userAgent">,
    SourceNeeds<"auditLog" | "domains" | "startWorker" | "threats"> {
  config: Pick<Config, "archive" | "certificateLogs" | "detection" | "feeds" | "storage">;
  onConfigChange: OnConfigChange;
  inspections: Pick<Inspections, "enqueue">;
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

type FeedsDependencies = Omit<FeedDependencies, "inspectFeed" | "resolveHost" | "userAgent"> &
  Pick<SourcesDependencies, "auditLog" | "inspections"> & {
    config: Pick<Config, "certificateLogs" | "feeds">;
  };

/** Constructs everything that is declared as `[[feeds]]`. */
function openFeeds({ auditLog, config, inspections, ...given }: FeedsDependencies) {
  const { clock, database } = given;
  const inspectFeed: InspectFeed = ({ inspect, name }, source) =>
    inspect
      ? (addresses) =>
          void inspections.enqueue(addresses, { priority: "feed", source, origin: { kind: feedKind, name } })
      : undefined;
  const resolveHost = createSystemResolver({ clock });
  const userAgent = userAgentOf(config.certificateLogs.contact);
  const shared = { ...given, inspectFeed, resolveHost, userAgent };
  const fetchedOf = () => config.feeds.filter(isUrlFeed);
  const settings = createSettings({ database, clock });
  const folders = createDeclaredSources(createFolderFeeds(shared));
  const fetched = createDeclaredSources(createUrlFeeds({ ...shared, declared: fetchedOf, settings }));
  const streams = createDeclaredSources(createCertstreamFeeds(shared));
  const groups = [folders, fetched, streams];
  const watchers = () => [...folders.list, ...fetched.list];
  const { idle, readAgain, status } = createFeeds({ auditLog, database, watchers });
  /** Makes the feeds match what is declared. */
  function update(declared: readonly FeedConfig[]): void {
    folders.update(declared.filter(isFolderFeed));
    fetched.update(declared.filter(isUrlFeed));
    streams.update(declared.filter(isStreamFeed));
  }
  update(config.feeds);
  return {
    get sources() {
      return watchers();
    },
    idle,
    readAgain,
    status,
    /** Returns all feeds, streams included. */
    all: () => groups.flatMap(({ list }): readonly Source[] => list),
    update,
    start: () => groups.forEach((group) => group.start()),
    stop: async () => void (await Promise.all(groups.map((group) => group.stop()))),
  };
}

/**
 * Sources that the configuration file declares, by name.
 * @param open creates a source, without starting it
 */
function createDeclaredSources<Declared extends { name: string }, Opened extends Source>(
  open: (config: Declared) => Opened,
) {
  const list: Opened[] = [];
  let known = new Map<string, { config: Declared; source: Opened }>();
  /** Sources that stop, by name. */
  const stopping = new Map<string, Promise<unknown>>();
  let isStarted = false;

  async function stopOne(name: string, source: Opened): Promise<void> {
    const stopped = Promise.all([stopping.get(name), source.stop()]);
    stopping.set(name, stopped);
    await stopped;
    if (stopping.get(name) === stopped) stopping.delete(name);
  }

  /** Two sources of one name would read the same position. */
  async function startOne(name: string, source: Opened): Promise<void> {
    await stopping.get(name);
    if (isStarted && known.get(name)?.source === source) source.start();
  }

  /**
   * Makes the sources match what is declared. A source whose settings did not change goes on. One that was changed or removed
   * stops at its next yield, and everything up to its last recorded position is kept; a changed one then starts again.
   */
  function update(wanted: readonly Declared[]): void {
    const before = known;
    known = new Map(
      wanted.map((config) => {
        const present = before.get(config.name);
        const isSame = present !== undefined && Bun.deepEquals(present.config, config);
        return [config.name, isSame ? present : { config, source: open(config) }];
      }),
    );
    list.splice(0, list.length, ...[...known.values()].map(({ source }) => source));
    if (!isStarted) return;
    for (const [name, { source }] of before)
      if (known.get(name)?.source !== source) void stopOne(name, source);
    for (const [name, { source }] of known)
      if (before.get(name)?.source !== source) void startOne(name, source);
  }

  return {
    /** The present sources, in the order of the file. The array itself changes with an update. */
    list: list as readonly Opened[],
    update,
    start() {
      isStarted = true;
      for (const source of list) source.start();
    },
    async stop() {
      isStarted = false;
      await Promise.all([...stopping.values(), ...list.map((source) => source.stop())]);
    },
  };
}
