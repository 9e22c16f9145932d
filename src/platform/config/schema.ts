import { Type, type Static } from "@sinclair/typebox";
import { dayMs } from "../lib/clock.ts";
import { quietClasses } from "../vocabulary/traps.ts";
import { backup } from "./sections/backup.ts";
import { cases, takedown } from "./sections/cases.ts";
import { webConsole } from "./sections/console.ts";
import { apiKeys, endpoints, protectedDomains } from "./sections/entries.ts";
import {
  boolean,
  choice,
  integer,
  number,
  optionalSecret,
  optionalText,
  table,
  text,
  type TextReader,
  texts,
  choices,
} from "./fields/fields.ts";
import { inspection, lookups, scan, screenshots } from "./sections/lookups.ts";
import { retention } from "./sections/retention.ts";
import { channels, lists, smtp, subscriptions } from "./sections/notifications.ts";
import { archive, certificateLogs, feeds } from "./sections/sources.ts";
import {
  readDatabasePath,
  readDuration,
  readHost,
  readListen,
  readNetwork,
  readPath,
  readPublicUrl,
  readTrapsUrl,
} from "./fields/texts.ts";

/**
 * Schema of the configuration file: every key with its type and limits. `fields/settings.json` has its default and description.
 * To add a key, add it there, and here or in `sections/`, then run `bun scripts/render-config.ts`.
 */

const minuteMs = 60_000;

const server = table("server", {
  listen: text("host:port", readListen),
  public_url: optionalText("URL", readPublicUrl),
  tls_cert: optionalText("path", readPath),
  tls_key: optionalText("path", readPath),
  trusted_proxies: texts("network", readNetwork, { maxItems: 100 }),
  allowed_hosts: texts("host", readHost, { maxItems: 100 }),
  metrics_token: optionalSecret({ lengthMin: 16, lengthMax: 200, ascii: true }),
});

const storage = table("storage", {
  path: text("path", readDatabasePath),
});

const api = table("api", {
  max_per_page: integer({ minimum: 1, maximum: 1000 }),
  max_batch_ids: integer({ minimum: 1, maximum: 10_000 }),
});

const detection = table("detection", {
  min_similarity: number({ minimum: 0, maximum: 1 }),
  reactivate: boolean(),
});

const webhooks = table("webhooks", {
  timeout: text("duration", readDuration({ minimumMs: 10, maximumMs: 5 * minuteMs })),
  retry_delays: texts("duration", readDuration({ minimumMs: 1, maximumMs: 30 * dayMs }), {
    maxItems: 20,
    uniqueItems: false,
  }),
  retry_jitter: number({ minimum: 0, maximum: 0.1 }),
  endpoint_concurrency: integer({ minimum: 1, maximum: 256 }),
  breaker: boolean(),
  allow_http: boolean(),
  allow_private_networks: boolean(),
  ca_file: optionalText("path", readPath),
  disable_after: optionalText("duration", readDuration({ minimumMs: minuteMs, maximumMs: 3650 * dayMs })),
  endpoints,
});

const traps = table("traps", {
  listen: optionalText("host:port", readListen),
  public_url: optionalText("URL", readTrapsUrl),
  repeat_after: text("duration", readDuration({ minimumMs: 1_000, maximumMs: 30 * dayMs })),
  alarm_classes: choices(quietClasses),
  hits_per_minute: integer({ minimum: 1, maximum: 1_000_000 }),
  events_per_hour: integer({ minimum: 1, maximum: 1_000_000 }),
  hosts_per_hour: integer({ minimum: 1, maximum: 10_000 }),
});

const keyBytes = 32;

/** Public key of Ed25519, as `phishwatch data key` prints it. */
const readPublicKey: TextReader<string> = (given) => {
  const bytes = Buffer.from(given, "base64");
  return bytes.length === keyBytes && bytes.toString("base64") === given
    ? { value: given }
    : { allowed: "a public key: 32 bytes in base64, as 'phishwatch data key' prints it" };
};

const data = table("data", {
  trusted_keys: texts("public key", readPublicKey, { maxItems: 10 }),
});

const log = table("log", {
  level: choice(["trace", "debug", "info", "warn", "error"]),
  format: choice(["auto", "json", "pretty"]),
});

export const configSchema = Type.Object(
  {
    server,
    storage,
    console: webConsole,
    api,
    detection,
    cases,
    scan,
    lookups,
    inspection,
    screenshots,
    webhooks,
    smtp,
    takedown,
    traps,
    certificate_logs: certificateLogs,
    archive,
    backup,
    retention,
    data,
    log,
    protected_domains: protectedDomains,
    feeds,
    api_keys: apiKeys,
    channels,
    subscriptions,
    lists,
  },
  { kind: "table", additionalProperties: false },
);

/** Values after reading, under the names of the file. */
export type FileValues = Static<typeof configSchema>;
