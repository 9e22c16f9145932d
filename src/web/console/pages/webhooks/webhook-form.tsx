import type { Endpoint, EndpointSettings } from "../../../../messaging/channels/webhook/endpoint.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { eventDescriptions, eventTypes } from "../../../../platform/vocabulary/events.ts";
import type { EntryForm } from "../../entries/description.ts";
import { enabledDomains, filterFields, FilterFields, readFilter } from "../../threat-kit/event-filter.tsx";
import { createFieldReader, readHeaders, type FieldErrors } from "../../kit/fields.ts";
import { FormFields, labelIn } from "../../kit/form-fields.tsx";
import { choicesOf } from "../../kit/form.tsx";
import { readOnlyThese } from "../../kit/only-these.tsx";
import endpointTexts from "./endpoint-form.json" with { type: "json" };

const eventChoices = choicesOf(eventTypes, String, eventDescriptions);

/** Settings of the form; a secret only of a new endpoint. */
export type EndpointFields = EndpointSettings & { secret?: string | undefined };

const { fields } = endpointTexts;

/** The form with which webhook endpoints are added and changed. */
export const endpointForm: EntryForm<Endpoint, "domains" | "webhooks", EndpointFields> = {
  lead: (_, { entry }) =>
    entry === undefined ? "Events are sent to a URL of yours as signed HTTP requests." : undefined,
  name: { maxLength: 100, hint: "Leave empty to use the host of the URL." },
  // Nothing is taken from the address: a link must not fill in where events are sent.
  newForm: () => new URLSearchParams({ test: "yes" }),
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
  before: () => <FormFields fields={endpointTexts.url} />,
  fields: ({ services: { domains } }, { entry }) => (
    <FormFields
      fields={fields}
      set={{ events: { choices: eventChoices }, headers: { hint: headersHint } }}
      parts={{
        filter: <FilterFields domains={enabledDomains(domains)} />,
        secret: entry === undefined ? <FormFields fields={endpointTexts.secret} /> : null,
      }}
    />
  ),
  read: ({ form }) => readSettings(form),
};

const headersHint = (
  <>
    One per line, such as <code>Authorization: Bearer …</code>
  </>
);

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
    concurrency: field("concurrency", () => readNumber(form, "concurrency"), null),
    ratePerSecond: field("rate", () => readNumber(form, "rate"), null),
  };
  return { settings, errors };
}

function readNumber(form: URLSearchParams, name: string): number | null {
  const text = form.get(name) ?? "";
  if (text.trim() === "") return null;
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0)
    throw badRequest(`${labelIn(fields, name)}: enter a number greater than 0, or leave it empty.`);
  return number;
}
