import type { Static } from "@sinclair/typebox";
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
 * Schema of the configuration file: every key with its default, its limits and its description. To add a key, add it
 * here or in `sections/`, then run `bun scripts/render-config.ts`.
 */

const minuteMs = 60_000;

const server = table(
  {
    listen: text("host:port", readListen, {
      default: "127.0.0.1:8080",
      description: "host:port or [IPv6]:port; port 0 takes a free one",
      reload: "restart",
    }),
    public_url: optionalText("URL", readPublicUrl, {
      description: "address under which users reach it, for links; default http(s)://<listen>",
    }),
    tls_cert: optionalText("path", readPath, {
      description: "PEM file with the certificate chain; set both or neither",
      reload: "restart_if_switched",
    }),
    tls_key: optionalText("path", readPath, {
      description: "PEM file with its private key",
      reload: "restart_if_switched",
    }),
    trusted_proxies: texts("network", readNetwork, {
      maxItems: 100,
      description: `networks whose X-Forwarded-For is trusted, such as "10.0.0.0/8"`,
    }),
    allowed_hosts: texts("host", readHost, {
      maxItems: 100,
      description: "additional host names under which console, metrics and documentation respond",
    }),
    metrics_token: optionalSecret(
      { lengthMin: 16, lengthMax: 200, ascii: true },
      { description: "secret; if set, /metrics requires it as a bearer token" },
    ),
  },
  "The web server: API, console, health and metrics.",
);

const storage = table(
  {
    path: text("path", readDatabasePath, {
      default: "data/phishwatch.db",
      description: `SQLite database, created at the first start; ":memory:" stores nothing`,
      reload: "restart",
    }),
  },
  "Storage.",
);

const api = table(
  {
    max_per_page: integer(
      { minimum: 1, maximum: 1000 },
      { default: 100, description: "maximum per_page of a list" },
    ),
    max_batch_ids: integer(
      { minimum: 1, maximum: 10_000 },
      { default: 1000, description: "maximum number of ids in a batch call" },
    ),
  },
  "Limits of the HTTP API.",
  { reload: "restart" },
);

const detection = table(
  {
    min_similarity: number(
      { minimum: 0, maximum: 1 },
      { default: 0.75, description: "minimum similarity of a threat" },
    ),
    reactivate: boolean({
      default: true,
      description: "a resolved threat becomes active again when its domain becomes live again",
    }),
  },
  "Detection of look-alikes.",
);

const webhooks = table(
  {
    timeout: text("duration", readDuration({ minimumMs: 10, maximumMs: 5 * minuteMs }), {
      default: "10s",
      description: "for one attempt, from connecting to the end of the response",
    }),
    retry_delays: texts("duration", readDuration({ minimumMs: 1, maximumMs: 30 * dayMs }), {
      maxItems: 20,
      uniqueItems: false,
      default: ["1m", "5m", "30m", "2h"],
      description: "delays after the previous attempt; then the delivery fails",
    }),
    retry_jitter: number(
      { minimum: 0, maximum: 0.1 },
      { default: 0, description: "maximum random share that is added to a delay" },
    ),
    endpoint_concurrency: integer(
      { minimum: 1, maximum: 256 },
      { default: 8, description: "maximum number of concurrent requests to one endpoint" },
    ),
    breaker: boolean({ default: false, description: "hold deliveries to a failing endpoint behind a probe" }),
    allow_http: boolean({ default: false, description: "also deliver to http:// URLs, unencrypted" }),
    allow_private_networks: boolean({
      default: true,
      description: "also deliver to loopback and private addresses",
    }),
    ca_file: optionalText("path", readPath, {
      description: "PEM file with an additional certificate authority",
    }),
    disable_after: optionalText("duration", readDuration({ minimumMs: minuteMs, maximumMs: 3650 * dayMs }), {
      default: "5d",
      description: `disable an endpoint after failing for this long; "" = never`,
    }),
    endpoints,
  },
  "Delivery of events to webhook endpoints.",
);

const traps = table(
  {
    listen: optionalText("host:port", readListen, {
      description: 'additional listener that serves only /b and /t; "": none',
      reload: "restart",
    }),
    public_url: optionalText("URL", readTrapsUrl, {
      description: "address under which visitors reach /b and /t; default traps.listen or server.public_url",
    }),
    repeat_after: text("duration", readDuration({ minimumMs: 1_000, maximumMs: 30 * dayMs }), {
      default: "1h",
      description: "repeated visits within this time are counted, not sent again",
    }),
    alarm_classes: choices(quietClasses, {
      description: "classes of visits that emit events in addition to the default ones",
    }),
    hits_per_minute: integer(
      { minimum: 1, maximum: 1_000_000 },
      {
        default: 600,
        description: "maximum number of recorded visits per minute from one network (/24, IPv6 /48)",
      },
    ),
    events_per_hour: integer(
      { minimum: 1, maximum: 1_000_000 },
      {
        default: 1000,
        description:
          "maximum number of events per hour of one beacon or honeytoken; further visits are only recorded",
      },
    ),
    hosts_per_hour: integer(
      { minimum: 1, maximum: 10_000 },
      { default: 60, description: "maximum number of new threats per hour that one beacon raises" },
    ),
  },
  "Beacons and honeytokens.",
);

const keyBytes = 32;

/** Public key of Ed25519, as `phishwatch data key` prints it. */
const readPublicKey: TextReader<string> = (given) => {
  const bytes = Buffer.from(given, "base64");
  return bytes.length === keyBytes && bytes.toString("base64") === given
    ? { value: given }
    : { allowed: "a public key: 32 bytes in base64, as 'phishwatch data key' prints it" };
};

const data = table(
  {
    trusted_keys: texts("public key", readPublicKey, {
      maxItems: 10,
      description:
        "public keys whose data updates are accepted, as 'phishwatch data key' prints them; none: no data update is accepted",
    }),
  },
  "Updates of the lists that the program contains (`phishwatch data update`).",
  { reload: "restart" },
);

const log = table(
  {
    level: choice(["trace", "debug", "info", "warn", "error"], {
      default: "info",
      description: "minimum level of messages",
    }),
    format: choice(["auto", "json", "pretty"], {
      default: "auto",
      description: "auto: pretty on a terminal, otherwise JSON",
      reload: "restart",
    }),
  },
  "The log, on standard error.",
);

export const configSchema = table(
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
  "The configuration of phishwatch.",
);

/** Values after reading, under the names of the file. */
export type FileValues = Static<typeof configSchema>;
