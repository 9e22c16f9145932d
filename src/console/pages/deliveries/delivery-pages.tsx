import type { DeliveryFilter } from "../../../deliveries/delivery-log.ts";
import { notFound } from "../../../lib/errors.ts";
import { isId } from "../../../lib/ids.ts";
import { visible } from "../../../lib/safe-text.ts";
import { deliveryStatuses } from "../../../vocabulary/deliveries.ts";
import { Facts, FlashMessage, PageHead, Section, Time } from "../../kit/components.tsx";
import { withoutEmpty } from "../../kit/fields.ts";
import { PostButton, Select, TextField } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { fragment, page, redirect } from "../../kit/page-result.ts";
import {
  deliveriesPath,
  deliveriesToPath,
  deliveryPath,
  recipientPath,
  webhooksPath,
} from "../../kit/paths.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { textOf, titleOf } from "./message.ts";
import { Attempts, DeliveryBadge, DeliveryTable, NextStep, statusChoices } from "./delivery-parts.tsx";

const perPage = 50;
const bodyCharactersMax = 20_000;

/** The delivery log. It has no navigation entry; pages of recipients link to it. */
export const deliveryPages = pageGroup({
  services: ["deliveries"],
  routes: [
    { method: "GET", path: deliveriesPath, permission: "read", run: showLog },
    { method: "GET", path: `${deliveriesPath}/:id`, permission: "read", run: showDelivery },
    {
      method: "GET",
      path: `${deliveriesPath}/:id/state`,
      permission: "read",
      run: (context) => fragment(stateOf(context)),
    },
    { method: "POST", path: `${deliveriesPath}/:id/send`, permission: "administer", run: sendAgain },
  ],
});

function showLog({ query, services: { deliveries } }: Context<"deliveries">) {
  const short = withoutEmpty(query);
  if (short !== undefined) return redirect(`${deliveriesPath}${short.size === 0 ? "" : `?${short}`}`);
  const given = (name: string) => (query.get(name) ?? "").trim();
  const status = deliveryStatuses.find((one) => one === given("status"));
  const about = given("about");
  const filter: DeliveryFilter = {
    ...(given("endpoint") === "" ? {} : { recipient: given("endpoint") }),
    ...(status === undefined ? {} : { status }),
    ...(isId("event", about) ? { event: about } : {}),
    ...(isId("threat", about) ? { threat: about } : {}),
    ...(given("before") === "" ? {} : { before: given("before") }),
  };
  const isUnknown = about !== "" && !isId("event", about) && !isId("threat", about);
  const found = isUnknown ? [] : deliveries.log.list(filter, perPage + 1);
  const rows = found.slice(0, perPage);
  const older = new URLSearchParams(query);
  if (found.length > perPage) older.set("before", rows.at(-1)!.id);
  const newest = new URLSearchParams(query);
  newest.delete("before");
  const recipients = deliveries.recipients.listAll();
  const isFiltered = Object.keys(filter).length > 0 || isUnknown;
  return page(
    "Delivery log",
    <>
      <PageHead
        title="Delivery log"
        back={{ label: "Webhook endpoints", path: webhooksPath }}
        lead="Every event and message sent or to be sent, the responses, and what happens next."
      />
      <form class="filters" method="get" action={deliveriesPath} role="search">
        <Select
          label="Recipient"
          name="endpoint"
          value={given("endpoint")}
          choices={[
            { value: "", label: "all" },
            ...recipients.map(({ id, name }) => ({ value: id, label: visible(name, 60) })),
          ]}
        />
        <Select
          label="Status"
          name="status"
          value={status ?? ""}
          choices={[{ value: "", label: "all" }, ...statusChoices]}
        />
        <TextField
          label="Event or threat"
          name="about"
          value={about}
          maxLength={40}
          placeholder="evt_… or thr_…"
          error={isUnknown ? "An identifier starts with evt_ or thr_." : undefined}
        />
        <button type="submit">Show</button>
      </form>
      <DeliveryTable
        deliveries={rows}
        log={deliveries.log}
        empty={isFiltered ? "No deliveries match these filters." : "No deliveries yet."}
      />
      <nav class="pagination" aria-label="Pages">
        {query.has("before") ? (
          <a class="button outline small" href={`${deliveriesPath}?${newest}`}>
            Newest
          </a>
        ) : (
          <span />
        )}
        {found.length > perPage ? (
          <a class="button outline small" href={`${deliveriesPath}?${older}`} rel="next">
            Older
          </a>
        ) : null}
      </nav>
    </>,
  );
}

function showDelivery(context: Context<"deliveries">) {
  const delivery = deliveryOf(context);
  const { services } = context;
  const { id, eventId, recipientId, recipientName, channel, createdAt } = delivery;
  const recipientPage = recipientPath({ channel, id: recipientId });
  const { log } = services.deliveries;
  const body = log.body(id);
  const text = textOf(delivery, body);
  const title = titleOf(delivery, log);
  return page(
    text === undefined ? `Delivery of ${title}` : title,
    <>
      <PageHead
        title={<Text text={title} />}
        back={{ label: "Delivery log", path: deliveriesToPath(recipientId) }}
      >
        <PostButton action={`${deliveriesPath}/${id}/send`} label="Send again" />
      </PageHead>
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
          ["Event", <code>{eventId}</code>],
          ["Delivery", <code>{id}</code>],
          ["Created", <Time at={createdAt} />],
        ]}
      />
      {stateOf(context)}
      {text === undefined ? null : (
        <Section title="Message">
          <pre class="response whole">
            <bdi>{text}</bdi>
          </pre>
        </Section>
      )}
      {body === undefined || text !== undefined ? null : (
        <Section title="Request body">
          <pre class="response whole">
            <bdi>{pretty(body)}</bdi>
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
    <div id="state" data-refresh={refresh ? `${deliveriesPath}/${id}/state` : undefined}>
      <Section title="State">
        <p>
          <DeliveryBadge status={status} /> <NextStep delivery={delivery} attemptsShown={attempts.length} />
        </p>
        {last === undefined || last.failure === null ? null : (
          <FlashMessage
            flash={{
              tone: status === "failed" ? "danger" : "warning",
              text: deliveries.failureAdvice(channel, last.failure) ?? last.failure,
            }}
          />
        )}
        {deliveries.recipients.find(channel, recipientId)?.enabled === false ? (
          <p>
            The recipient is disabled.{" "}
            {recipientPage === undefined ? "Enable it" : <a href={recipientPage}>Enable it</a>} to continue
            the delivery.
          </p>
        ) : null}
      </Section>
      <Section title="Attempts">
        <Attempts attempts={attempts} />
      </Section>
    </div>
  );
}

async function sendAgain(context: Context<"deliveries">) {
  const { id } = deliveryOf(context);
  const { replay } = context.services.deliveries;
  await context.write(() => replay.redeliver(id, { by: context.by }));
  return redirect(deliveryPath(id), "Sending again.");
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
