import type { Endpoint, EndpointSettings } from "../../../../messaging/channels/webhook/endpoint.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { eventDescriptions, eventTypes } from "../../../../platform/vocabulary/events.ts";
import type { EntryForm } from "../../entries/description.ts";
import { enabledDomains, filterFields, FilterFields, readFilter } from "../../threat-kit/event-filter.tsx";
import { createFieldReader, readHeaders, type FieldErrors } from "../../kit/fields.ts";
import { Checkbox, TextArea, TextField, type Choice } from "../../kit/form.tsx";
import { OnlyThese, readOnlyThese } from "../../kit/only-these.tsx";

const eventChoices: Choice[] = eventTypes.map((type) => ({
  value: type,
  label: type,
  hint: eventDescriptions[type],
}));

/** Settings of the form; a secret only of a new endpoint. */
export type EndpointFields = EndpointSettings & { secret?: string | undefined };

const concurrencyLabel = "Maximum concurrent requests";
const rateLabel = "Maximum requests per second";

/** The form with which webhook endpoints are added and changed. */
export const endpointForm: EntryForm<Endpoint, "domains" | "webhooks", EndpointFields> = {
  lead: (_, { entry }) =>
    entry === undefined ? "Events are sent to a URL of yours as signed HTTP requests." : undefined,
  name: { maxLength: 100, hint: "Leave empty to use the host of the URL." },
  // Nothing is taken from the address: a link must not fill in where events are sent.
  newForm: () => new URLSearchParams(),
  formOf({ url, events, filter, headers, concurrency, ratePerSecond }) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return new URLSearchParams([
      ["url", url],
      ...events.map((type) => ["events", type]),
      ...(filter === null ? [] : filterFields(filter)),
      ["headers", lines.join("\n")],
      ["concurrency", concurrency === null ? "" : String(concurrency)],
      ["rate", ratePerSecond === null ? "" : String(ratePerSecond)],
      ["test", "yes"],
    ]);
  },
  before: (_, { form, errors }) => (
    <TextField
      label="URL"
      name="url"
      type="url"
      value={form.get("url") ?? ""}
      required
      maxLength={2_000}
      placeholder="https://soc.example/hooks/phishwatch"
      autofocus
      error={errors["url"]}
    />
  ),
  fields: ({ services: { domains } }, { form, entry, errors }) => (
    <>
      <h2>What it is sent</h2>
      <OnlyThese
        label="Events"
        name="events"
        all="All events, including types that later versions add"
        choices={eventChoices}
      />
      <FilterFields domains={enabledDomains(domains)} />
      <h2>How it is sent</h2>
      {entry === undefined ? <SecretField form={form} errors={errors} /> : null}
      <MoreFields form={form} errors={errors} />
      <Checkbox
        label="Send a test event after saving"
        name="test"
        checked={form.size === 0 || form.get("test") === "yes"}
      />
    </>
  ),
  read: ({ form }) => readSettings(form),
};

function SecretField({ form, errors }: { form: URLSearchParams; errors: FieldErrors }) {
  return (
    <TextField
      label="Signing secret"
      name="secret"
      help="signing_secret"
      value={form.get("secret") ?? ""}
      maxLength={200}
      error={errors["secret"]}
      hint="Leave empty to generate one; it is shown once on the next page."
    />
  );
}

function MoreFields({ form, errors }: { form: URLSearchParams; errors: FieldErrors }) {
  const value = (name: string) => form.get(name) ?? "";
  const advanced = ["headers", "concurrency", "rate"].some(
    (name) => value(name) !== "" || errors[name] !== undefined,
  );
  return (
    <details class="more" open={advanced}>
      <summary>Headers and limits</summary>
      <div>
        <TextArea
          label="Custom headers"
          name="headers"
          value={value("headers")}
          rows={3}
          error={errors["headers"]}
          hint={
            <>
              One per line, such as <code>Authorization: Bearer …</code>
            </>
          }
        />
        <TextField
          label={concurrencyLabel}
          name="concurrency"
          type="number"
          value={value("concurrency")}
          error={errors["concurrency"]}
          help="concurrent_requests"
          hint="Leave empty to use webhooks.endpoint_concurrency."
        />
        <TextField
          label={rateLabel}
          name="rate"
          value={value("rate")}
          error={errors["rate"]}
          help="maximum_rate"
          hint="Leave empty for no limit."
        />
      </div>
    </details>
  );
}

/** Reads the settings from the form; `errors` is empty if all of them can be read. */
function readSettings(form: URLSearchParams): { settings: EndpointFields; errors: FieldErrors } {
  const reader = createFieldReader();
  const { errors, field } = reader;
  const given = (name: string) => form.get(name) ?? "";
  const settings = {
    url: given("url").trim(),
    secret: given("secret").trim() || undefined,
    events: field("events", () => readOnlyThese(form, "events"), []),
    filter: readFilter(form, reader),
    headers: field("headers", () => readHeaders(given("headers")), {}),
    concurrency: field("concurrency", () => readNumber(given("concurrency"), concurrencyLabel), null),
    ratePerSecond: field("rate", () => readNumber(given("rate"), rateLabel), null),
  };
  return { settings, errors };
}

function readNumber(text: string, label: string): number | null {
  if (text.trim() === "") return null;
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0)
    throw badRequest(`${label}: enter a number greater than 0, or leave it empty.`);
  return number;
}
