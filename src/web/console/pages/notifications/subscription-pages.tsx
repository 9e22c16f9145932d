import type { Subscription } from "../../../../messaging/subscriptions/subscriptions/store.ts";
import { subscriptionPresentation } from "../../../../messaging/subscriptions/subscriptions/presentation.ts";
import type { SubscriptionSettings } from "../../../../messaging/subscriptions/subscriptions/writer.ts";
import type { Channels } from "../../../../messaging/channels/all/channels.ts";
import { readTimeOfDay, readTimeZone } from "../../../../platform/config/fields/notification-texts.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { timeOfDay } from "../../../../messaging/subscriptions/subscriptions/rules.ts";
import { digests, weekdays } from "../../../../platform/vocabulary/channels.ts";
import { noticeTypes } from "../../../../platform/vocabulary/events.ts";
import type { EntryPages, EntryWords, EntryForm } from "../../entries/description.ts";
import { DeclaredNote, EntryHead, EntryName, entryRoutes } from "../../entries/entry-pages.tsx";
import { Card, Facts, Time } from "../../kit/components.tsx";
import {
  filterFacts,
  enabledDomains,
  FilterFields,
  filterFields,
  oneOf,
  readFilter,
} from "../../threat-kit/event-filter.tsx";
import { Text } from "../../kit/inline.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { channelPath, notificationsPath, subscriptionPath, newChannelPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { createFieldReader, type FieldErrors } from "../../kit/fields.ts";
import { FormFields } from "../../kit/form-fields.tsx";
import { choicesOf, Choices } from "../../kit/form.tsx";
import { readOnlyThese } from "../../kit/only-these.tsx";
import subscriptionTexts from "./subscription-form.json" with { type: "json" };
import {
  noticeLabel,
  whatOf,
  whenOf,
  noticeGroups,
  sentenceOf,
  weekdayChoices,
  SubscriptionState,
} from "./subscription-parts.tsx";

/** The form with which subscriptions are added and changed. */
const subscriptionForm: EntryForm<Subscription, SubscriptionServices, SubscriptionSettings> = {
  lead: () => "Events that a channel is sent, and when.",
  name: { required: true, maxLength: 100, placeholder: "high at once", autofocus: true },
  missing: ({ services: { channels } }) =>
    channels.list().length > 0 ? undefined : (
      <p>
        A subscription sends messages to a channel. <a href={newChannelPath}>Add a channel</a> first.
      </p>
    ),
  newForm: ({ query }) =>
    new URLSearchParams({
      channel: query.get("channel") ?? "",
      events: "threat.created",
      at: "08:00",
      time_zone: "UTC",
    }),
  formOf: ({ channel, events, filter, digest, at, weekdays: days, timeZone, quietHours }) =>
    new URLSearchParams([
      ["channel", channel.name],
      ...events.map((type) => ["events", type]),
      ...filterFields(filter),
      ["digest", digest],
      ["at", timeOfDay(at)],
      ...days.map((day) => ["weekdays", day]),
      ["time_zone", timeZone],
      ["quiet_from", quietHours === null ? "" : timeOfDay(quietHours.from)],
      ["quiet_to", quietHours === null ? "" : timeOfDay(quietHours.to)],
    ]),
  fields: ({ services: { channels, domains } }) => (
    <FormFields
      fields={subscriptionTexts.fields}
      set={{
        channel: {
          choices: channels
            .list()
            .map(({ name, type }) => ({ value: name, label: `${name} (${channels.label(type)})` })),
        },
        weekdays: { choices: weekdayChoices },
        time_zone: { suggestions: Intl.supportedValuesOf("timeZone") },
      }}
      parts={{ events: <EventFields />, filter: <FilterFields domains={enabledDomains(domains)} /> }}
    />
  ),
  read: readSubscription,
  preview: sentenceOf,
};

/** The types of events in groups, the first of which shows what is wrong. */
function EventFields() {
  return (
    <div class="cols cols-2 groups">
      {noticeGroups.map(({ label, types }, index) => (
        <Choices
          label={label}
          name="events"
          choices={choicesOf(types, noticeLabel)}
          error={index === 0 ? undefined : null}
        />
      ))}
    </div>
  );
}

