import { openStorage } from "./storage.ts";
import { createAuditLog } from "../access/audit/audit-log.ts";
import { createReloadRecord } from "../access/audit/reload-entry.ts";
import { openAccess } from "../access/open-access.ts";
import { createServer } from "../web/api/server.ts";
import type { Environment } from "./environment.ts";
import { openLookupServices } from "./lookups.ts";
import { createLifecycle } from "./lifecycle.ts";
import { openBackups } from "../operations/backups/open-backups.ts";
import { openCampaigns } from "../response/cases/campaigns/open-campaigns.ts";
import type { Config } from "../platform/config/config.ts";
import { createLiveConfig } from "../platform/reload/live-config.ts";
import { createCaseOf } from "../response/cases/case-json.ts";
import { createCases } from "../response/cases/cases.ts";
import { openTakedowns } from "../response/cases/takedowns/open-takedowns.ts";
import { openConditions } from "../operations/conditions/open-conditions.ts";
import { createDomainAssessment } from "../threats/domains/assess.ts";
import { createProtectedDomains } from "../threats/domains/domains.ts";
import { openEnrichment } from "../facts/enrichment/open-enrichment.ts";
import { createEventLog } from "../threats/events/event-log.ts";
import { createOutbox } from "../threats/events/outbox.ts";
import { memoryLimitBytes } from "../web/http/body/body-budget.ts";
import { buildInfo } from "../platform/lib/build-info.ts";
import { createIdFactory } from "../platform/lib/ids.ts";
import { createForeground, createYielders } from "../platform/lib/yielder.ts";
import { createCollectors } from "../operations/monitoring/collect/all-collectors.ts";
import { openMessaging } from "../messaging/subscriptions/open-messaging.ts";
import { createThreatExports } from "../response/outputs/exports/threat-exports.ts";
import { createLists } from "../response/outputs/block-lists/lists.ts";
import { createReload } from "../platform/reload/reload.ts";
import { createDataRetention } from "../operations/retention/retention.ts";
import { createScans } from "../intake/scans/scans.ts";
import { openSources } from "../intake/sources/all/open-sources.ts";
import { openThreatIndex } from "../threats/index/lazy/open-threat-index.ts";
import { createThreats } from "../threats/threats/threats.ts";
import { trapKinds } from "../response/traps/kinds/kinds.ts";
import { createTraps } from "../response/traps/traps.ts";

/** Long-running work yields to requests after this many milliseconds. */
const sliceMs = 5;

/** All services over one open database. Nothing runs until `start`. */
export type App = ReturnType<typeof openApp>;

/**
 * Composition root: the only place that constructs services. Reconciles the database with the configuration file.
 * @throws StartError with a message for the operator.
 */
