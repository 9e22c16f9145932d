import type { ChannelType, Digest, Weekday } from "../vocabulary/channels.ts";
import type { NoticeType } from "../vocabulary/events.ts";
import type { Severity, Status, ThreatSource, ThreatType } from "../vocabulary/threats.ts";
import type { Hours } from "./fields/notification-texts.ts";
import type { FileValues } from "./schema.ts";

/** Threats that a subscription or a webhook endpoint is sent. */
export interface FilterConfig {
  minSeverity: Severity;
  /** Empty: all, like the other lists. */
  protectedDomains: readonly string[];
  types: readonly ThreatType[];
  sources: readonly ThreatSource[];
  verifiedOnly: boolean;
}

/** The mail server; null: `smtp.host` is not set. */
export interface SmtpConfig {
  host: string;
  port: number;
  tls: "starttls" | "tls" | "none";
  username: string | null;
  password: string | null;
  from: string;
  caFile: string | null;
}

/** Null or empty: not set. `findConflicts` has checked that the keys match the type. */
export interface ChannelConfig {
  name: string;
  type: ChannelType;
  url: string | null;
  token: string | null;
  chatId: string | null;
  routingKey: string | null;
  topic: string | null;
  room: string | null;
  to: string[];
  template: string | null;
  headers: Record<string, string>;
}

export interface SubscriptionConfig {
  name: string;
  channel: string;
  events: NoticeType[];
  filter: FilterConfig;
  digest: Digest;
  /** Minutes since midnight. */
  at: number;
  /** Empty: every day. */
  weekdays: Weekday[];
  timeZone: string;
  quietHours: Hours | null;
}

export interface ListConfig {
  name: string;
  token: string;
  statuses: Status[];
  minSeverity: Severity;
  verifiedOnly: boolean;
  protectedDomains: string[];
  maxAgeMs: number | null;
}

export type { Hours };

type FilterValues = Pick<
  FileValues["subscriptions"][number],
  "min_severity" | "protected_domains" | "types" | "sources" | "verified_only"
>;

export function toFilter(values: FilterValues): FilterConfig {
  return {
    minSeverity: values.min_severity,
    protectedDomains: values.protected_domains,
    types: values.types,
    sources: values.sources,
    verifiedOnly: values.verified_only,
  };
}

export function toSmtp({ host, from, ...values }: FileValues["smtp"]): SmtpConfig | null {
  if (host === null || from === null) return null;
  const { port, tls, username, password, ca_file: caFile } = values;
  return { host, port, tls, username, password, from, caFile };
}

export function toChannel(values: FileValues["channels"][number]): ChannelConfig {
  const { chat_id: chatId, routing_key: routingKey, headers, ...rest } = values;
  return { ...rest, chatId, routingKey, headers: Object.fromEntries(headers) };
}

export function toSubscription(values: FileValues["subscriptions"][number]): SubscriptionConfig {
  const { name, channel, events, digest, at, weekdays } = values;
  return {
    name,
    channel,
    events,
    filter: toFilter(values),
    digest,
    at,
    weekdays,
    timeZone: values.time_zone,
    quietHours: values.quiet_hours,
  };
}

export function toList(values: FileValues["lists"][number]): ListConfig {
  return {
    name: values.name,
    token: values.token,
    statuses: values.statuses,
    minSeverity: values.min_severity,
    verifiedOnly: values.verified_only,
    protectedDomains: values.protected_domains,
    maxAgeMs: values.max_age,
  };
}