/** Reads the settings from the form; `errors` is empty if all of them are valid. */
function readSubscription({ form, services: { channels } }: Context<SubscriptionServices>): {
  settings: SubscriptionSettings;
  errors: FieldErrors;
} {
  const reader = createFieldReader();
  const { errors, field } = reader;
  const given = (name: string) => (form.get(name) ?? "").trim();
  const settings: SubscriptionSettings = {
    channel: field("channel", () => nameOf(channels, given("channel")), ""),
    events: field("events", () => readEvents(form.getAll("events")), []),
    filter: readFilter(form, reader),
    digest: field("digest", () => oneOf(digests, given("digest")), "none"),
    at: field("at", () => readTime(given("at") || "08:00"), 0),
    weekdays: field("weekdays", () => readOnlyThese(form, "weekdays").map((day) => oneOf(weekdays, day)), []),
    timeZone: field("time_zone", () => readZone(given("time_zone") || "UTC"), "UTC"),
    quietHours: null,
  };
  if (given("quiet_from") === "" && given("quiet_to") === "") return { settings, errors };
  const from = field("quiet_from", () => readTime(given("quiet_from")), 0);
  const to = field("quiet_to", () => readTime(given("quiet_to")), 1);
  field("quiet_to", () => checkDifferent(from, to), undefined);
  return { settings: { ...settings, quietHours: { from, to } }, errors };
}

function nameOf(channels: Pick<Channels, "find">, key: string): string {
  const channel = channels.find(key);
  if (channel === undefined) throw badRequest("choose one of the channels");
  return channel.name;
}

function readEvents(types: readonly string[]) {
  if (types.length === 0) throw badRequest("choose at least one event");
  return types.map((type) => oneOf(noticeTypes, type));
}

function readTime(text: string): number {
  const result = readTimeOfDay(text);
  if ("value" in result) return result.value;
  throw badRequest(`enter ${result.allowed}`);
}

function readZone(text: string): string {
  const result = readTimeZone(text);
  if ("value" in result) return result.value;
  throw badRequest(`enter ${result.allowed}`);
}

function checkDifferent(from: number, to: number): void {
  if (from === to) throw badRequest("the quiet hours must not end when they begin");
}

const pages: EntryPages<Subscription, SubscriptionServices, SubscriptionSettings> = {
  noun: "subscription",
  listPage: { label: "Notifications", path: notificationsPath },
  pathOf: subscriptionPath,
  service: subscriptionPresentation.service,
  show: showSubscription,
  form: subscriptionForm,
  disabled: "is disabled until someone enables it. Events in the meantime are not sent.",
  removing: (subscription) => (
    <>
      <Text text={subscription.channel.name} /> will no longer be sent the events of{" "}
      <EntryName entry={subscription} />. To pause it, disable it instead.
    </>
  ),
};

export const subscriptionRoutes = entryRoutes(pages);

function showSubscription(
  _: Context<SubscriptionServices>,
  subscription: Subscription,
  words: EntryWords,
): PageResult {
  const { name, channel, events, filter, createdAt } = subscription;
  return page(
    name,
    <>
      <EntryHead
        entry={subscription}
        words={words}
        lead={`${whatOf(subscription)}, ${whenOf(subscription)}, to ${channel.name}.`}
      />
      <DeclaredNote entry={subscription} where="[[subscriptions]]" />
      <Card>
        <Facts
          facts={[
            ["State", <SubscriptionState subscription={subscription} />],
            [
              "Channel",
              <a href={channelPath(channel.id)}>
                <Text text={channel.name} />
              </a>,
            ],
            ["Events", events.map((type) => noticeLabel(type).toLowerCase()).join(", ")],
            ...filterFacts(filter).map(([label, value]): [string, preact.JSX.Element] => [
              label,
              <Text text={value} charactersMax={2_000} />,
            ]),
            ["When", whenOf(subscription)],
            ["Added", <Time at={createdAt} />],
          ]}
        />
      </Card>
    </>,
  );
}

type SubscriptionServices = "channels" | "domains" | "notifications";