export function openApp(environment: Environment) {
  const { clock, log, fillRandom, loadConfig, startWorker } = environment;
  const live = createLiveConfig(environment.config);
  const { config } = live;
  const { cases, detection } = config;
  const yielder = createYielders({ sliceMs, elapsedMs: () => performance.now() });
  const foreground = createForeground();
  const { version } = buildInfo;

  // Storage and events
  const { database, databaseHealth, recordVersion, storeGrowth } = openStorage(environment);
  const ids = createIdFactory(clock.now, fillRandom);
  const auditLog = createAuditLog({ database, clock });
  const outbox = createOutbox({ database, clock, ids });
  const eventLog = createEventLog(database);

  // Protected domains and access
  const domains = createProtectedDomains({ database, clock, ids, log, auditLog, detection });
  const access = openAccess({ auditLog, clock, config, database, domains, fillRandom, ids, log });
  const { keys, keyUsage, settings } = access;
  const backups = openBackups({ environment, live, auditLog, database, settings });

  // Detection and threats
  const assessDomain = createDomainAssessment({ detection, yielder });
  const threats = createThreats({
    auditLog,
    cases,
    clock,
    database,
    detection,
    fillRandom,
    ids,
    log,
    outbox,
    startWorker,
  });
  const caseWork = createCases({ auditLog, clock, database, threats });
  const isServing = () => lifecycle.isRunning();
  const threatIndex = openThreatIndex({ clock, database, fillRandom, foreground, isServing, log, yielder });
  const campaigns = openCampaigns({ clock, database, foreground, log, yielder });
  const exports = createThreatExports({ clock, database, fillRandom, log, settings, threatIndex, yielder });

  // Lookups
  const { dns, inspection, lookUp, lookups, turns } = openLookupServices(environment, {
    auditLog,
    config,
    database,
    domains,
    ids,
    onConfigChange: live.onChange,
    saveFacts: (found) => enrichment.handOff(found),
    threats,
    yielder,
  });

  // Names
  const names = openSources({
    config,
    onConfigChange: live.onChange,
    database,
    domains,
    threats,
    auditLog,
    clock,
    log,
    turns,
    yielder,
    fillRandom,
    inspections: inspection.inspections,
    startWorker,
  });
  const { activity, archive, candidates } = names;

  const enrichment = openEnrichment({ clock, config, database, inspection, log, lookups, threats });
  const scans = createScans({
    activity,
    archive,
    auditLog,
    clock,
    config,
    database,
    dns,
    domains,
    ids,
    log,
    lookUp,
    onConfigChange: live.onChange,
    outbox,
    yielder,
    threats,
    saveFacts: enrichment.handOff,
  });

  // Deliveries and traps
  const messaging = openMessaging({
    auditLog,
    clock,
    config,
    database,
    domains,
    enrichment,
    fillRandom,
    ids,
    log,
    outbox,
    pause: yielder().pause,
    publicUrl: () => server.publicUrl,
    signedAt: environment.signedAt ?? clock.now,
    turns,
    version,
  });
  const takedowns = openTakedowns(environment, { auditLog, config, database, channels: messaging.channels });
  const caseOf = createCaseOf({ campaigns, cases: caseWork, takedowns });
  const traps = createTraps({
    activity,
    archive,
    auditLog,
    clock,
    database,
    domains,
    fillRandom,
    ids,
    kinds: trapKinds,
    log,
    outbox,
    yielder,
    publicUrl: () => server.trapsUrl,
    retention: config.retention,
    settings: config.traps,
    threats,
  });
  const lists = createLists({ auditLog, clock, database, domains, fillRandom, ids, log, version, yielder });
  const lastReload = () => reload?.last();
  const conditions = openConditions({
    backups,
    clock,
    config,
    database,
    databaseHealth,
    log,
    messaging,
    names,
    scans,
    takedowns,
    lastReload,
  });

  const onConfigChange = live.onChange;
  const dataRetention = createDataRetention({ auditLog, clock, config, database, log, onConfigChange });

  /** Services that the console and the callers of this function receive. */
  const services = {
    ...names,
    ...messaging,
    ...access,
    assessDomain,
    auditLog,
    backups,
    campaigns,
    cases: caseWork,
    conditions,
    /** In effect: a reload changes it. */
    config,
    dataRetention,
    domains,
    enrichment,
    eventLog,
    exports,
    inspection,
    lists,
    scans,
    takedowns,
    threatIndex,
    threats,
    traps,
  };

  // HTTP
  const collectors = () =>
    createCollectors({
      ...services,
      build: buildInfo,
      certificateEnds: conditions.certificateEnds,
      clock,
      database,
      databaseHealth,
      lastReload,
      log,
      messaging,
      names,
    });
  const server = createServer({
    config,
    clock,
    log,
    yielder,
    memoryBytes: memoryLimitBytes(),
    newRequestId: () => crypto.randomUUID(),
    build: buildInfo,
    database,
    databaseHealth,
    keys,
    keyUsage,
    threats,
    api: { ...inspection, candidates, caseOf, exports, factsOf: enrichment.factsOf, threatIndex },
    collectors,
    readScreenshot: (id) => enrichment.screenshotOf(id),
    openConsole,
    traps,
    lists,
    schedulersRunning: isServing,
  });

  async function openConsole() {
    const { createConsole } = await import("../web/console/console.tsx");
    return createConsole({
      ...services,
      ...inspection,
      build: buildInfo,
      clock,
      consoleSignIn: access.openSignIn(),
      databaseStatus: databaseHealth.status,
      fillRandom,
      lastReload,
      log,
      server,
      storage: database,
      storeGrowth,
    });
  }

  /** Makes the rows of the database match what the configuration file declares. */
  function reconcile(declared: Config): void {
    domains.reconcile(declared.protectedDomains);
    keys.reconcile(declared.apiKeys);
    messaging.reconcile(declared);
    lists.reconcile(declared.lists);
  }
  database.transaction(() => (recordVersion(), reconcile(config)));
  // Afterward: a server with a damaged file starts, and shows what it has.
  database.refuseIf(databaseHealth.damage);
  live.onChange(() => (log.level = config.log.level));
  const record = createReloadRecord(auditLog);
  const reload =
    loadConfig &&
    createReload({ clock, database, live, load: loadConfig, log, parts: [server], reconcile, record });

  const lifecycle = createLifecycle(
    [
      [reload, takedowns, campaigns, threats.decisions],
      // Visits become events, which the deliveries still have to see.
      [names.archiveChecks, backups, traps, conditions, messaging.notifications],
      [messaging.deliveries, names, scans, enrichment],
      [dataRetention, inspection],
      [archive, lists, access.lastUsedWriter, databaseHealth, storeGrowth],
      [{ start: () => auditLog.startReport(log), stop: auditLog.stopReport }],
    ],
    // At once, because these end the work that an earlier process left, and must not end what a request has begun.
    { first: [archive, names, takedowns, scans] },
  );

  return {
    ...services,
    database,
    dns,
    server,
    reload,
    /** Starts all background work: before the call returns or, in turns, with requests in between. */
    async start({ inTurns = false } = {}) {
      database.serve(log);
      await lifecycle.start(inTurns ? yielder().pause : undefined);
    },
    /** Finishes work in progress, for some seconds at most. */
    async stop() {
      database.endPatience();
      await lifecycle.stop();
    },
    /** Closes the database. Nothing may be called afterward. */
    close: () => database.close(),
  };
}
