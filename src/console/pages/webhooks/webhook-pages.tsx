import { webhookKind, type Endpoint } from "../../../channels/webhook/endpoint.ts";
import { isDeclared, isUndeclared } from "../../../config/declared.ts";
import { toIsoTime, toPlainTime } from "../../../lib/clock.ts";
import { badRequest, notFound } from "../../../lib/errors.ts";
import { counted } from "../../../lib/wording.ts";
import {
  ActionLink,
  Confirm,
  DeclaredMark,
  EntryLink,
  Facts,
  LinkButton,
  PageHead,
  Section,
} from "../../kit/components.tsx";
import { filterFacts, filterPhrases } from "../../threat-kit/event-filter.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { deliveriesPath, webhooksPath as path } from "../../kit/paths.ts";
import { PagedTable, pagesOf, type Column } from "../../kit/table.tsx";
import { pageGroup, type Context, type NavigationMark } from "../../shell/router.ts";
import type { PageServices } from "../../shell/services.ts";
import { DeliveryTable } from "../deliveries/delivery-parts.tsx";
import { RecipientState } from "../deliveries/recipient-state.tsx";
import { eventReplay, replayRoutes } from "../deliveries/replay-pages.tsx";
import {
  addEndpoint,
  changeEndpoint,
  formOf,
  type Saved,
  savedName,
  showEndpointForm,
  pingShown,
} from "./webhook-form.tsx";
import { SavedNote, SecretState } from "./webhook-parts.tsx";
import { rotateRoutes } from "./webhook-rotate-pages.tsx";

const perPage = 50;
const deliveriesShown = 10;

function failingRecipients({ deliveries }: Pick<PageServices, "deliveries">): NavigationMark | undefined {
  const failing = deliveries.recipients
    .list(webhookKind)
    .filter(({ enabled, failingSince }) => enabled && failingSince !== null);
  return failing.length === 0 ? undefined : { problem: `${failing.length} failing` };
}

/** Webhook endpoints: programs that are sent events. */
export const webhookPages = pageGroup({
  nav: { section: "notify", label: "Webhook endpoints", icon: "endpoint", path, mark: failingRecipients },
  services: ["config", "deliveries", "domains", "webhooks"],
  routes: [
    { method: "GET", path, permission: "read", run: listEndpoints },
    {
      method: "GET",
      path: `${path}/add`,
      permission: "administer",
      // Nothing is taken from the address: a link must not fill in where events are sent.
      run: (context) => showEndpointForm(context, { form: new URLSearchParams() }),
    },
    { method: "POST", path: `${path}/add`, permission: "administer", run: addEndpoint },
    { method: "GET", path: `${path}/:id`, permission: "read", run: showEndpoint },
    {
      method: "GET",
      path: `${path}/:id/edit`,
      permission: "administer",
      run(context) {
        const endpoint = editable(context);
        return showEndpointForm(context, { form: formOf(endpoint), endpoint });
      },
    },
    {
      method: "POST",
      path: `${path}/:id/edit`,
      permission: "administer",
      run: (context) => changeEndpoint(context, editable(context)),
    },
    { method: "POST", path: `${path}/:id/test`, permission: "administer", run: sendTest },
    { method: "POST", path: `${path}/:id/enable`, permission: "administer", run: enable },
    { method: "POST", path: `${path}/:id/disable`, permission: "administer", run: disable },
    { method: "GET", path: `${path}/:id/remove`, permission: "administer", run: askToRemove },
    { method: "POST", path: `${path}/:id/remove`, permission: "administer", run: remove },
    ...rotateRoutes(editable),
    ...replayRoutes({ base: path, kinds: [webhookKind], words: eventReplay }),
  ],
});

function listEndpoints({ services: { webhooks }, query }: Context<"webhooks">) {
  const endpoints = webhooks.endpoints.list();
  const columns: Column<Endpoint>[] = [
    {
      title: "Name",
      cell: (endpoint) => <EntryLink path={`${path}/${endpoint.id}`} entry={endpoint} />,
    },
    { title: "URL", layout: "wide", cell: ({ url }) => <Text text={url} charactersMax={100} /> },
    {
      title: "Events",
      cell: ({ events, filter }) => (
        <>
          {events.length === 0 ? "all" : events.map((type) => <div class="tight">{type}</div>)}
          {filter === null ? null : <div class="hint">threats {filterPhrases(filter).join(", ")}</div>}
        </>
      ),
    },
    { title: "State", cell: (endpoint) => <RecipientState recipient={endpoint} /> },
  ];
  return page(
    "Webhook endpoints",
    <>
      <PageHead title="Webhook endpoints" lead="Programs that are sent events as signed HTTP requests.">
        <LinkButton path={`${path}/add`} label="Add webhook endpoint" />
      </PageHead>
      <PagedTable
        caption="Webhook endpoints"
        columns={columns}
        rowsIn={pagesOf(endpoints)}
        total={endpoints.length}
        perPage={perPage}
        path={path}
        query={query}
        empty={
          <>
            No program receives events yet. <a href={`${path}/add`}>Add a webhook endpoint</a> to send events
            to your SIEM or ticket system.
          </>
        }
      />
      <p class="after">
        <a href={deliveriesPath}>Delivery log</a> ·{" "}
        <a href={`${deliveriesPath}?status=failed`}>Failed deliveries</a>
      </p>
    </>,
  );
}

