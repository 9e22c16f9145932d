import { type Endpoint, webhookKind } from "../../../../messaging/channels/webhook/endpoint.ts";
import { failedCountedMax } from "../../../../messaging/deliveries/store/failure-summary.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { EntryLink, LinkButton, ActionLink, Copyable, Time, FlashMessage } from "../../kit/components.tsx";
import { page } from "../../kit/page-result.ts";
import { deliveriesPath, webhooksPath as path } from "../../kit/paths.ts";
import { column, Empty, ListTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { filterPhrases } from "../../threat-kit/event-filter.tsx";
import { DayChart, atMost } from "../../delivery-kit/day-stats.tsx";
import {
  FailureList,
  offersSendAll,
  endpointWords,
  RecipientState,
} from "../../delivery-kit/recipient-parts.tsx";
import { Text } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { TestNote, type TestShown } from "../../delivery-kit/delivery-parts.tsx";

const typesNamed = 2;

export function listEndpoints(context: Context<"deliveries" | "webhooks">) {
  const { services, now } = context;
  const { deliveries, webhooks } = services;
  const endpoints = webhooks.endpoints.list();
  const failed = deliveries.failures.of({ channels: [webhookKind] });
  const columns: Column<Endpoint>[] = [
    column("Endpoint", "wide title", (endpoint) => (
      <>
        <EntryLink path={`${path}/${endpoint.id}`} entry={endpoint} />
        <p class="hide-s">
          <EndpointUrl url={endpoint.url} charactersMax={80} />
        </p>
      </>
    )),
    column("State", "state", (endpoint) => <RecipientState recipient={endpoint} />),
    column("Events", "under", (endpoint) => <EventsOf endpoint={endpoint} />),
    column("Last 24 hours", "hidden", ({ seq }) => <DayChart day={deliveries.hours.lastDay(seq, now)} />),
    column("Delivered", "number end", ({ seq }) => (
      <>
        {grouped(deliveries.hours.lastDay(seq, now).delivered)}
        <span class="unit"> in 24 h</span>
      </>
    )),
    column("Queued", "number hidden", ({ seq }) =>
      atMost(deliveries.sendAll.count(seq, failedCountedMax + 1).queued),
    ),
  ];
  return page(
    {
      title: "Webhook endpoints",
      lead: "Programs that are sent events as signed HTTP requests.",
      actions: endpoints.length > 0 && (
        <>
          <LinkButton path={deliveriesPath} label="Delivery log" />
          <LinkButton
            path={`${path}/add`}
            label="Add webhook endpoint"
            icon="plus"
            variant={offersSendAll(failed) ? undefined : "primary"}
          />
        </>
      ),
    },
    <>
      <FailureList failed={failed} words={endpointWords} deliveries={deliveries} />
      {endpoints.length === 0 ? (
        <div class="card">
          <Empty
            title="No webhook endpoints yet"
            action={
              <LinkButton path={`${path}/add`} label="Add webhook endpoint" icon="plus" variant="primary" />
            }
          >
            An endpoint receives each event as a signed POST request, within seconds: for your SIEM or ticket
            system.
          </Empty>
        </div>
      ) : (
        <ListTable caption="Webhook endpoints" columns={columns} rows={endpoints} empty="" />
      )}
    </>,
  );
}

function EventsOf({ endpoint: { events, filter } }: { endpoint: Endpoint }) {
  const further = events.length - typesNamed;
  const types = `${events.slice(0, typesNamed).join(", ")}${further > 0 ? ` and ${further} more` : ""}`;
  return (
    <>
      <span title={events.join(", ")}>{events.length === 0 ? "All events" : types}</span>
      {filter === null ? null : <p>threats {filterPhrases(filter).join(", ")}</p>}
    </>
  );
}

/** The URL of an endpoint. Its path and query may hold a secret, which only administrators may see. */
export function EndpointUrl({ url, charactersMax }: { url: string; charactersMax: number }) {
  const isWhole = usePage().may("administer");
  return <Text text={isWhole ? url : `${new URL(url).origin}/…`} charactersMax={charactersMax} />;
}

/** Results of a change, shown once on the page of the endpoint. */
export interface Saved {
  /** The new secret. It cannot be retrieved later. */
  secret?: string | undefined;
  test?: TestShown | undefined;
  /** The host of the URL has no address yet. */
  warning?: string | undefined;
}

export const savedName = (id: string) => `webhook ${id}`;

/** Results of a change, shown once. */
export function SavedNote({ saved: { secret, test, warning } }: { saved: Saved }) {
  return (
    <>
      {secret === undefined ? null : (
        <div class="card once">
          <h2>Secret</h2>
          <p>
            Signs each request. The receiver verifies X-Service-Signature with it. Copy it now: it is shown
            only once.
          </p>
          <Copyable text={secret} label="the secret" secret />
        </div>
      )}
      {warning === undefined ? null : (
        <FlashMessage
          flash={{ tone: "warning", text: `The host of this URL cannot be resolved: ${warning}` }}
        />
      )}
      {test === undefined ? null : <TestNote test={test} />}
    </>
  );
}

export function SecretState(props: { endpoint: Endpoint; now: Instant; declared: boolean }) {
  const { endpoint, now, declared } = props;
  const { id, previousSecretUntil } = endpoint;
  const rotating = previousSecretUntil !== null && previousSecretUntil > now;
  return (
    <>
      stored, shown only when it was created
      {rotating ? (
        <>
          {" "}
          · the previous one also signs until <Time at={previousSecretUntil} />
        </>
      ) : null}
      {declared ? null : <ActionLink path={`${path}/${id}/rotate`} label="Rotate" />}
    </>
  );
}
