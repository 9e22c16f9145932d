import { withSettings } from "../../../scripts/render-config.ts";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { defaultPlan, defaultScopes } from "../../../src/platform/vocabulary/keys.ts";
import type { Config } from "../../../src/platform/config/load.ts";
import type { FilterConfig } from "../../../src/platform/config/sections/notifications.ts";
import documentation from "../../../src/platform/config/fields/settings.json" with { type: "json" };
import { describeConfig, renderExample } from "../../../src/platform/config/render.ts";
import { errorLines, loaded } from "./helper.ts";

/** Without where they come from. */
function settingsOf(text: string): Config {
  const { source, ...settings } = loaded(text);
  expect(source?.text).toBe(text);
  return settings;
}

const committed = readFileSync(join(import.meta.dir, "../../../config.example.toml"), "utf8");

/** Contract §3, written out. */
const defaults: Config = {
  server: {
    host: "127.0.0.1",
    port: 8080,
    publicUrl: "http://127.0.0.1:8080",
    publicUrlIsDefault: true,
    tls: null,
    trustedProxies: [],
    allowedHosts: [],
    metricsToken: null,
  },
  storage: { path: "/etc/phishwatch/data/phishwatch.db" },
  console: { enabled: true, password: null, requireCodes: false, trustedUser: null },
  api: { maxPerPage: 100, maxBatchIds: 1000 },
  detection: { minSimilarity: 0.75, reactivate: true },
  cases: { dueMs: { high: 86_400_000, medium: 3 * 86_400_000, low: 14 * 86_400_000 } },
  scan: {
    schedule: "17 3 * * *",
    resolvers: [],
    queriesPerSecond: 200,
    registrationData: true,
    screenshots: "auto",
  },
  lookups: { enabled: true },
  inspection: { perMinute: 600, perDay: 100_000, browser: "if_needed" },
  screenshots: { chromiumArgs: [], keep: "full" },
  webhooks: {
    timeoutMs: 10_000,
    retryDelaysMs: [60_000, 300_000, 1_800_000, 7_200_000],
    retryJitter: 0,
    endpointConcurrency: 8,
    breaker: false,
    allowHttp: false,
    allowPrivateNetworks: true,
    caFile: null,
    disableAfterMs: 5 * 86_400_000,
    endpoints: [],
  },
  traps: {
    listen: null,
    publicUrl: null,
    repeatAfterMs: 3_600_000,
    alarmClasses: [],
    hitsPerMinute: 600,
    eventsPerHour: 1000,
    hostsPerHour: 60,
  },
  retention: {
    eventsMs: 2_592_000_000,
    deliveriesMs: 2_592_000_000,
    hitsMs: 7_776_000_000,
    inspectionsMs: 2_592_000_000,
    falsePositivesMs: null,
    resolvedMs: null,
    screenshotsMs: null,
    auditMs: null,
  },
  data: { trustedKeys: [] },
  log: { level: "info", format: "auto" },
  certificateLogs: {
    enabled: false,
    contact: null,
    logList: { kind: "builtin" },
    operators: [],
    catchUpMs: 86_400_000,
    firstStart: "end",
    namesOnly: false,
    rates: [],
    extraLogs: [],
  },
  backup: {
    schedule: null,
    keep: 14,
    location: { kind: "folder", folder: "/etc/phishwatch/backups" },
    s3: { endpoint: null, region: "us-east-1", accessKey: null, secretKey: null },
    encryptWith: null,
  },
  archive: { enabled: true, bytesMax: 2 * 2 ** 30, ageMsMax: 90 * 86_400_000 },
  protectedDomains: [],
  feeds: [],
  apiKeys: [],
  smtp: null,
  takedown: { from: null, replyTo: null, signature: null, followUpAfterMs: 2 * 86_400_000 },
  channels: [],
  subscriptions: [],
  lists: [],
};

const everything = {
  minSeverity: "low",
  protectedDomains: [],
  types: [],
  sources: [],
  verifiedOnly: false,
} satisfies FilterConfig;

test("config.example.toml is what the schema renders (otherwise run scripts/render-config.ts)", () => {
  expect(committed).toBe(renderExample());
});

test("an empty file gives the defaults of the contract", () => {
  expect(settingsOf("")).toEqual(defaults);
});

test("config.example.toml is valid and changes no default but the protected domain", () => {
  const protectedDomains = [{ domain: "example-bank.com", keywords: [], allow: [] }];
  expect(settingsOf(committed)).toEqual({ ...defaults, protectedDomains });
});

