import { statSync } from "node:fs";
import type { App } from "../../app/app.ts";
import { archiveFolder } from "../../engines/archive/files/folder.ts";
import { folderExtent } from "../../engines/archive/files/reading.ts";
import type { Config } from "../../platform/config/config.ts";
import { diskRoomFor } from "../../platform/lib/disk.ts";
import type { Clock } from "../../platform/lib/clock.ts";
import { fillRandom } from "../appliance/fill-random.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { checkSetup, ports } from "./access.ts";
import { backupResults } from "./backups.ts";
import { serverCertificate } from "./certificates.ts";
import type { DatabaseCopy } from "./database-copy.ts";
import { channelResults, endpointResults, takedownResults, type EndpointChecks } from "./delivery.ts";
import * as detection from "./detection.ts";
import { embeddedLists } from "./lists.ts";
import {
  chromiumOf,
  inspectionResult,
  inspectionThread,
  originalResults,
  resolvers,
  screenshots,
  trapsDeployed,
} from "./lookups.ts";
import { clock, fileTimes, memory, openFiles } from "./machine.ts";
import { openForCheck } from "./open-for-check.ts";
import { resultsOf, type CheckResult } from "./result.ts";
import { hiddenConfiguration, runningServer, unknownVariables } from "./setup.ts";
import { originsOfNames, sourceResults } from "./sources.ts";
import { archiveResult, fileSystemOf, growth, retentionResults, writeLock } from "./storage.ts";

type Results = CheckResult[] | Promise<CheckResult[]>;

/**
 * Runs all checks and reports their results in the order of the groups. Checks that wait for the network or the disk run
 * at the same time.
 */
export async function runChecks({
  config,
  terminal,
  clock: systemTime,
  report,
  ...checks
}: EndpointChecks & {
  config: Config;
  terminal: Terminal;
  clock: Clock;
  report(result: CheckResult): void;
}): Promise<void> {
  const { now } = systemTime;
  const storage: CheckResult[] = [];
  const opened = await openForCheck(config, terminal, (result) => storage.push(result));
  const app = opened?.app;
  try {
    const groups: Results[] = [
      [resultsOf("configuration", "configuration").ok("valid")],
      [...hiddenConfiguration(terminal.env, config), ...unknownVariables(terminal.env, config)],
      runningServer(config),
      checkSetup(config, process.getuid?.()),
      ports(config),
      serverCertificate(config.server, now()),
      machine(config, now(), opened),
      storage,
      writeLock(config.storage.path, systemTime).then((result) => [result]),
      fileSystemOf(config.storage.path),
      app === undefined ? [] : growthOf(config, now(), opened?.events ?? null),
      app === undefined ? [] : archiveResult(config).then((result) => [result]),
      backupResults(config, {
        clock: systemTime,
        fillRandom,
        offline: checks.offline,
        foreign: app?.backups.status().foreign,
      }),
      ...(app === undefined ? [] : appChecks(app, config, checks, { clock: systemTime, terminal })),
      embeddedLists(config, now()),
    ];
    // Errors of a later group must not end the process while an earlier one is awaited.
    for (const group of groups) void Promise.resolve(group).catch(() => {});
    for (const group of groups) for (const result of await group) report(result);
  } finally {
    app?.close();
  }
}

function machine(
  config: Config,
  now: number,
  opened: Awaited<ReturnType<typeof openForCheck>>,
): CheckResult[] {
  const events = opened?.events ?? null;
  const known = fileTimes(config.storage.path);
  if (events !== null) known.push({ what: "the newest event in the database", at: events.newestAt });
  // Those of the file and of the database.
  const endpoints = opened?.app.webhooks.endpoints.list().filter(({ enabled }) => enabled);
  const webhooks = { ...config.webhooks, ...(endpoints === undefined ? {} : { endpoints }) };
  return [openFiles({ ...config, webhooks }), memory("path" in chromiumOf(config)), clock(now, known)];
}

function appChecks(
  app: App,
  config: Config,
  checks: EndpointChecks,
  { clock: systemTime, terminal }: { clock: Clock; terminal: Terminal },
): Results[] {
  const { offline } = checks;
  const now = systemTime.now();
  const { startWorker } = terminal.threads;
  return [
    [
      ...detection.protectedDomains(app),
      ...detection.brandWords(app),
      ...detection.allowedDomains(app),
      ...detection.similarity(config),
      ...detection.archiveChecks(app),
      ...detection.keysWithoutDomain(app),
      ...detection.filterResults(app),
    ],
    retentionResults(app.dataRetention.states(), now),
    originsOfNames(config),
    sourceResults(app, offline),
    resolvers(app, config, offline),
    [
      screenshots(config),
      ...originalResults(app, config, now),
      inspectionResult(app, config, now),
      ...trapsDeployed(app),
    ],
    inspectionThread(config, { clock: systemTime, offline, startWorker }),
    endpointResults(app, config, checks, now),
    channelResults(app, config, offline),
    takedownResults(app, now),
  ];
}

async function growthOf(config: Config, now: number, events: DatabaseCopy["events"]): Promise<CheckResult[]> {
  const { path } = config.storage;
  try {
    const extent = await folderExtent(archiveFolder(path));
    return growth(config, {
      now,
      freeBytes: diskRoomFor(path).freeBytes,
      databaseBytes: statSync(path).size,
      archiveBytes: extent.bytes,
      oldestEventAt: events?.oldestAt ?? null,
    });
  } catch {
    // There is no file yet, or it cannot be read, which other checks report.
    return [];
  }
}
