import { channelKeys, channelTypes, digests, keysOfChannel, weekdays } from "../../vocabulary/channels.ts";
import { noticeTypes } from "../../vocabulary/events.ts";
import { severities, statuses, threatSources, threatTypes } from "../../vocabulary/threats.ts";
import { bothOrNone, type Conflict } from "../fields/config-error.ts";
import { camelKeys } from "../../lib/key-names.ts";
import {
  boolean,
  choice,
  documented,
  integer,
  optionalSecret,
  optionalText,
  secret,
  table,
  tables,
  text,
  type Partly,
  type Static,
  texts,
  choices,
} from "../fields/fields.ts";
import {
  readAddress,
  readChannelText,
  readHours,
  readListName,
  readMailHost,
  readTemplate,
  readTimeOfDay,
  readTimeZone,
} from "../fields/notification-texts.ts";
import { readProtectedDomain, readDuration, readHeader, readName, readPath } from "../fields/texts.ts";

/** Schema of the sections about messages to people and published lists. */

const dayMs = 86_400_000;
const shortSecret = { lengthMin: 1, lengthMax: 2_000, ascii: true };

/** Filters that subscriptions and webhook endpoints share. */
export const eventFilters = documented("event_filters", {
  min_severity: choice(severities),
  protected_domains: texts("domain", readProtectedDomain, { maxItems: 10_000 }),
  types: choices(threatTypes),
  sources: choices(threatSources),
  verified_only: boolean(),
});

export const smtp = table("smtp", {
  host: optionalText("host", readMailHost),
  port: integer({ minimum: 1, maximum: 65_535 }),
  tls: choice(["starttls", "tls", "none"]),
  username: optionalSecret(shortSecret),
  password: optionalSecret({ ...shortSecret, ascii: false }),
  from: optionalText("address", readAddress),
  ca_file: optionalText("path", readPath),
});

export const channels = tables("channels", 1000, {
  name: text("name", readName),
  type: choice(channelTypes),
  url: optionalSecret(shortSecret),
  token: optionalSecret(shortSecret),
  chat_id: optionalText("id", readChannelText),
  routing_key: optionalSecret(shortSecret),
  topic: optionalText("topic", readChannelText),
  room: optionalText("room", readChannelText),
  to: texts("address", readAddress, { maxItems: 100 }),
  template: optionalText("template", readTemplate),
  headers: texts("header", readHeader, { maxItems: 20 }),
});

export const subscriptions = tables("subscriptions", 1000, {
  name: text("name", readName),
  channel: text("name", readName),
  events: choices(noticeTypes, { minItems: 1 }),
  ...eventFilters,
  digest: choice(digests),
  at: text("HH:MM", readTimeOfDay),
  weekdays: choices(weekdays),
  time_zone: text("zone", readTimeZone),
  quiet_hours: optionalText("HH:MM-HH:MM", readHours),
});

export const lists = tables("lists", 100, {
  name: text("name", readListName),
  token: secret({
    lengthMin: 20,
    lengthMax: 200,
    ascii: true,
    hint: "create one with: openssl rand -hex 24",
  }),
  statuses: choices(statuses, { minItems: 1 }),
  min_severity: choice(severities),
  verified_only: boolean(),
  protected_domains: eventFilters.protected_domains,
  max_age: optionalText("duration", readDuration({ minimumMs: 3_600_000, maximumMs: 3650 * dayMs })),
});

type SubscriptionValues = Static<typeof subscriptions>[number];

/** Threats that a subscription or a webhook endpoint is sent. */
export type FilterConfig = ReturnType<typeof toFilter>;
/** The mail server; null: `smtp.host` is not set. */
export type SmtpConfig = NonNullable<ReturnType<typeof toSmtp>>;
/** Null or empty: not set. `findConflicts` has checked that the keys match the type. */
export type ChannelConfig = ReturnType<typeof toChannel>;
export type SubscriptionConfig = ReturnType<typeof toSubscription>;

export function toFilter({
  min_severity: minSeverity,
  protected_domains: protectedDomains,
  types,
  sources,
  verified_only: verifiedOnly,
}: Pick<SubscriptionValues, keyof typeof eventFilters>) {
  return { minSeverity, protectedDomains, types, sources, verifiedOnly };
}

export function toSmtp({ host, from, ...others }: Static<typeof smtp>) {
  return host === null || from === null ? null : { ...camelKeys(others), host, from };
}

export function toChannel(values: Static<typeof channels>[number]) {
  return { ...camelKeys(values), headers: Object.fromEntries(values.headers) };
}

export function toSubscription({
  time_zone: timeZone,
  quiet_hours: quietHours,
  ...values
}: SubscriptionValues) {
  const { name, channel, events, digest, at, weekdays: days } = values;
  return {
    name,
    channel,
    events,
    filter: toFilter(values),
    digest,
    at,
    weekdays: days,
    timeZone,
    quietHours,
  };
}

export function toList({ max_age: maxAgeMs, ...others }: Static<typeof lists>[number]) {
  return { ...camelKeys(others), maxAgeMs };
}

interface MessageValues {
  channels: Static<typeof channels>;
  smtp: Static<typeof smtp>;
}

/** Checks that each channel has the keys of its type, and that channels of the type email have a mail server. */
export function* channelConflicts({
  channels: entries,
  smtp: server,
}: Partly<MessageValues>): Generator<Conflict> {
  for (const [index, channel] of (entries ?? []).entries()) {
    if (channel?.type === undefined) continue;
    const { required, optional } = keysOfChannel[channel.type];
    for (const key of channelKeys) {
      const value = channel[key];
      if (value === undefined) continue;
      const isSet = value !== null && value.length > 0;
      const path = `channels[${index}].${key}`;
      if (!isSet && required.includes(key))
        yield { path, found: "nothing", allowed: `${key} for the type "${channel.type}"` };
      if (isSet && !required.includes(key) && !optional.includes(key))
        yield {
          path,
          found: `${key} for the type "${channel.type}"`,
          allowed: `only ${[...required, ...optional].join(", ")}`,
        };
    }
    if (channel.type === "email" && (server?.host === null || server?.from === null))
      yield {
        path: `channels[${index}].type`,
        found: `the type "email" without a mail server`,
        allowed: "smtp.host and smtp.from with it",
      };
  }
}

/** Checks that a user name has a password, and a mail server a sender. */
export function* smtpConflicts({ smtp: server }: Partly<MessageValues>): Generator<Conflict> {
  yield* bothOrNone("smtp", server, ["username", "password"]);
  if (typeof server?.host === "string" && server.from === null)
    yield { path: "smtp.from", found: "nothing", allowed: "the sender's address beside smtp.host" };
}
