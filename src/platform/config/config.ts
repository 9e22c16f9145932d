import {
  toChannel,
  toFilter,
  toList,
  toSmtp,
  toSubscription,
  type ChannelConfig,
  type FilterConfig,
  type ListConfig,
  type SmtpConfig,
  type SubscriptionConfig,
} from "./notifications.ts";
import type { GroupsSeparator } from "../vocabulary/groups.ts";
import type { Role } from "../vocabulary/permissions.ts";
import type { FileValues } from "./schema.ts";
import type { ScreenshotKind } from "../vocabulary/screenshots.ts";
import type { Severity } from "../vocabulary/threats.ts";
import { toBackup, type BackupConfig } from "./sections/backup.ts";
import { toInspection, type InspectionConfig } from "./sections/inspection.ts";
import { toRetention, type RetentionConfig } from "./sections/retention.ts";
import { toTakedown, type TakedownConfig } from "./sections/takedown.ts";
import type { HostPort } from "./fields/texts.ts";
import { toCertificateLogs, toFeed, type CertificateLogsConfig, type FeedConfig } from "./sources.ts";

export type { CertificateLogsConfig, FeedConfig };

/**
 * Configuration as the program uses it: with defaults, durations in milliseconds, secrets resolved, absolute paths,
 * and domain names in A-label form. Null means not set.
 */
export interface Config {
  source?: ConfigSource | undefined;
  server: {
    /** Name, IPv4 or IPv6 address (without brackets). */
    host: string;
    /** 0: the system chooses a port; then compute `publicUrl` again with that port. */
    port: number;
    /** Without trailing slash. */
    publicUrl: string;
    /** Whether `publicUrl` was derived from `host` and `port`. */
    publicUrlIsDefault: boolean;
    /** PEM files; null: plain HTTP. */
    tls: { certPath: string; keyPath: string } | null;
    /** Networks as `address/prefix length`. */
    trustedProxies: string[];
    /** Lowercase, without ports. */
    allowedHosts: string[];
    metricsToken: string | null;
  };
  /** `path` may be `:memory:`. */
  storage: { path: string };
  console: {
    enabled: boolean;
    /** Password of `admin`; null: generated at the first start. */
    password: string | null;
    /** Whether everybody who signs in with a password needs a one-time code as well. */
    requireCodes: boolean;
    /** Headers by which a trusted proxy says who the user is, in lowercase; null: none. */
    trustedUser: {
      header: string;
      groupsHeader: string;
      groupsSeparator: GroupsSeparator;
      groupRoles: { group: string; role: Role }[];
    } | null;
  };
  api: { maxPerPage: number; maxBatchIds: number };
  detection: DetectionSettings;
  cases: CaseSettings;
  scan: {
    /** Five cron fields in UTC; null: no scheduled scans. */
    schedule: string | null;
    /** Empty: the system's resolvers. */
    resolvers: { address: string; port: number }[];
    queriesPerSecond: number;
    registrationData: boolean;
    screenshots: "auto" | "off" | { path: string };
  };
  /** Whether facts about threats are looked up at all. */
  lookups: { enabled: boolean };
  inspection: InspectionConfig;
  screenshots: { chromiumArgs: string[]; keep: ScreenshotKind };
  webhooks: {
    timeoutMs: number;
    retryDelaysMs: number[];
    /** 0 to 0.1. */
    retryJitter: number;
    endpointConcurrency: number;
    breaker: boolean;
    allowHttp: boolean;
    allowPrivateNetworks: boolean;
    /** Whether messages go to this machine only, and no names are looked up for them. Set by the demonstration. */
    onlyLoopback?: boolean;
    caFile: string | null;
    /** Null: never. */
    disableAfterMs: number | null;
    endpoints: EndpointConfig[];
  };
  traps: {
    /** Null: no listener of their own. */
    listen: HostPort | null;
    /** Without trailing slash; null: derived from `listen`, or `server.publicUrl`. */
    publicUrl: string | null;
    repeatAfterMs: number;
    alarmClasses: FileValues["traps"]["alarm_classes"];
    hitsPerMinute: number;
    eventsPerHour: number;
    hostsPerHour: number;
  };
  certificateLogs: CertificateLogsConfig;
  archive: { enabled: boolean; bytesMax: number; ageMsMax: number };
  backup: BackupConfig;
  retention: RetentionConfig;
  /** Public keys of data updates, in base64. */
  data: { trustedKeys: string[] };
  log: { level: FileValues["log"]["level"]; format: FileValues["log"]["format"] };
  protectedDomains: ProtectedDomainConfig[];
  feeds: FeedConfig[];
  apiKeys: ApiKeyConfig[];
  smtp: SmtpConfig | null;
  takedown: TakedownConfig;
  channels: ChannelConfig[];
  subscriptions: SubscriptionConfig[];
  lists: ListConfig[];
}

export interface CaseSettings {
  /** Time from the record of a threat to its due time; null: none. */
  dueMs: Record<Severity, number | null>;
}

export interface DetectionSettings {
  minSimilarity: number;
  reactivate: boolean;
}

/** File that the configuration was read from. Do not log it: its text may contain secrets. */
export interface ConfigSource {
  /** Absolute. */
  path: string;
  text: string;
  /** Replaces `server.listen` of the file: given on the command line. */
  listen?: HostPort | undefined;
  /** Values in effect, under the names of the file. */
  values: FileValues;
  /** Absolute paths of the files that it refers to and that were read with it, such as files with secrets. */
  files: string[];
}

