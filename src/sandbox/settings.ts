import type { Config } from "../config/config.ts";
import { specifiedRetryDelaysMs } from "../webhooks/schedule.ts";
import { worldDomains } from "./world/world.ts";

export const consolePassword = "sandbox-console";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The configuration of a sandbox without a file: the defaults of the file's schema, and what `inSandbox` changes.
 * Written out because reading the schema takes 9 ms; a test holds the two equal.
 */
export function defaultConfig(): Config {
  return {
    server: {
      host: "127.0.0.1",
      port: 8080,
      publicUrl: "http://127.0.0.1:8080",
      publicUrlIsDefault: true,
      tls: null,
      trustedProxies: [],
      metricsToken: null,
    },
    storage: { path: ":memory:" },
    console: { enabled: true, password: null },
    api: { maxPerPage: 100, maxBatchIds: 1000 },
    detection: { minSimilarity: 0.75, reactivate: true },
    scan: {
      schedule: null,
      resolvers: [],
      queriesPerSecond: 200,
      registrationData: false,
      screenshots: "off",
    },
    screenshots: { chromiumArgs: [] },
    webhooks: {
      timeoutMs: 10_000,
      retryDelaysMs: [...specifiedRetryDelaysMs],
      retryJitter: 0,
      endpointConcurrency: 8,
      allowHttp: true,
      allowPrivateNetworks: true,
      caFile: null,
      disableAfterMs: 5 * dayMs,
      endpoints: [],
    },
    traps: {
      publicUrl: null,
      repeatAfterMs: hourMs,
      alarmClasses: [],
      hitsPerMinute: 600,
      eventsPerHour: 1_000,
      hostsPerHour: 60,
    },
    retention: { eventsMs: 30 * dayMs, deliveriesMs: 30 * dayMs, hitsMs: 90 * dayMs },
    log: { level: "warn", format: "auto" },
    protectedDomains: [],
    feeds: [],
    apiKeys: [],
  };
}

/** A configuration as a sandbox uses it: in memory, on loopback, and without a look-up that leaves the machine. */
export function inSandbox(config: Config, port: number): Config {
  const url = `http://127.0.0.1:${port}`;
  const own = config.protectedDomains.map(({ domain }) => domain);
  const seeded = worldDomains
    .filter((domain) => !own.includes(domain))
    .map((domain) => ({ domain, keywords: [], allow: [] }));
  return {
    ...config,
    // What the file says is not what is in force here.
    source: undefined,
    server: {
      ...config.server,
      host: "127.0.0.1",
      port,
      publicUrl: config.server.publicUrlIsDefault ? url : config.server.publicUrl,
      publicUrlIsDefault: false,
      tls: null,
    },
    storage: { path: ":memory:" },
    console: { ...config.console, password: config.console.password ?? consolePassword },
    // The schedule is kept apart: with one, names would be looked up on the web too.
    scan: { ...config.scan, schedule: null, registrationData: false, screenshots: "off" },
    webhooks: { ...config.webhooks, allowHttp: true, allowPrivateNetworks: true },
    protectedDomains: [...config.protectedDomains, ...seeded],
  };
}

/** When scans run by themselves over the sandbox's own name system: as the file says; without a file never. */
export function scheduleOf(config: Config): string | null {
  return config.scan.schedule;
}
