import { parseHeader } from "./fields/texts.ts";
import type { FileValues } from "./schema.ts";

export interface FeedConfig {
  name: string;
  /** File or folder; null: `url` is set, or the type needs none. */
  path: string | null;
  url: string | null;
  type: FileValues["feeds"][number]["type"];
  /** Five cron fields in UTC. */
  schedule: string;
  /** Headers of requests, including the secret one. */
  headers: Record<string, string>;
  /** Secret `name=value`, added to the query. */
  query: string | null;
  username: string | null;
  password: string | null;
  /** Top-level domains; empty: all that are approved. */
  zones: string[];
  bytesMax: number;
  allowPrivateNetworks: boolean;
  format: FileValues["feeds"][number]["format"];
  column: string | null;
  /** Whether the page at each address is inspected. */
  inspect: boolean;
}

export interface CertificateLogsConfig {
  enabled: boolean;
  contact: string | null;
  logList: FileValues["certificate_logs"]["log_list"];
  /** Empty: all. */
  operators: string[];
  catchUpMs: number;
  firstStart: "end" | "beginning";
  namesOnly: boolean;
  rates: { operator: string; requestsPerSecond: number }[];
  extraLogs: {
    name: string;
    /** Base64 of the SubjectPublicKeyInfo. */
    key: string;
    /** With a slash at its end. */
    url: string;
    origin: string;
    protocol: "static" | "rfc6962";
  }[];
}

export function toFeed(values: FileValues["feeds"][number]): FeedConfig {
  const { secret_header: secretHeader, headers } = values;
  // `findConflicts` has checked the form of the secret one.
  const secret = secretHeader === null ? [] : [parseHeader(secretHeader)!];
  return {
    name: values.name,
    path: values.path,
    url: values.url,
    type: values.type,
    schedule: values.schedule,
    headers: Object.fromEntries([...headers, ...secret]),
    query: values.secret_query,
    username: values.username,
    password: values.password,
    zones: values.zones,
    bytesMax: values.max_size,
    allowPrivateNetworks: values.allow_private_networks,
    format: values.format,
    column: values.column,
    inspect: values.inspect,
  };
}

export function toCertificateLogs(values: FileValues["certificate_logs"]): CertificateLogsConfig {
  return {
    enabled: values.enabled,
    contact: values.contact,
    logList: values.log_list,
    operators: values.operators,
    catchUpMs: values.catch_up,
    firstStart: values.first_start,
    namesOnly: values.names_only,
    rates: values.rates.map((rate) => ({
      operator: rate.operator,
      requestsPerSecond: rate.requests_per_second,
    })),
    extraLogs: values.extra_logs.map((log) => ({
      ...log,
      origin: log.origin ?? log.url.replace(/^https?:\/\//, "").replace(/\/$/, ""),
    })),
  };
}