function showEndpoint(context: Context<"config" | "deliveries" | "webhooks">) {
  const { services, takeOnce } = context;
  const endpoint = endpointOf(context);
  const { id, name, url, events, filter, headers, concurrency, ratePerSecond, origin, enabled } = endpoint;
  const saved = takeOnce<Saved>(savedName(id));
  const declared = isDeclared(endpoint);
  const rows = services.deliveries.log.list({ recipient: id }, deliveriesShown);
  return page(
    name,
    <>
      <PageHead title={<Text text={name} />} back={{ label: "Webhook endpoints", path }}>
        <PostButton action={`${path}/${id}/test`} label="Send test" />
        {origin === "file" ? null : <LinkButton path={`${path}/${id}/edit`} label="Edit" />}
        {isUndeclared(endpoint) ? null : (
          <PostButton
            action={`${path}/${id}/${enabled ? "disable" : "enable"}`}
            label={enabled ? "Disable" : "Enable"}
          />
        )}
      </PageHead>
      {saved === undefined ? null : <SavedNote saved={saved} />}
      {declared ? (
        <p>
          <DeclaredMark />
        </p>
      ) : null}
      <Facts
        facts={[
          ["State", <RecipientState recipient={endpoint} />],
          ["URL", <Text text={url} charactersMax={2_000} />],
          ["Events", events.length === 0 ? "all" : events.join(", ")],
          ...(filter === null ? [] : filterFacts(filter)).map(
            ([label, value]): [string, preact.JSX.Element] => [
              label,
              <Text text={value} charactersMax={2_000} />,
            ],
          ),
          ["Secret", <SecretState endpoint={endpoint} now={context.now} declared={origin === "file"} />],
          // Values of headers may be secret.
          ["Custom headers", Object.keys(headers).join(", ") || "none"],
          [
            "Limits",
            `${concurrency ?? services.config.webhooks.endpointConcurrency} concurrent requests, ${ratePerSecond === null ? "no rate limit" : `${ratePerSecond} per second`}`,
          ],
        ]}
      />
      <Section title="Deliveries">
        <DeliveryTable
          deliveries={rows}
          log={services.deliveries.log}
          withRecipient={false}
          empty="No events have been sent to it yet. Tests are not listed here."
        />
        <p class="after">
          <a href={`${deliveriesPath}?endpoint=${id}`}>All deliveries</a>
          <ActionLink path={`${path}/${id}/replay`} label="Replay events" />
        </p>
      </Section>
      {declared ? null : (
        <Section title="Remove">
          <LinkButton path={`${path}/${id}/remove`} label="Remove endpoint" />
        </Section>
      )}
    </>,
  );
}

async function sendTest(context: Context<"webhooks">): Promise<PageResult> {
  const endpoint = endpointOf(context);
  const test = pingShown(await context.services.webhooks.test(endpoint, { by: context.by }));
  context.putOnce(savedName(endpoint.id), { test } satisfies Saved);
  return redirect(`${path}/${endpoint.id}`);
}

async function enable(context: Context<"deliveries" | "webhooks">): Promise<PageResult> {
  const { deliveries, webhooks } = context.services;
  const { id } = endpointOf(context);
  const { name, disabledAt: since } = await context.write(() =>
    webhooks.endpoints.enable(id, { by: context.by }),
  );
  const missed = since === null ? 0 : deliveries.replay.count({ which: "missed", recipient: id, since });
  if (since === null || missed === 0) return redirect(`${path}/${id}`, `${name} is enabled.`);
  return redirect(`${path}/${id}`, {
    tone: "warning",
    text: `${name} is enabled. It missed ${counted(missed, "event")} since ${toPlainTime(since)}.`,
    action: {
      label: "Send them now",
      path: `${path}/${id}/replay`,
      fields: { which: "missed", since: toIsoTime(since) },
    },
  });
}

async function disable(context: Context<"webhooks">): Promise<PageResult> {
  const { id } = endpointOf(context);
  const { endpoints } = context.services.webhooks;
  const { name } = await context.write(() => endpoints.disable(id, { by: context.by }));
  return redirect(
    `${path}/${id}`,
    `${name} is disabled until someone enables it. Pending deliveries stay queued.`,
  );
}

function askToRemove(context: Context<"webhooks">): PageResult {
  const { id, name } = editable(context);
  return page(
    "Remove webhook endpoint",
    <Confirm
      title="Remove this webhook endpoint?"
      action={`${path}/${id}/remove`}
      button="Remove endpoint"
      back={`${path}/${id}`}
    >
      <p>
        <strong>
          <Text text={name} />
        </strong>{" "}
        will receive no more events, and its secret and deliveries will be deleted. To pause deliveries,
        disable it instead.
      </p>
    </Confirm>,
  );
}

async function remove(context: Context<"webhooks">): Promise<PageResult> {
  const { id, name } = editable(context);
  await context.services.webhooks.endpoints.remove(id, { by: context.by });
  return redirect(path, `${name} has been removed.`);
}

function endpointOf({ params, services }: Context<"webhooks">): Endpoint {
  const id = params["id"]!;
  const found = services.webhooks.endpoints.find(id);
  // An address has the identifier, never the name.
  if (found?.id !== id) throw notFound("There is no webhook endpoint with this ID.");
  return found;
}

function editable(context: Context<"webhooks">): Endpoint {
  const endpoint = endpointOf(context);
  if (isDeclared(endpoint))
    throw badRequest("This endpoint is declared in the configuration file. Change it there and restart.");
  return endpoint;
}
