import type { Channels } from "../../../../messaging/channels/all/channels.ts";
import { readTimeOfDay, readTimeZone } from "../../../../platform/config/fields/notification-texts.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import type { Subscription } from "../../../../messaging/subscriptions/subscriptions/store.ts";
import { timeOfDay } from "../../../../messaging/subscriptions/subscriptions/rules.ts";
import type { SubscriptionSettings } from "../../../../messaging/subscriptions/subscriptions/writer.ts";
import { digests, weekdays } from "../../../../platform/vocabulary/channels.ts";
import { noticeTypes } from "../../../../platform/vocabulary/events.ts";
import { FormError, LinkButton, PageHead } from "../../kit/components.tsx";
import { FlashMessage } from "../../kit/marks.tsx";
import {
  enabledDomains,
  FilterFields,
  filterFields,
  oneOf,
  readFilter,
} from "../../threat-kit/event-filter.tsx";
import { createFieldReader, wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { Help } from "../../kit/disclosure.tsx";
import { Button, Choices, Form, Select, TextField, OnlyThese, readOnlyThese } from "../../kit/form.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { newChannelPath, newSubscriptionPath, notificationsPath, subscriptionPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { noticeGroups, noticeLabel, weekdayChoices } from "./sentence.ts";

export type SubscriptionContext = Context<"channels" | "domains" | "notifications">;

const digestChoices = [
  { value: "none", label: "at once", hint: "A burst of threats becomes one message." },
  { value: "hourly", label: "every hour", hint: "At the full hour, if something happened." },
  { value: "daily", label: "every day", hint: "At the time below, if something happened." },
];

/** Form of a new subscription, or of a change of `subscription`. */
export function showSubscriptionForm(
  { services: { channels, domains } }: SubscriptionContext,
  {
    form,
    subscription,
    errors = {},
    preview,
  }: {
    form: URLSearchParams;
    subscription?: Subscription;
    errors?: FieldErrors;
    /** Sentence that describes the entered settings. */
    preview?: string;
  },
): PageResult {
  const title = subscription === undefined ? "Add subscription" : `Edit ${subscription.name}`;
  const back =
    subscription === undefined
      ? { label: "Notifications", path: notificationsPath }
      : { label: subscription.name, path: subscriptionPath(subscription.id) };
  const choices = channels
    .list()
    .map(({ name, type }) => ({ value: name, label: `${name} (${channels.label(type)})` }));
  const value = (name: string) => form.get(name) ?? "";
  return page(
    title,
    <div class="narrow">
      <PageHead title={title} crumbs={[back]} lead="Events that a channel is sent, and when." />
      <FormError message={errors[wholeForm]} />
      {preview === undefined ? null : <FlashMessage flash={{ tone: "success", text: `${preview}.` }} />}
      {choices.length === 0 ? (
        <p>
          A subscription sends messages to a channel. <a href={newChannelPath}>Add a channel</a> first.
        </p>
      ) : (
        <Form action={subscription === undefined ? newSubscriptionPath : `${back.path}/edit`}>
          {subscription === undefined ? (
            <TextField
              label="Name"
              name="name"
              value={value("name")}
              required
              maxLength={100}
              placeholder="high at once"
              autofocus
              error={errors["name"]}
            />
          ) : null}
          <Select
            label="Channel"
            name="channel"
            choices={choices}
            value={value("channel")}
            error={errors["channel"]}
          />
          <h2>Events</h2>
          <EventFields form={form} errors={errors} />
          <h2>Threats</h2>
          <FilterFields form={form} domains={enabledDomains(domains)} errors={errors} />
          <h2>Time</h2>
          <TimeFields form={form} errors={errors} />
          <div class="line">
            <Button label={subscription === undefined ? "Add subscription" : "Save"} variant="primary" />
            <Button label="Preview" name="preview" value="yes" />
            <LinkButton path={back.path} label="Cancel" variant="plain" />
          </div>
        </Form>
      )}
    </div>,
    { status: Object.keys(errors).length === 0 ? 200 : 400 },
  );
}

function EventFields({ form, errors }: { form: URLSearchParams; errors: FieldErrors }) {
  return (
    <div class="cols cols-2 groups">
      {noticeGroups.map(({ label, types }, index) => (
        <Choices
          label={label}
          name="events"
          choices={types.map((type) => ({ value: type, label: noticeLabel(type) }))}
          values={form.getAll("events")}
          error={index === 0 ? errors["events"] : undefined}
        />
      ))}
    </div>
  );
}

function TimeFields({ form, errors }: { form: URLSearchParams; errors: FieldErrors }) {
  const field = (name: string) => ({ name, value: form.get(name) ?? "", error: errors[name] });
  const further = ["weekdays", "quiet_from", "quiet_to"];
  return (
    <>
      <Choices
        single
        label="Send messages"
        name="digest"
        help={
          <Help about="a burst" manual="notify#choose-who-is-sent-what">
            Events that happen within a short time are sent as one message, also at once.
          </Help>
        }
        choices={digestChoices}
        values={[form.get("digest") ?? "none"]}
        error={errors["digest"]}
      />
      <TextField {...field("at")} label="Time of a daily message" type="time" />
      <details
        class="more"
        open={further.some((name) => (form.get(name) ?? "") !== "" || errors[name] !== undefined)}
      >
        <summary>Weekdays and quiet hours</summary>
        <div>
          <OnlyThese
            label="Weekdays"
            name="weekdays"
            all="Every day"
            only="Only on these days; messages of other days wait"
            choices={weekdayChoices}
            form={form}
            error={errors["weekdays"]}
          />
          <TextField
            {...field("quiet_from")}
            label="Quiet hours begin"
            type="time"
            help={
              <Help about="quiet hours" manual="notify#choose-who-is-sent-what">
                In quiet hours messages wait, and are sent as one when they end.
              </Help>
            }
          />
          <TextField
            {...field("quiet_to")}
            label="Quiet hours end"
            type="time"
            hint="Leave both empty for none."
          />
        </div>
      </details>
      <TextField
        {...field("time_zone")}
        label="Time zone"
        suggestions={Intl.supportedValuesOf("timeZone")}
        hint="Of all times above: UTC, or a name such as Europe/Berlin."
      />
    </>
  );
}

/** Initial values of the form for a new subscription. */
export function newForm(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams({
    channel: query.get("channel") ?? "",
    events: "threat.created",
    at: "08:00",
    time_zone: "UTC",
  });
}

/** Initial values of the form for a change. */
export function subscriptionForm(subscription: Subscription): URLSearchParams {
  const { channel, events, filter, digest, at, weekdays: days, timeZone, quietHours } = subscription;
  return new URLSearchParams([
    ["channel", channel.name],
    ...events.map((type) => ["events", type]),
    ...filterFields(filter),
    ["digest", digest],
    ["at", timeOfDay(at)],
    ...days.map((day) => ["weekdays", day]),
    ["time_zone", timeZone],
    ["quiet_from", quietHours === null ? "" : timeOfDay(quietHours.from)],
    ["quiet_to", quietHours === null ? "" : timeOfDay(quietHours.to)],
  ]);
}

/** Reads the settings from the form; `errors` is empty if all of them are valid. */
export function readSubscription({ form, services: { channels } }: SubscriptionContext): {
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