export interface EndpointConfig {
  name: string;
  url: string;
  secret: string;
  /** Empty: all. */
  events: FileValues["webhooks"]["endpoints"][number]["events"];
  filter: FilterConfig;
  headers: Record<string, string>;
  /** Null: the default for all endpoints. */
  concurrency: number | null;
  /** Null: no limit. */
  ratePerSecond: number | null;
  /** PEM files. */
  caFile: string | null;
  clientCertFile: string | null;
  clientKeyFile: string | null;
}

export interface ProtectedDomainConfig {
  domain: string;
  /** Lowercase, NFC. */
  keywords: string[];
  allow: string[];
}

export interface ApiKeyConfig {
  name: string;
  key: string;
  plan: FileValues["api_keys"][number]["plan"];
  scopes: FileValues["api_keys"][number]["scopes"];
  /** Empty: all. */
  domains: string[];
}

/** Converts the values of the file to the form that the program uses. */
export function toConfig(values: FileValues): Config {
  const { server, api, cases, detection, scan, webhooks, traps, retention } = values;
  const { tls_cert: certPath, tls_key: keyPath } = server;
  const tls = certPath === null || keyPath === null ? null : { certPath, keyPath };
  return {
    server: {
      ...server.listen,
      publicUrl: server.public_url ?? defaultPublicUrl(server.listen, tls !== null),
      publicUrlIsDefault: server.public_url === null,
      tls,
      trustedProxies: server.trusted_proxies,
      allowedHosts: server.allowed_hosts,
      metricsToken: server.metrics_token,
    },
    storage: values.storage,
    console: {
      enabled: values.console.enabled,
      password: values.console.password,
      requireCodes: values.console.require_codes,
      trustedUser: toTrustedUser(values.console),
    },
    api: { maxPerPage: api.max_per_page, maxBatchIds: api.max_batch_ids },
    detection: { minSimilarity: detection.min_similarity, reactivate: detection.reactivate },
    cases: { dueMs: { high: cases.due_high, medium: cases.due_medium, low: cases.due_low } },
    scan: {
      schedule: scan.schedule,
      resolvers: scan.resolvers,
      queriesPerSecond: scan.queries_per_second,
      registrationData: scan.registration_data,
      screenshots: scan.screenshots,
    },
    lookups: values.lookups,
    inspection: toInspection(values.inspection),
    screenshots: { chromiumArgs: values.screenshots.chromium_args, keep: values.screenshots.keep },
    webhooks: {
      timeoutMs: webhooks.timeout,
      retryDelaysMs: webhooks.retry_delays,
      retryJitter: webhooks.retry_jitter,
      endpointConcurrency: webhooks.endpoint_concurrency,
      breaker: webhooks.breaker,
      allowHttp: webhooks.allow_http,
      allowPrivateNetworks: webhooks.allow_private_networks,
      caFile: webhooks.ca_file,
      disableAfterMs: webhooks.disable_after,
      endpoints: webhooks.endpoints.map(toEndpoint),
    },
    traps: {
      listen: traps.listen,
      publicUrl: traps.public_url,
      repeatAfterMs: traps.repeat_after,
      alarmClasses: traps.alarm_classes,
      hitsPerMinute: traps.hits_per_minute,
      eventsPerHour: traps.events_per_hour,
      hostsPerHour: traps.hosts_per_hour,
    },
    retention: toRetention(retention),
    data: { trustedKeys: values.data.trusted_keys },
    log: values.log,
    protectedDomains: values.protected_domains,
    certificateLogs: toCertificateLogs(values.certificate_logs),
    archive: {
      enabled: values.archive.enabled,
      bytesMax: values.archive.max_size,
      ageMsMax: values.archive.max_age,
    },
    backup: toBackup(values.backup, values.storage.path),
    feeds: values.feeds.map(toFeed),
    apiKeys: values.api_keys,
    smtp: toSmtp(values.smtp),
    takedown: toTakedown(values.takedown),
    channels: values.channels.map(toChannel),
    subscriptions: values.subscriptions.map(toSubscription),
    lists: values.lists.map(toList),
  };
}

function toEndpoint(values: FileValues["webhooks"]["endpoints"][number]): EndpointConfig {
  const { authorization, headers } = values;
  return {
    name: values.name,
    url: values.url,
    secret: values.secret,
    events: values.events,
    filter: toFilter(values),
    headers: Object.fromEntries([
      ...headers,
      ...(authorization === null ? [] : [["Authorization", authorization] as const]),
    ]),
    concurrency: values.concurrency === 0 ? null : values.concurrency,
    ratePerSecond: values.rate_per_second === 0 ? null : values.rate_per_second,
    caFile: values.ca_file,
    clientCertFile: values.client_cert,
    clientKeyFile: values.client_key,
  };
}

/**
 * Returns `http(s)://<listen>`, without the scheme's default port. A wildcard address becomes `localhost`, because
 * `0.0.0.0` is not a destination (RFC 1122 §3.2.1.3). With port 0, call it again with the actual port.
 */
export function defaultPublicUrl({ host, port }: HostPort, tls: boolean): string {
  const wildcard = host === "0.0.0.0" || host === "::";
  const shown = wildcard ? "localhost" : host.includes(":") ? `[${host}]` : host;
  const own = tls ? 443 : 80;
  return `${tls ? "https" : "http"}://${shown}${port === own ? "" : `:${port}`}`;
}

function toTrustedUser({
  trusted_user_header: header,
  trusted_groups_header: groupsHeader,
  trusted_groups_separator: groupsSeparator,
  group_roles: groupRoles,
}: FileValues["console"]): Config["console"]["trustedUser"] {
  return header === null || groupsHeader === null
    ? null
    : { header, groupsHeader, groupsSeparator, groupRoles };
}
