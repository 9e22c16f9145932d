import { badRequest } from "../../../lib/errors.ts";
import { eventTypes, type EventType } from "../../../vocabulary/events.ts";
import type { AttemptResult } from "../../../deliveries/channel.ts";
import { failureAdvice } from "../../../channels/webhook/failures.ts";
import type { Endpoint, EndpointSettings } from "../../../channels/webhook/endpoint.ts";
import { page, redirect } from "../../kit/page-result.ts";
import { attempt } from "../../kit/fields.ts";
import { Button, Checkbox, Choices, Form, TextArea, TextField, type Choice } from "../../kit/form.tsx";
import { LinkButton, PageHead, FormError } from "../../kit/components.tsx";
import { webhooksPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";

const eventHints: Record<EventType, string> = {
  "threat.created": "a look-alike was found",
  "threat.updated": "a threat's status changed, whoever changed it",
  "threat.resolved": "a threat was resolved",
  "scan.started": "a scan began",
  "scan.completed": "a scan ended",
  "beacon.triggered": "a page of yours was opened elsewhere",
  "token.accessed": "a honeytoken was touched",
};

const eventChoices: Choice[] = eventTypes.map((type) => ({
  value: type,
  label: type,
  hint: eventHints[type],
}));

/** What a save leaves for the page of the endpoint, which shows it once. */
export interface Saved {
  /** Made or given just now; never to be had again. */
  secret?: string;
  test?: TestResult;
  /** The name of its host has no address yet. */
  remark?: string;
}

/** Outcome of a test, with advice on how to fix a failure. */
interface TestResult extends Pick<
  AttemptResult,
  "statusCode" | "durationMs" | "error" | "failure" | "response"
> {
  advice: string;
}

export const savedName = (id: string) => `webhook ${id}`;

export function testShown(result: AttemptResult): TestResult {
  const { statusCode, durationMs, error, failure, response } = result;
  return {
    statusCode,
    durationMs,
    error,
    failure,
    response,
    advice: failure === null ? "" : failureAdvice(failure),
  };
}

/** For a new endpoint, and with `endpoint` to change one. */
export function showEndpointForm(
  form: URLSearchParams,
  { endpoint, message }: { endpoint?: Endpoint; message?: string } = {},
) {
  const title = endpoint === undefined ? "Add webhook" : `Edit ${endpoint.name}`;
  const action = endpoint === undefined ? `${webhooksPath}/add` : `${webhooksPath}/${endpoint.id}/edit`;
  const back =
    endpoint === undefined
      ? { label: "Integrations", path: webhooksPath }
      : { label: endpoint.name, path: `${webhooksPath}/${endpoint.id}` };
  const value = (name: string) => form.get(name) ?? "";
  const advanced = ["headers", "concurrency", "rate"].some((name) => value(name) !== "");
  return page(
    title,
    <div class="narrow">
      <PageHead
        title={title}
        back={back}
        lead={
          endpoint === undefined
            ? "Events are sent to an address of yours as signed HTTP requests."
            : undefined
        }
      />
      <FormError message={message} />
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
        />
        {endpoint === undefined ? (
          <TextField
            label="Name"
            name="name"
            value={value("name")}
            maxLength={100}
            hint="For people; left empty, it is made from the address."
          />
        ) : null}
        <Choices
          label="Events"
          name="events"
          choices={eventChoices}
          values={form.getAll("events")}
          hint="None ticked: all, also those of later versions."
        />
        {endpoint === undefined ? (
          <TextField
            label="Secret"
            name="secret"
            value={value("secret")}
            maxLength={200}
            hint="It signs each request. Left empty, one is made and shown once on the next page."
          />
        ) : null}
        <details class="more" open={advanced}>
          <summary>Headers and limits</summary>
          <TextArea
            label="Further headers"
            name="headers"
            value={value("headers")}
            rows={3}
            hint={
              <>
                One a line, as <code>Authorization: Bearer …</code>
              </>
            }
          />
          <TextField
            label="Requests under way at most"
            name="concurrency"
            type="number"
            value={value("concurrency")}
            hint="Empty: as in the configuration (webhooks.endpoint_concurrency)."
          />
          <TextField
            label="Requests a second at most"
            name="rate"
            value={value("rate")}
            hint="Empty: no limit."
          />
        </details>
        <Checkbox
          label="Send a test when saved"
          name="test"
          checked={form.size === 0 || value("test") === "yes"}
        />
        <div class="actions">
          <Button label="Save" />
          <LinkButton path={back.path} label="Cancel" variant="outline" />
        </div>
      </Form>
    </div>,
    { status: message === undefined ? 200 : 400 },
  );
}

/** What the form for a change starts with. */
export function formOf({ url, events, headers, concurrency, ratePerSecond }: Endpoint): URLSearchParams {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return new URLSearchParams([
    ["url", url],
    ...events.map((type) => ["events", type]),
    ["headers", lines.join("\n")],
    ["concurrency", concurrency === null ? "" : String(concurrency)],
    ["rate", ratePerSecond === null ? "" : String(ratePerSecond)],
    ["test", "yes"],
  ]);
}

export async function addEndpoint(context: Context<"webhooks">) {
  const { form, services, by } = context;
  const { checkDestination, endpoints } = services.webhooks;
  const name = (form.get("name") ?? "").trim();
  const secret = (form.get("secret") ?? "").trim();
  const added = await attempt(async () => {
    const settings = readSettings(form);
    const remark = await checkDestination(settings.url);
    const wanted = {
      ...settings,
      ...(name === "" ? {} : { name }),
      ...(secret === "" ? {} : { secret }),
    };
    return { ...endpoints.add(wanted, { by }), remark };
  });
  if (!added.ok) return showEndpointForm(form, { message: added.message });
  const { endpoint, remark, secret: made } = added.value;
  return finishSaving(context, endpoint, { secret: made, remark });
}

export async function changeEndpoint(context: Context<"webhooks">, endpoint: Endpoint) {
  const { form, services, by } = context;
  const { checkDestination, endpoints } = services.webhooks;
  const changed = await attempt(async () => {
    const settings = readSettings(form);
    const remark = await checkDestination(settings.url);
    return { endpoint: endpoints.change(endpoint.id, settings, { by }), remark };
  });
  if (!changed.ok) return showEndpointForm(form, { endpoint, message: changed.message });
  return finishSaving(context, changed.value.endpoint, { remark: changed.value.remark });
}

async function finishSaving(
  context: Context<"webhooks">,
  endpoint: Endpoint,
  { secret, remark }: { secret?: string; remark: string | undefined },
) {
  const wanted = context.form.get("test") === "yes";
  const { ping } = context.services.webhooks;
  const test = wanted ? testShown(await ping(endpoint)) : undefined;
  const saved: Saved = {
    ...(secret === undefined ? {} : { secret }),
    ...(remark === undefined ? {} : { remark }),
    ...(test === undefined ? {} : { test }),
  };
  context.putOnce(savedName(endpoint.id), saved);
  return redirect(
    `${webhooksPath}/${endpoint.id}`,
    secret === undefined ? "Saved." : `${endpoint.name} is added.`,
  );
}

function readSettings(form: URLSearchParams): EndpointSettings {
  return {
    url: (form.get("url") ?? "").trim(),
    events: form.getAll("events"),
    headers: readHeaders(form.get("headers") ?? ""),
    concurrency: readNumber(form.get("concurrency") ?? "", "Requests under way at most"),
    ratePerSecond: readNumber(form.get("rate") ?? "", "Requests a second at most"),
  };
}

function readHeaders(text: string): Record<string, string> {
  const lines = text.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line !== "")
      .map((line) => {
        const match = /^([^:\s]+)\s*:\s*(.*)$/.exec(line);
        // What is no header may be a secret all the same: it is not repeated.
        if (match === null) throw badRequest(`A header is written as "Name: value", one a line.`);
        return [match[1]!, match[2]!];
      }),
  );
}

function readNumber(text: string, label: string): number | null {
  if (text.trim() === "") return null;
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0)
    throw badRequest(`${label}: a number greater than 0, or nothing.`);
  return number;
}
