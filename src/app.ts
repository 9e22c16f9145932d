import { type AuditLog, createAuditLog } from "./access/audit-log.ts";
import { auditDomains, type AuditedDomains } from "./access/audited-domains.ts";
import { auditKeys, type AuditedKeys } from "./access/audited-keys.ts";
import { type ConsolePassword, createConsolePassword } from "./access/console-password.ts";
import { createConsoleSignIn } from "./access/console-sign-in.ts";
import { firstStart, type FirstStart } from "./access/first-start.ts";
import { createKeyUsage } from "./access/key-usage.ts";
import { createApiKeys } from "./access/keys.ts";
import { createSettings } from "./access/settings.ts";
import { createServer, type Server } from "./api/server.ts";
import type { Config } from "./config/config.ts";
import { type Database, openDatabase } from "./database/database.ts";
import { type AssessDomain, createDomainAssessment } from "./domains/assess.ts";
import { createProtectedDomains } from "./domains/domains.ts";
import type { Enrichment } from "./enrichment/enrichment.ts";
import { withCredibleAbsence } from "./enrichment/credible-absence.ts";
import { createExistenceLookUp, type LookUpExistence } from "./enrichment/existence.ts";
import { openEnrichment, type Reach } from "./enrichment/open-enrichment.ts";
import { createWildcardProbe } from "./enrichment/wildcards.ts";
import { createEventLog, type EventLog } from "./events/event-log.ts";
import { createOutbox, type Outbox } from "./events/outbox.ts";
import { buildInfo } from "./lib/build-info.ts";
import type { Clock } from "./lib/clock.ts";
import { createIdFactory, type FillRandom } from "./lib/ids.ts";
import { lazy } from "./lib/lazy.ts";
import { logDropped, type Log } from "./lib/log.ts";
import { every, type Schedule } from "./lib/schedule.ts";
import { createPacer } from "./lib/pacer.ts";
import { createDnsClient, type DnsClient } from "./network/dns-client.ts";
import { resolveWithSystem } from "./network/resolve.ts";
import { systemResolvers } from "./network/system-resolvers.ts";
import { createScans, type Scans } from "./scans/scans.ts";
import { type Candidates, createCandidates } from "./sources/candidates.ts";
import { createFeeds, type Feeds } from "./sources/feeds.ts";
import { createImports, type Imports } from "./sources/imports.ts";
import type { ThreatSearch } from "./threats/search.ts";
import { createThreats, type Threats } from "./threats/threats.ts";
import { createTraps, type Traps } from "./traps/traps.ts";
import { auditWebhooks, type AuditedWebhooks } from "./webhooks/audited-webhooks.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

const everyMinute = "* * * * *";
/** Long work gives way to requests after so much time. */
const sliceMs = 5;

/** What the appliance takes from the outside. */
export interface Surroundings {
  config: Config;
  clock: Clock;
  log: Log;
  fillRandom: FillRandom;
  /** Where look-ups about threats may go; absent: to public addresses only. */
  reach?: Reach;
  /** What stands in for the DNS; absent: the resolvers that the configuration names. */
  dns?: DnsClient;
  /** With `storage.path` ":memory:": a database to begin with, as `serialize` gives it. */
  image?: Uint8Array;
}

/** All services over one open database. Nothing runs by itself until `start`. */
export interface App {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly eventLog: EventLog;
  readonly domains: AuditedDomains;
  readonly assessDomain: AssessDomain;
  readonly threats: Threats;
  /** What the console's list is searched with; made when first asked for. */
  readonly threatSearch: () => ThreatSearch;
  readonly candidates: Candidates;
  readonly feeds: Feeds;
  readonly imports: Imports;
  readonly dns: DnsClient;
  readonly lookUpExistence: LookUpExistence;
  readonly scans: Scans;
  readonly enrichment: Enrichment;
  readonly keys: AuditedKeys;
  readonly consolePassword: ConsolePassword;
  readonly auditLog: AuditLog;
  readonly traps: Traps;
  readonly webhooks: AuditedWebhooks;
  readonly server: Server;
  /** Begins what runs by itself: deliveries, feeds, scans. */
  start(): void;
  /** Finishes what is under way, for some seconds at most. */
  stop(): Promise<void>;
  /** Makes what a newcomer needs, exactly once; the secrets that it answers cannot be had again. */
  firstStart(): FirstStart;
  /** Closes the database; nothing may be called afterwards. */
  close(): void;
}

/**
 * The composition root: the only place where services are made. Opens the database and makes it agree
 * with what the configuration file declares.
 * @throws StartError with a message for the operator.
 */
