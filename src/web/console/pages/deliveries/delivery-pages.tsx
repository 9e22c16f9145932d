import type { DeliveryFilter } from "../../../../messaging/deliveries/delivery-log.ts";
import { isId } from "../../../../platform/lib/ids.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { isMessage, textOf, titleOf } from "../../../../messaging/content/sent-message.ts";
import { deliveryStatuses } from "../../../../platform/vocabulary/channels.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { Card, Facts, Section, Time, Note, type Crumb } from "../../kit/components.tsx";
import { withoutEmpty } from "../../kit/fields.ts";
import { FilterForm, Select, TextField, PostButton } from "../../kit/form.tsx";
import { page, redirect, fragment } from "../../kit/page-result.ts";
import {
  deliveriesPath,
  deliveriesToPath,
  messagesPath,
  notificationsPath,
  webhooksPath,
  deliveryPath,
  recipientPath,
} from "../../kit/paths.ts";
import type { Context, PageGroup, Route } from "../../shell/router.ts";
import {
  statusChoices,
  Attempts,
  NextStep,
  resultOf,
  SentName,
  sentReader,
} from "../../delivery-kit/delivery-parts.tsx";
import { DeliveryTable } from "../../delivery-kit/delivery-table.tsx";
import {
  FailureList,
  channelWords,
  endpointWords,
  type RecipientWords,
} from "../../delivery-kit/recipient-parts.tsx";
import { Text } from "../../kit/inline.tsx";

const perPage = 50;

interface Log {
  path: string;
  /** Whether it contains the messages to people, or the events for programs. */
  people: boolean;
  back: Crumb;
  words: RecipientWords;
}

const toWebhooks: Crumb = { label: "Webhook endpoints", path: webhooksPath };
const toNotifications: Crumb = { label: "Notifications", path: notificationsPath };

const deliveryLogs: readonly Log[] = [
  { path: deliveriesPath, people: false, back: toWebhooks, words: endpointWords },
  { path: messagesPath, people: true, back: toNotifications, words: channelWords },
];

/** Shows the deliveries of one log, newest first. */
function showLog(
  { query, services }: Context<"deliveries" | "domains" | "threats">,
  { path, people, back, words }: Log,
) {
  const { deliveries } = services;
  const short = withoutEmpty(query);
  if (short !== undefined) return redirect(`${path}${short.size === 0 ? "" : `?${short}`}`);
  const given = (name: string) => (query.get(name) ?? "").trim();
  const status = deliveryStatuses.find((one) => one === given("status"));
  const about = given("about");
  const recipients = deliveries.recipients.listAll();
  const own = recipients.filter((one) => isMessage(one) === people);
  const channels = [...new Set(own.map(({ channel }) => channel))];
  const other = recipients.find((one) => one.id === given("endpoint") && isMessage(one) !== people);
  if (other !== undefined) return redirect(deliveriesToPath(other));
  const recipient = given("endpoint") || undefined;
  const filter: DeliveryFilter = {
    recipient,
    status,
    event: isId("event", about) ? about : undefined,
    threat: isId("threat", about) ? about : undefined,
    before: given("before") || undefined,
  };
  const isUnknown = about !== "" && !isId("event", about) && !isId("threat", about);
  const found = isUnknown ? [] : deliveries.log.list({ ...filter, channels }, perPage + 1);
  const rows = found.slice(0, perPage);
  const older = new URLSearchParams(query);
  if (found.length > perPage) older.set("before", rows.at(-1)!.id);
  const newest = new URLSearchParams(query);
  newest.delete("before");
  const isFiltered = isUnknown || Object.values(filter).some((value) => value !== undefined);
  const { title, lead, recipient: label, empty } = words.log;
  return page(
    { title, crumbs: [back], lead },
    <>
      {query.has("before") || about !== "" ? null : (
        <FailureList
          failed={deliveries.failures.of({ channels, recipient })}
          words={words}
          deliveries={deliveries}
        />
      )}
      <FilterForm action={path}>
        <Select
          label={label}
          name="endpoint"
          any="All"
          value={given("endpoint")}
          choices={own.map(({ id, name }) => ({ value: id, label: visible(name, 60) }))}
        />
        <Select label="Result" name="status" any="All" value={status ?? ""} choices={statusChoices} />
        {people ? null : (
          <TextField
            label="Event or threat"
            name="about"
            value={about}
            maxLength={40}
            placeholder="evt_… or thr_…"
            error={isUnknown ? "An identifier starts with evt_ or thr_." : undefined}
          />
        )}
        <button type="submit" class="btn">
          Apply filter
        </button>
      </FilterForm>
      <DeliveryTable
        rows={rows}
        services={services}
        empty={isFiltered ? "No deliveries match these filters." : empty}
      />
      <nav class="pagination" aria-label="Pages">
        {query.has("before") ? (
          <a class="btn small" href={`${path}?${newest}`}>
            Newest
          </a>
        ) : (
          <span />
        )}
        {found.length > perPage ? (
          <a class="btn small" href={`${path}?${older}`} rel="next">
            Older
          </a>
        ) : null}
      </nav>
    </>,
  );
}

const bodyCharactersMax = 20_000;

