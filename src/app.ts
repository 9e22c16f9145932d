import { type AuditLog, createAuditLog } from "./access/audit/audit-log.ts";
import { auditDomains, type AuditedDomains } from "./access/audited-domains.ts";
import { auditKeys, type AuditedKeys } from "./access/audited-keys.ts";
import { type ConsolePassword, createConsolePassword } from "./access/console/password.ts";
import { createConsoleSignIn } from "./access/console/sign-in.ts";
import { firstStart, type FirstStart } from "./access/console/first-start.ts";
import { createKeyUsage } from "./access/keys/key-usage.ts";
import { createApiKeys } from "./access/keys/keys.ts";
import { createSettings } from "./access/settings/settings.ts";
import { createServer, type Server } from "./api/server.ts";
import type { Config } from "./config/config.ts";
import { type Database, openDatabase } from "./database/database.ts";
import { type AssessDomain, createDomainAssessment } from "./domains/assess.ts";
import { createProtectedDomains } from "./domains/domains.ts";
import type { Enrichment } from "./enrichment/enrichment.ts";
import { withCredibleAbsence } from "./lookups/dns/credible-absence.ts";
import { createExistenceLookUp, type LookUpExistence } from "./lookups/dns/existence.ts";
import { openEnrichment, type Reach } from "./enrichment/open-enrichment.ts";
import { createWildcardProbe } from "./lookups/dns/wildcards.ts";
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
import { createFeeds, type Feeds } from "./sources/feeds/feeds.ts";
import { createImports, type Imports } from "./sources/imports/imports.ts";
import type { Source } from "./sources/source.ts";
import type { ThreatSearch } from "./threat-index/search.ts";
import { auditThreats } from "./threats/audited-threats.ts";
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
  /** All sources of names: start, stop, status and checks go through them. */
  readonly sources: readonly Source[];
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
  const pacer = () => createPacer({ sliceMs, elapsedMs: () => performance.now() });
  // What nearly every service is made with.
  const base = { clock, database, fillRandom, ids, log, outbox, pacer };
  const { minSimilarity, reactivate } = config.detection;
  const domains = createProtectedDomains({ ...base, minSimilarity });
  const auditLog = createAuditLog(base);
  const threats = createThreats({ ...base, reactivate });
  const assessDomain = createDomainAssessment({ ...base, minSimilarity });
  const threatSearch = lazy(() => loadThreatSearch().createThreatSearch(base));
  const candidates = createCandidates({ ...base, domains, threats });
  const feeds = createFeeds({ ...base, candidates, feeds: config.feeds });
  const imports = createImports({ ...base, auditLog, candidates });
  const sources: readonly Source[] = [...feeds.sources, imports];
  const { resolvers, queriesPerSecond, schedule } = config.scan;
  const dns =
    givenDns ??
    createDnsClient({
      ...base,
      resolvers: () => (resolvers.length > 0 ? resolvers : systemResolvers()),
      queriesPerSecond,
    });
  const probeWildcard = createWildcardProbe({ ...base, dns });
  const lookUpExistence = createExistenceLookUp({ dns, probeWildcard });
  const scans = createScans({
    ...base,
    auditLog,
    dns,
    domains,
    lookUp: lookUpExistence,
    minSimilarity,
    queriesPerSecond,
    schedule,
    threats,
    onFound: ({ existence, threatId }) => enrichment.hand(threatId, existence),
  });
  const enrichment = openEnrichment({
    ...base,
    config,
    dns,
    isRoot: process.getuid?.() === 0,
    lookUpExistence: withCredibleAbsence({ dns, lookUp: lookUpExistence }),
    reach,
    threats,
    version: buildInfo.version,
    which: (name) => Bun.which(name),
  });
  const settings = createSettings(base);
  const keys = createApiKeys(base);
  const keyUsage = createKeyUsage();
  const consolePassword = createConsolePassword({ ...base, settings, configured: config.console.password });
  const webhooks = createWebhooks({
    ...base,
    resolveHost: resolveWithSystem,
    settings: { ...config.webhooks, retention: config.retention },
    version: buildInfo.version,
  });
  const traps = createTraps({
    ...base,
    auditLog,
    domains,
    threats,
    publicUrl: () => config.traps.publicUrl ?? server.publicUrl,
    settings: { ...config.traps, hitsKeptMs: config.retention.hitsMs },
  });
  const audited = {
    domains: auditDomains({ ...base, auditLog, domains }),
    keys: auditKeys({ ...base, auditLog, keys }),
    threats: auditThreats({ ...base, auditLog, threats }),
    webhooks: auditWebhooks({ ...base, auditLog, webhooks }),
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
    ...base,
    config,
    newRequestId,
    build: buildInfo,
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
      ...base,
      ...audited,
      config,
      build: buildInfo,
      eventLog,
      assessDomain,
      threatSearch,
      sources,
      feeds,
      imports,
      scans,
      enrichment,
      traps,
      auditLog,
      keyUsage,
      copyDatabase: createLiveCopies(base),
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
    threatSearch,
    candidates,
    sources,
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
      for (const source of sources) source.start();
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
      await Promise.all([
        webhooks.stop(),
        ...sources.map((source) => source.stop()),
        scans.stop(),
        enrichment.stop(),
      ]);
      writeLastUsed();
    },
    firstStart: () => firstStart({ ...base, ...audited, consolePassword, settings }),
    close: () => database.close(),
  };
}

/** With it come the detection's tables of look-alike letters, for which no start should wait. */
function loadThreatSearch(): typeof import("./threat-index/search.ts") {
  return require("./threat-index/search.ts");
}