export function openApp({ config, clock, log, fillRandom, reach, dns: givenDns, image }: Surroundings): App {
  const database = openDatabase(config.storage.path, image);
  const ids = createIdFactory(clock.now, fillRandom);
  const outbox = createOutbox({ database, clock, ids });
  const eventLog = createEventLog(database);
  const domains = createProtectedDomains({
    database,
    clock,
    ids,
    log,
    minSimilarity: config.detection.minSimilarity,
  });
  const auditLog = createAuditLog({ database, clock });
  const { reactivate } = config.detection;
  const threats = createThreats({ database, clock, ids, outbox, fillRandom, reactivate });
  const pacer = () => createPacer({ sliceMs, elapsedMs: () => performance.now() });
  const assessDomain = createDomainAssessment({ minSimilarity: config.detection.minSimilarity, pacer });
  const threatSearch = lazy(() => loadThreatSearch().createThreatSearch({ database, pacer }));
  const candidates = createCandidates({ database, domains, threats, clock, pacer });
  const feeds = createFeeds({ feeds: config.feeds, database, candidates, clock, log });
  const imports = createImports({ auditLog, database, candidates, clock, log });
  const { resolvers, queriesPerSecond, schedule } = config.scan;
  const dns =
    givenDns ??
    createDnsClient({
      clock,
      fillRandom,
      resolvers: () => (resolvers.length > 0 ? resolvers : systemResolvers()),
      queriesPerSecond,
    });
  const probeWildcard = createWildcardProbe({ dns, clock, fillRandom });
  const lookUpExistence = createExistenceLookUp({ dns, probeWildcard });
  const scans = createScans({
    database,
    clock,
    ids,
    outbox,
    log,
    domains,
    threats,
    dns,
    lookUp: lookUpExistence,
    pacer,
    minSimilarity: config.detection.minSimilarity,
    queriesPerSecond,
    schedule,
    auditLog,
    onFound: ({ existence, threatId }) => enrichment.hand(threatId, existence),
  });
  const enrichment = openEnrichment({
    clock,
    config,
    database,
    dns,
    isRoot: process.getuid?.() === 0,
    log,
    lookUpExistence: withCredibleAbsence({ dns, lookUp: lookUpExistence }),
    reach,
    threats,
    version: buildInfo.version,
    which: (name) => Bun.which(name),
  });
  const settings = createSettings({ database, clock });
  const keys = createApiKeys({ database, clock, ids, fillRandom });
  const keyUsage = createKeyUsage();
  const configured = config.console.password;
  const consolePassword = createConsolePassword({ settings, configured, fillRandom });
  const webhooks = createWebhooks({
    clock,
    database,
    fillRandom,
    ids,
    log,
    outbox,
    resolveHost: resolveWithSystem,
    settings: { ...config.webhooks, retention: config.retention },
    version: buildInfo.version,
  });
  const parts = { auditLog, clock, database, domains, fillRandom, ids, log, outbox, pacer, threats };
  const traps = createTraps({
    ...parts,
    publicUrl: () => config.traps.publicUrl ?? server.publicUrl,
    settings: { ...config.traps, hitsKeptMs: config.retention.hitsMs },
  });
  const audited = {
    domains: auditDomains({ domains, auditLog, database }),
    keys: auditKeys({ keys, auditLog, database }),
    webhooks: auditWebhooks({ webhooks, auditLog, database }),
  };
  const newRequestId = () => crypto.randomUUID();
  let lastUsed: Schedule | undefined;
  const writeLastUsed = () => {
    try {
      keys.flushLastUsed();
    } catch (error) {
      // A full disk, say: it is kept for the next minute, and no reason to end.
      logDropped(log, error, "the times of last use of API keys wait to be written");
    }
  };
  const server = createServer({
    config,
    clock,
    log,
    newRequestId,
    build: buildInfo,
    database,
    keys,
    keyUsage,
    threats,
    candidates,
    deliveries: webhooks.deliveries,
    scans,
    readCapture: (id) => enrichment.captureOf(id),
    openConsole,
    traps,
    schedulersRunning: () => lastUsed !== undefined,
  });

  // Loaded when somebody opens it: the start does not wait for it.
  async function openConsole() {
    const { createConsole } = await import("./console/console.tsx");
    const { createLiveCopies } = await import("./database/live-copy.ts");
    return createConsole({
      config,
      clock,
      log,
      fillRandom,
      build: buildInfo,
      ...audited,
      database,
      eventLog,
      assessDomain,
      threats,
      threatSearch,
      candidates,
      feeds,
      imports,
      scans,
      enrichment,
      traps,
      auditLog,
      keyUsage,
      copyDatabase: createLiveCopies({ database, fillRandom }),
      consolePassword,
      ...createConsoleSignIn({ database, clock, fillRandom }),
      readiness: server.readiness,
      publicUrl: () => server.publicUrl,
    });
  }

  database.transaction(() => {
    audited.domains.reconcile(config.protectedDomains);
    audited.keys.reconcile(config.apiKeys);
    audited.webhooks.endpoints.reconcile(config.webhooks.endpoints);
  });

  return {
    ...audited,
    database,
    outbox,
    eventLog,
    assessDomain,
    threats,
    threatSearch,
    candidates,
    feeds,
    imports,
    dns,
    lookUpExistence,
    scans,
    enrichment,
    consolePassword,
    auditLog,
    traps,
    server,
    start() {
      webhooks.start();
      feeds.start();
      imports.start();
      scans.start();
      enrichment.start();
      traps.start();
      lastUsed = every({ clock, pattern: everyMinute, run: writeLastUsed });
    },
    async stop() {
      lastUsed?.stop();
      lastUsed = undefined;
      // What visitors left becomes events first.
      await traps.stop();
      await Promise.all([webhooks.stop(), feeds.stop(), imports.stop(), scans.stop(), enrichment.stop()]);
      writeLastUsed();
    },
    firstStart: () => firstStart({ database, clock, settings, ...audited, consolePassword }),
    close: () => database.close(),
  };
}

/** With it come the detection's tables of look-alike letters, for which no start should wait. */
function loadThreatSearch(): typeof import("./threats/search.ts") {
  return require("./threats/search.ts");
}
