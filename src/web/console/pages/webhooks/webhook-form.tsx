import type { Endpoint, EndpointSettings } from "../../../../messaging/channels/webhook/endpoint.ts";
import type { AttemptResult } from "../../../../messaging/deliveries/channel.ts";
import { failureAdvice } from "../../../../messaging/channels/failures.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { eventDescriptions, eventTypes } from "../../../../platform/vocabulary/events.ts";
import { LinkButton, PageHead, FormError } from "../../kit/components.tsx";
import { enabledDomains, filterFields, FilterFields, readFilter } from "../../threat-kit/event-filter.tsx";
import { attempt, createFieldReader, readHeaders, wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { Help } from "../../kit/disclosure.tsx";
import {
  Button,
  Checkbox,
  Form,
  TextArea,
  TextField,
  type Choice,
  OnlyThese,
  readOnlyThese,
} from "../../kit/form.tsx";
import { page, redirect } from "../../kit/page-result.ts";
import { webhooksPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { testShown, type TestShown } from "../../delivery-kit/delivery-parts.tsx";

const eventChoices: Choice[] = eventTypes.map((type) => ({
  value: type,
  label: type,
  hint: eventDescriptions[type],
}));

/** Results of a change, shown once on the page of the endpoint. */
export interface Saved {
  /** The new secret. It cannot be retrieved later. */
  secret?: string;
  test?: TestShown;
  /** The host of the URL has no address yet. */
  warning?: string;
}

const concurrencyLabel = "Maximum concurrent requests";
const rateLabel = "Maximum requests per second";

export const savedName = (id: string) => `webhook ${id}`;

export const pingShown = (result: AttemptResult) =>
  testShown(result, result.failure === null ? undefined : failureAdvice(result.failure));

/** Renders the form for a new endpoint, or for a change of `endpoint`. */
export function showEndpointForm(
  { services: { domains } }: Context<"domains">,
  { form, endpoint, errors = {} }: { form: URLSearchParams; endpoint?: Endpoint; errors?: FieldErrors },
) {
  const title = endpoint === undefined ? "Add webhook endpoint" : `Edit ${endpoint.name}`;
  const action = endpoint === undefined ? `${webhooksPath}/add` : `${webhooksPath}/${endpoint.id}/edit`;
  const back =
    endpoint === undefined
      ? { label: "Webhook endpoints", path: webhooksPath }
      : { label: endpoint.name, path: `${webhooksPath}/${endpoint.id}` };
  const value = (name: string) => form.get(name) ?? "";
  return page(
    title,
    <div class="narrow">
      <PageHead
        title={title}
        crumbs={[back]}
        lead={
          endpoint === undefined ? "Events are sent to a URL of yours as signed HTTP requests." : undefined
        }
      />
      <FormError message={errors[wholeForm]} />
      <Form action={action}>
        <TextField
          label="URL"
          name="url"
          type="url"
          value={value("url")}
          required
          maxLength={2_000}
          placeholder="https://soc.example/hooks/phishwatch"
          autofocus
          error={errors["url"]}
        />
        {endpoint === undefined ? (
          <TextField
            label="Name"
            name="name"
            value={value("name")}
            maxLength={100}
            error={errors["name"]}
            hint="Leave empty to use the host of the URL."
          />
        ) : null}
        <h2>What it is sent</h2>
        <OnlyThese
          label="Events"
          name="events"
          all="All events, including types that later versions add"
          choices={eventChoices}
          form={form}
          error={errors["events"]}
        />
        <FilterFields form={form} domains={enabledDomains(domains)} errors={errors} />
        <h2>How it is sent</h2>
        {endpoint === undefined ? (
          <TextField
            label="Signing secret"
            name="secret"
            help={
              <Help about="the signing secret" manual="webhooks#verify-signatures">
                Each request has a signature made with it, so that the receiver can tell real events from
                forged ones.
              </Help>
            }
            value={value("secret")}
            maxLength={200}
            error={errors["secret"]}
            hint="Leave empty to generate one; it is shown once on the next page."
          />
        ) : null}
        <MoreFields form={form} errors={errors} />
        <Checkbox
          label="Send a test event after saving"
          name="test"
          checked={form.size === 0 || value("test") === "yes"}
        />
        <div class="line">
          <Button label={endpoint === undefined ? "Add endpoint" : "Save"} variant="primary" />
          <LinkButton path={back.path} label="Cancel" variant="plain" />
        </div>
      </Form>
    </div>,
    { status: Object.keys(errors).length === 0 ? 200 : 400 },
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
          help={
            <Help about="the maximum of concurrent requests" manual="webhooks#retries">
              Maximum number of deliveries in flight. A failing endpoint gets one at a time.
            </Help>
          }
          hint="Leave empty to use webhooks.endpoint_concurrency."
        />
        <TextField
          label={rateLabel}
          name="rate"
          value={value("rate")}
          error={errors["rate"]}
          help={
            <Help about="the maximum rate" manual="webhooks#retries">
              Deliveries above this rate wait. Use it for receivers that limit requests.
            </Help>
          }
          hint="Leave empty for no limit."
        />
      </div>
    </details>
  );
}

/** Returns the initial values of the form for a change. */
export function formOf({
  url,
  events,
  filter,
  headers,
  concurrency,
  ratePerSecond,
}: Endpoint): URLSearchParams {
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
}

export async function addEndpoint(context: Context<"domains" | "webhooks">) {
  const { form, services, by } = context;
  const { checkDestination, endpoints } = services.webhooks;
  const name = (form.get("name") ?? "").trim();
  const secret = (form.get("secret") ?? "").trim();
  const { settings, errors } = readSettings(form);
  if (Object.keys(errors).length > 0) return showEndpointForm(context, { form, errors });
  const added = await attempt(async () => {
    const warning = await checkDestination(settings.url);
    const wanted = {
      ...settings,
      ...(name === "" ? {} : { name }),
      ...(secret === "" ? {} : { secret }),
    };
    return { ...(await context.write(() => endpoints.add(wanted, { by }))), warning };
  });
  if (!added.ok) return showEndpointForm(context, { form, errors: added.errors });
  const { endpoint, warning, secret: made } = added.value;
  return finishSaving(context, endpoint, { secret: made, warning });
}

export async function changeEndpoint(context: Context<"domains" | "webhooks">, endpoint: Endpoint) {
  const { form, services, by } = context;
  const { checkDestination, endpoints } = services.webhooks;
  const { settings, errors } = readSettings(form);
  if (Object.keys(errors).length > 0) return showEndpointForm(context, { form, endpoint, errors });
  const changed = await attempt(async () => {
    const warning = await checkDestination(settings.url);
    const saved = await context.write(() => endpoints.change(endpoint.id, settings, { by }));
    return { endpoint: saved, warning };
  });
  if (!changed.ok) return showEndpointForm(context, { form, endpoint, errors: changed.errors });
  return finishSaving(context, changed.value.endpoint, { warning: changed.value.warning });
}

async function finishSaving(
  context: Context<"webhooks">,
  endpoint: Endpoint,
  { secret, warning }: { secret?: string; warning: string | undefined },
) {
  const wanted = context.form.get("test") === "yes";
  const { ping } = context.services.webhooks;
  const test = wanted ? pingShown(await ping(endpoint)) : undefined;
  const saved: Saved = {
    ...(secret === undefined ? {} : { secret }),
    ...(warning === undefined ? {} : { warning }),
    ...(test === undefined ? {} : { test }),
  };
  context.putOnce(savedName(endpoint.id), saved);
  return redirect(
    `${webhooksPath}/${endpoint.id}`,
    secret === undefined ? "Saved." : `${endpoint.name} has been added.`,
  );
}

/** Reads the settings from the form; `errors` is empty if all of them can be read. */
function readSettings(form: URLSearchParams): { settings: EndpointSettings; errors: FieldErrors } {
  const reader = createFieldReader();
  const { errors, field } = reader;
  const given = (name: string) => form.get(name) ?? "";
  const settings = {
    url: given("url").trim(),
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
