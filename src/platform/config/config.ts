import { camelKeys } from "../lib/key-names.ts";
import type { HostPort } from "./fields/texts.ts";
import type { FileValues } from "./schema.ts";
import { toBackup } from "./sections/backup.ts";
import { toTakedown } from "./sections/cases.ts";
import { toTrustedUser } from "./sections/console.ts";
import { toEndpoint } from "./sections/entries.ts";
import { toChannel, toList, toSmtp, toSubscription } from "./sections/notifications.ts";
import { toCertificateLogs, toFeed } from "./sections/sources.ts";

/**
 * Configuration as the program uses it: with defaults, durations in milliseconds, secrets resolved, absolute paths,
 * and domain names in A-label form. Null means not set, an empty list all. The schema describes each setting.
 */
export type Config = ReturnType<typeof toConfig> & {
  source?: ConfigSource | undefined;
  /** Whether messages go to this machine only, and no names are looked up for them. Set by the demonstration. */
  webhooks: { onlyLoopback?: boolean };
};

export type CaseSettings = Config["cases"];
export type DetectionSettings = Config["detection"];
export type CertificateLogsConfig = Config["certificateLogs"];
export type FeedConfig = Config["feeds"][number];

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

/** Converts the values of the file to the form that the program uses. */
export function toConfig(values: FileValues) {
  const { archive, cases, console: webConsole, retention, traps } = values;
  const { repeat_after: repeatAfterMs, ...otherTraps } = traps;
  return {
    server: toServer(values.server),
    /** `path` may be `:memory:`. */
    storage: values.storage,
    console: {
      enabled: webConsole.enabled,
      password: webConsole.password,
      requireCodes: webConsole.require_codes,
      trustedUser: toTrustedUser(webConsole),
    },
    api: camelKeys(values.api),
    detection: camelKeys(values.detection),
    /** Time from the record of a threat to its due time; null: none. */
    cases: { dueMs: { high: cases.due_high, medium: cases.due_medium, low: cases.due_low } },
    scan: camelKeys(values.scan),
    lookups: values.lookups,
    inspection: camelKeys(values.inspection),
    screenshots: camelKeys(values.screenshots),
    webhooks: toWebhooks(values.webhooks),
    traps: { ...camelKeys(otherTraps), repeatAfterMs },
    certificateLogs: toCertificateLogs(values.certificate_logs),
    archive: { enabled: archive.enabled, bytesMax: archive.max_size, ageMsMax: archive.max_age },
    backup: toBackup(values.backup, values.storage.path),
    retention: camelKeys(retention, "Ms"),
    data: camelKeys(values.data),
    log: values.log,
    protectedDomains: values.protected_domains,
    feeds: values.feeds.map(toFeed),
    apiKeys: values.api_keys,
    smtp: toSmtp(values.smtp),
    takedown: toTakedown(values.takedown),
    channels: values.channels.map(toChannel),
    subscriptions: values.subscriptions.map(toSubscription),
    lists: values.lists.map(toList),
  };
}

function toServer({
  listen,
  public_url: publicUrl,
  tls_cert: certPath,
  tls_key: keyPath,
  ...others
}: FileValues["server"]) {
  const tls = certPath === null || keyPath === null ? null : { certPath, keyPath };
  return {
    ...camelKeys(others),
    /** With port 0, the system chooses one; then compute `publicUrl` again with that port. */
    ...listen,
    publicUrl: publicUrl ?? defaultPublicUrl(listen, tls !== null),
    /** Whether `publicUrl` was derived from `host` and `port`. */
    publicUrlIsDefault: publicUrl === null,
    /** PEM files; null: plain HTTP. */
    tls,
  };
}

function toWebhooks({
  timeout: timeoutMs,
  retry_delays: retryDelaysMs,
  disable_after: disableAfterMs,
  endpoints,
  ...others
}: FileValues["webhooks"]) {
  return {
    ...camelKeys(others),
    timeoutMs,
    retryDelaysMs,
    disableAfterMs,
    endpoints: endpoints.map(toEndpoint),
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