/** The logs of deliveries. They have no navigation entry; pages of recipients link to them. */
export const deliveryPages: PageGroup = {
  routes: deliveryLogs.flatMap((log): Route<"deliveries" | "domains" | "threats">[] => [
    { method: "GET", path: log.path, permission: "read", run: (context) => showLog(context, log) },
    { method: "GET", path: `${log.path}/:id`, permission: "read", run: showDelivery },
    { method: "GET", path: `${log.path}/:id/state`, permission: "read", run: showState },
    { method: "POST", path: `${log.path}/:id/send`, permission: "administer", run: sendAgain },
  ]),
};

function showDelivery(context: Context<"deliveries" | "domains" | "threats">) {
  const delivery = deliveryOf(context);
  // A message was listed in the log of the webhook endpoints before it had a log of its own.
  if (context.path !== deliveryPath(delivery)) return redirect(deliveryPath(delivery));
  const { services } = context;
  const { id, eventId, recipientId, recipientName, channel, createdAt } = delivery;
  const recipientPage = recipientPath({ channel, id: recipientId });
  const { log } = services.deliveries;
  const body = log.body(id);
  const text = textOf(delivery, body);
  const title = titleOf(delivery, log);
  const words = text === undefined ? endpointWords : channelWords;
  const { domains, threats } = services;
  const sent = sentReader({ domains, log, threats })(delivery);
  return page(
    {
      title: text === undefined ? `Delivery of ${title}` : title,
      heading: <SentName sent={sent} />,
      crumbs: [
        text === undefined ? toWebhooks : toNotifications,
        { label: words.log.title, path: deliveriesToPath({ channel, id: recipientId }) },
      ],
      actions: (
        <PostButton
          action={`${deliveryPath(delivery)}/send`}
          label="Send again"
          icon="send"
          variant={delivery.status === "failed" ? "primary" : undefined}
        />
      ),
    },
    <>
      {stateOf(context)}
      <Card title="Details">
        <Facts
          facts={[
            [
              text === undefined ? "Endpoint" : "Channel",
              recipientPage === undefined ? (
                <Text text={recipientName} />
              ) : (
                <a href={recipientPage}>
                  <Text text={recipientName} />
                </a>
              ),
            ],
            text === undefined && ["Event type", title],
            ["Event", <code>{eventId}</code>],
            ["Delivery", <code>{id}</code>],
            ["Created", <Time at={createdAt} />],
          ]}
        />
      </Card>
      {body === undefined ? null : (
        <Section title={text === undefined ? "Request body" : "Message"}>
          <pre class="response whole">
            <bdi>{text ?? pretty(body)}</bdi>
          </pre>
        </Section>
      )}
    </>,
  );
}

/** The part of the page that refreshes itself. */
function stateOf(context: Context<"deliveries">) {
  const delivery = deliveryOf(context);
  const { id, status, nextAttemptAt, channel, recipientId } = delivery;
  const { deliveries } = context.services;
  const recipientPage = recipientPath({ channel, id: recipientId });
  const attempts = deliveries.log.attempts(id);
  const last = attempts.at(-1);
  const refresh = status === "pending" && nextAttemptAt !== null;
  return (
    <div id="state" class="stack" data-refresh={refresh ? `${deliveryPath(delivery)}/state` : undefined}>
      <Note
        tone={noteTones[status]}
        title={
          <>
            {titles[status]}
            {last === undefined || last.failure === null ? "" : `: ${resultOf(last)}`}
          </>
        }
      >
        <NextStep delivery={delivery} attemptsMade={attempts.length} />{" "}
        {last === undefined || last.failure === null
          ? ""
          : (deliveries.failureAdvice(channel, last.failure) ?? last.failure)}{" "}
        {deliveries.recipients.find(channel, recipientId)?.enabled === false ? (
          <>
            The {isMessage(delivery) ? "channel" : "recipient"} is disabled.{" "}
            {recipientPage === undefined ? "Enable it" : <a href={recipientPage}>Enable it</a>}{" "}
            {status === "failed" ? "before you send it again." : "to continue the delivery."}
          </>
        ) : null}
      </Note>
      <Section title="Attempts">
        <Attempts attempts={attempts} />
      </Section>
    </div>
  );
}

function showState(context: Context<"deliveries">) {
  return fragment(stateOf(context));
}

const noteTones = { failed: "bad", pending: "warn", succeeded: "good" } as const;
const titles = { failed: "Failed", pending: "Queued", succeeded: "Delivered" } as const;

async function sendAgain(context: Context<"deliveries">) {
  const delivery = deliveryOf(context);
  const { replay } = context.services.deliveries;
  await context.write(() => replay.redeliver(delivery.id, { by: context.by }));
  return redirect(deliveryPath(delivery), "Sending again.");
}

function deliveryOf({ params, services }: Context<"deliveries">) {
  const id = params["id"]!;
  const found = isId("delivery", id) ? services.deliveries.log.get(id) : undefined;
  if (found === undefined)
    throw notFound(
      "There is no delivery with this ID. Old deliveries are deleted after retention.deliveries.",
    );
  return found;
}

function pretty(body: string): string {
  const text = JSON.stringify(JSON.parse(body), null, 2);
  return text
    .split("\n")
    .map((line) => visible(line, bodyCharactersMax))
    .join("\n")
    .slice(0, bodyCharactersMax);
}
