import type { Endpoint } from "../../../../messaging/channels/webhook/endpoint.ts";
import { isDeclared, isUndeclared } from "../../../../platform/config/declared.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { Card, DeclaredMark, Facts, LinkButton, PageHead } from "../../kit/components.tsx";
import { Help, Menu, MenuLink } from "../../kit/disclosure.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { page } from "../../kit/page-result.ts";
import { deliveriesPath, webhooksPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { filterFacts } from "../../threat-kit/event-filter.tsx";
import {
  RecipientNow,
  endpointWords,
  needsAttention,
  RecipientState,
} from "../../delivery-kit/recipient-parts.tsx";
import { DeliveryTable } from "../../delivery-kit/delivery-table.tsx";
import { savedName, type Saved } from "./webhook-form.tsx";
import { EndpointUrl, SavedNote, SecretState } from "./webhook-parts.tsx";

const deliveriesShown = 10;

type DetailContext = Context<"config" | "deliveries" | "domains" | "threats" | "webhooks">;

/** Page of one endpoint: what is wrong and why, the last day, the latest deliveries, the settings. */
export function showEndpoint(context: DetailContext) {
  const { services, takeOnce } = context;
  const { deliveries } = services;
  const endpoint = endpointOf(context);
  const { id, name, url } = endpoint;
  const path = `${webhooksPath}/${id}`;
  const recipient = deliveries.recipients.get(id);
  const saved = takeOnce<Saved>(savedName(id));
  const rows = deliveries.log.list({ recipient: id }, deliveriesShown);
  const isCalm = !needsAttention({ recipient, deliveries });
  return page(
    name,
    <>
      <PageHead
        title={<Text text={name} />}
        crumbs={[{ label: "Webhook endpoints", path: webhooksPath }]}
        lead={
          <code>
            <EndpointUrl url={url} charactersMax={120} />
          </code>
        }
      >
        <Actions endpoint={endpoint} path={path} isCalm={isCalm} />
      </PageHead>
      {saved === undefined ? null : <SavedNote saved={saved} />}
      <RecipientNow
        recipient={recipient}
        path={path}
        words={endpointWords}
        now={context.now}
        deliveries={deliveries}
      />
      {isDeclared(endpoint) ? (
        <p>
          <DeclaredMark />
        </p>
      ) : null}
      <section class="section">
        <header class="card-head">
          <h2>Deliveries</h2>
          <a class="s" href={`${deliveriesPath}?endpoint=${id}`}>
            All deliveries
          </a>
        </header>
        <DeliveryTable
          rows={rows}
          services={services}
          withRecipient={false}
          empty="No events have been sent to it yet. Tests are not listed here."
        />
      </section>
      <Card title="Settings">
        <Facts facts={settingsOf(endpoint, context)} />
      </Card>
    </>,
  );
}

function Actions({ endpoint, path, isCalm }: { endpoint: Endpoint; path: string; isCalm: boolean }) {
  const { enabled, origin } = endpoint;
  const declared = isDeclared(endpoint);
  return (
    <>
      <PostButton action={`${path}/test`} label="Send test event" variant={isCalm ? "primary" : undefined} />
      {origin === "file" ? null : <LinkButton path={`${path}/edit`} label="Edit" />}
      {isUndeclared(endpoint) || !enabled ? null : (
        <PostButton action={`${path}/disable`} label="Disable" icon="pause" />
      )}
      <Menu>
        <MenuLink path={`${path}/replay`} label="Replay events" />
        {declared ? null : <MenuLink path={`${path}/rotate`} label="Rotate secret" />}
        {declared ? null : <MenuLink path={`${path}/remove`} label="Remove endpoint" danger />}
      </Menu>
    </>
  );
}

function settingsOf(endpoint: Endpoint, { now, services: { config } }: DetailContext) {
  const { url, events, filter, headers, concurrency, ratePerSecond, origin } = endpoint;
  const filters = filter === null ? [] : filterFacts(filter);
  return [
    ["State", <RecipientState recipient={endpoint} />],
    ["URL", <EndpointUrl url={url} charactersMax={400} />],
    ["Events", events.length === 0 ? "all" : events.join(", ")],
    ...filters.map(([label, value]) => [label, <Text text={value} charactersMax={2_000} />] as const),
    [
      "Signing secret",
      <>
        <SecretState endpoint={endpoint} now={now} declared={origin === "file"} />{" "}
        <Help about="the signing secret" manual="webhooks#verify-signatures">
          Each request has a signature made with it, so that the receiver can tell real events from forged
          ones.
        </Help>
      </>,
    ],
    // Values of headers may be secret.
    ["Custom headers", Object.keys(headers).join(", ") || "none"],
    [
      "Limits",
      `${concurrency ?? config.webhooks.endpointConcurrency} concurrent requests, ${ratePerSecond === null ? "no rate limit" : `${ratePerSecond} per second`}`,
    ],
  ] as const;
}

/** Returns the endpoint of the address. @throws PublicError `not_found` */
export function endpointOf({ params, services }: Context<"webhooks">): Endpoint {
  const id = params["id"]!;
  const found = services.webhooks.endpoints.find(id);
  // An address has the identifier, never the name.
  if (found?.id !== id) throw notFound("There is no webhook endpoint with this ID.");
  return found;
}
