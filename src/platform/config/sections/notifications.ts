import { channelKeys, channelTypes, digests, keysOfChannel, weekdays } from "../../vocabulary/channels.ts";
import { noticeTypes } from "../../vocabulary/events.ts";
import { severities, statuses, threatSources, threatTypes } from "../../vocabulary/threats.ts";
import { bothOrNone, type Conflict } from "../fields/config-error.ts";
import { camelKeys } from "../../lib/key-names.ts";
import {
  boolean,
  choice,
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
export const eventFilters = {
  min_severity: choice(severities, { default: "low", description: "minimum severity of a threat" }),
  protected_domains: texts("domain", readProtectedDomain, {
    maxItems: 10_000,
    description: "only these protected domains; empty = all",
  }),
  types: choices(threatTypes, { description: "only threats of these types; empty = all" }),
  sources: choices(threatSources, { description: "only threats that these sources found; empty = all" }),
  verified_only: boolean({
    default: false,
    description: "only threats whose name is known to exist or whose page was seen",
  }),
};

export const smtp = table(
  {
    host: optionalText("host", readMailHost, { description: "mail server; can be private" }),
    port: integer({ minimum: 1, maximum: 65_535 }, { default: 587, description: "port of the mail server" }),
    tls: choice(["starttls", "tls", "none"], {
      default: "starttls",
      description: "starttls: required after connecting (587); tls: from the start (465); none: unencrypted",
    }),
    username: optionalSecret(shortSecret, { description: "secret; user name of the mail account" }),
    password: optionalSecret(
      { ...shortSecret, ascii: false },
      { description: "secret; password of the mail account" },
    ),
    from: optionalText("address", readAddress, {
      description: `sender, such as "phishwatch@example.com"`,
    }),
    ca_file: optionalText("path", readPath, {
      description: "PEM file with an additional certificate authority",
    }),
  },
  "The mail server, for channels of the type email.",
);

export const channels = tables(
  {
    name: text("name", readName, { example: "team-chat", description: "unique name" }),
    type: choice(channelTypes, { example: "slack", description: "service that shows the messages" }),
    url: optionalSecret(shortSecret, {
      example: { env: "PHISHWATCH_SLACK_URL" },
      description: "secret; webhook address that the service shows; ntfy, matrix: address of the server",
    }),
    token: optionalSecret(shortSecret, {
      description: "secret; telegram: token of the bot; matrix, ntfy, template: access token",
    }),
    chat_id: optionalText("id", readChannelText, { description: "telegram: ID or @name of the chat" }),
    routing_key: optionalSecret(shortSecret, {
      description: "secret; pagerduty: integration key of Events API v2",
    }),
    topic: optionalText("topic", readChannelText, { description: "ntfy: topic" }),
    room: optionalText("room", readChannelText, {
      description: `matrix: ID of the room, such as "!abc:example.org"`,
    }),
    to: texts("address", readAddress, { maxItems: 100, description: "email: recipients" }),
    template: optionalText("template", readTemplate, {
      description: "template: JSON body of the request, with {{…}} for what changes",
    }),
    headers: texts("header", readHeader, {
      maxItems: 20,
      description: `template: custom headers, as "Name: value"`,
    }),
  },
  {
    description: "Channels: where people read messages. The messages are defined by subscriptions.",
    maxItems: 1000,
    live: false,
  },
);

export const subscriptions = tables(
  {
    name: text("name", readName, { example: "high at once", description: "unique name" }),
    channel: text("name", readName, { example: "team-chat", description: "name of the channel" }),
    events: choices(noticeTypes, { minItems: 1, default: ["threat.created"], description: "events to send" }),
    ...eventFilters,
    digest: choice(digests, {
      default: "none",
      description: "none: at once, with a burst in one message; hourly, daily: one message for the period",
    }),
    at: text("HH:MM", readTimeOfDay, { default: "08:00", description: "time of a daily digest" }),
    weekdays: choices(weekdays, {
      description: "days on which messages are sent; on other days, they wait; empty = every day",
    }),
    time_zone: text("zone", readTimeZone, {
      default: "UTC",
      description: `time zone of at, weekdays and quiet_hours, such as "Europe/Berlin"`,
    }),
    quiet_hours: optionalText("HH:MM-HH:MM", readHours, {
      description: `hours in which messages wait, such as "22:00-07:00"`,
    }),
  },
  {
    description: "Subscriptions: which events a channel is sent, and when.",
    maxItems: 1000,
    live: false,
  },
);

export const lists = tables(
  {
    name: text("name", readListName, { example: "block", description: "unique name, part of the address" }),
    token: secret(
      { lengthMin: 20, lengthMax: 200, ascii: true, hint: "create one with: openssl rand -hex 24" },
      {
        example: { env: "PHISHWATCH_LIST_TOKEN" },
        description: "part of the address /lists/{token}/{name}.{format}; 20 to 200 visible ASCII characters",
      },
    ),
    statuses: choices(statuses, {
      minItems: 1,
      default: ["active"],
      description: "statuses of the threats that are listed",
    }),
    min_severity: choice(severities, { default: "high", description: "minimum severity of a threat" }),
    verified_only: boolean({
      default: true,
      description: "only threats whose name is known to exist or whose page was seen",
    }),
    protected_domains: eventFilters.protected_domains,
    max_age: optionalText("duration", readDuration({ minimumMs: 3_600_000, maximumMs: 3650 * dayMs }), {
      description: `list a threat for this long after it was first seen; "" = always`,
    }),
  },
  {
    description: "Block lists of threats for resolvers, firewalls and browsers.",
    maxItems: 100,
    live: false,
  },
);

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

export function toSubscription(values: SubscriptionValues) {
  const {
    name,
    channel,
    events,
    digest,
    at,
    weekdays: days,
    time_zone: timeZone,
    quiet_hours: quietHours,
  } = values;
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