test("the commented entries of the example are valid without their #", () => {
  const env = {
    PHISHWATCH_CI_KEY: "k".repeat(40),
    PHISHWATCH_SOC_SECRET: "s".repeat(40),
    PHISHWATCH_SLACK_URL: "https://slack.example/services/T/B/x",
    PHISHWATCH_LIST_TOKEN: "t".repeat(40),
  };
  const config = loaded(committed.replaceAll(/^#(?=\S)/gm, ""), { env });
  expect(config.feeds).toEqual([
    {
      name: "nrd",
      path: "/etc/phishwatch/feeds/nrd",
      url: null,
      type: "list",
      schedule: "0 */6 * * *",
      headers: {},
      query: null,
      username: null,
      password: null,
      zones: [],
      bytesMax: 2 ** 30,
      allowPrivateNetworks: false,
      format: "auto",
      column: null,
      inspect: false,
    },
  ]);
  expect(config.apiKeys).toEqual([
    { name: "ci", key: "k".repeat(40), plan: "pro", scopes: ["threats:read", "threats:write"], domains: [] },
  ]);
  expect(config.certificateLogs.rates).toEqual([{ operator: "DigiCert", requestsPerSecond: 0.15 }]);
  expect(config.certificateLogs.extraLogs).toMatchObject([
    { name: "internal", origin: "log.example/2026h2" },
  ]);
  expect(config.webhooks.endpoints).toEqual([
    {
      name: "soc",
      url: "https://soc.example/hooks/phishwatch",
      secret: "s".repeat(40),
      events: ["threat.created", "threat.resolved"],
      filter: everything,
      headers: {},
      concurrency: null,
      ratePerSecond: null,
      caFile: null,
      clientCertFile: null,
      clientKeyFile: null,
    },
  ]);
  expect(config.channels).toEqual([
    {
      name: "team-chat",
      type: "slack",
      url: "https://slack.example/services/T/B/x",
      token: null,
      chatId: null,
      routingKey: null,
      topic: null,
      room: null,
      to: [],
      template: null,
      headers: {},
    },
  ]);
  expect(config.subscriptions).toEqual([
    {
      name: "high at once",
      channel: "team-chat",
      events: ["threat.created"],
      filter: everything,
      digest: "none",
      at: 480,
      weekdays: [],
      timeZone: "UTC",
      quietHours: null,
    },
  ]);
  expect(config.lists).toEqual([
    {
      name: "block",
      token: "t".repeat(40),
      statuses: ["active"],
      minSeverity: "high",
      verifiedOnly: true,
      protectedDomains: [],
      maxAgeMs: null,
    },
  ]);
});

test("no line of the example is longer than 120 columns, except for a public key", () => {
  const isKey = (line: string) => /^#key = "[A-Za-z0-9+/=]+"$/.test(line);
  expect(committed.split("\n").filter((line) => line.length > 120 && !isKey(line))).toEqual([]);
});

test("the table of settings lists each key of the example with its default", () => {
  const rows = describeConfig();
  const keys = committed.match(/^#?[a-z0-9_]+ = /gm) ?? [];
  expect(rows.map(({ path }) => `${path.split(".").at(-1)} = `).sort()).toEqual(
    keys.map((key) => key.replace("#", "")).sort(),
  );
  expect(rows.find(({ path }) => path === "webhooks.timeout")).toEqual({
    path: "webhooks.timeout",
    type: "duration",
    default: '"10s"',
    description: "for one attempt, from connecting to the end of the response",
    needsRestart: false,
  });
  expect(rows.find(({ path }) => path === "[[webhooks.endpoints]].secret")?.default).toBeNull();
});

test("settings.json documents each key of the schema, and no other", () => {
  const paths = Object.entries(documentation).flatMap(([path, { keys }]) => {
    const shared = path === "event_filters" ? ["[[webhooks.endpoints]]", "[[subscriptions]]"] : [path];
    return shared.flatMap((table) => Object.keys(keys).map((key) => `${table}.${key}`));
  });
  const plain = (path: string) => path.replaceAll(/[[\]]/g, "");
  const listed = describeConfig().map(({ path }) => plain(path));
  // The block lists share this filter only.
  expect([...paths.map(plain), "lists.protected_domains"].sort()).toEqual(listed.sort());
});

test("settings.json has a description of each table and key, and nothing that the schema does not read", () => {
  const mark = Type.Optional(Type.Union([Type.Literal("restart"), Type.Literal("restart_if_switched")]));
  const key = Type.Object(
    {
      description: Type.String({ minLength: 1 }),
      default: Type.Optional(Type.Unknown()),
      example: Type.Optional(Type.Unknown()),
      reload: mark,
    },
    { additionalProperties: false },
  );
  const table = Type.Object(
    {
      description: Type.String({ minLength: 1 }),
      live: Type.Optional(Type.Literal(true)),
      reload: mark,
      keys: Type.Record(Type.String(), key),
    },
    { additionalProperties: false },
  );
  expect([...Value.Errors(Type.Record(Type.String(), table), documentation)]).toEqual([]);
});

test("a key without a plan and scopes gets the defaults", () => {
  const key = loaded(`[[api_keys]]\nname = "ci"\nkey = "${"k".repeat(20)}"`).apiKeys[0];
  expect(key).toMatchObject({ plan: defaultPlan, scopes: [...defaultScopes] });
});

test("the manual lists every setting as the schema defines it (otherwise run scripts/render-config.ts)", () => {
  const page = readFileSync(join(import.meta.dir, "../../../src/manual/configure.md"), "utf8");
  // The formatter pads the cells of tables.
  const unpadded = (text: string) => text.replaceAll(/ +(?=\|)/g, " ").replaceAll(/-{3,}/g, "---");
  expect(unpadded(withSettings(page))).toBe(unpadded(page));
});

test("a misspelled key in the example is reported", () => {
  expect(errorLines(committed.replace("listen =", "lissen ="))).toHaveLength(1);
});
