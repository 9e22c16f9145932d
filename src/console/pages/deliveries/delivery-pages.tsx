import { notFound } from "../../../lib/errors.ts";
import { isId } from "../../../lib/ids.ts";
import { visible } from "../../../lib/safe-text.ts";
import { isMessage, textOf, titleOf } from "../../../notices/sent-message.ts";
import { Facts, PageHead, Section, Time } from "../../kit/components.tsx";
import { FlashMessage } from "../../kit/marks.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { fragment, page, redirect } from "../../kit/page-result.ts";
import { deliveriesToPath, deliveryPath, recipientPath } from "../../kit/paths.ts";
import { pageGroup, type Context, type Route } from "../../shell/router.ts";
import { deliveryLogs, showLog } from "./log-page.tsx";
import { Attempts, DeliveryBadge, NextStep } from "./delivery-parts.tsx";

const bodyCharactersMax = 20_000;

/** The logs of deliveries. They have no navigation entry; pages of recipients link to them. */
export const deliveryPages = pageGroup({
  services: ["deliveries"],
  routes: deliveryLogs.flatMap((log): Route<"deliveries">[] => [
    { method: "GET", path: log.path, permission: "read", run: (context) => showLog(context, log) },
    { method: "GET", path: `${log.path}/:id`, permission: "read", run: showDelivery },
    {
      method: "GET",
      path: `${log.path}/:id/state`,
      permission: "read",
      run: (context) => fragment(stateOf(context)),
    },
    { method: "POST", path: `${log.path}/:id/send`, permission: "administer", run: sendAgain },
  ]),
});

function showDelivery(context: Context<"deliveries">) {
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
  return page(
    text === undefined ? `Delivery of ${title}` : title,
    <>
      <PageHead
        title={<Text text={title} />}
        back={{
          label: text === undefined ? "Delivery log" : "Message log",
          path: deliveriesToPath({ channel, id: recipientId }),
        }}
      >
        <PostButton action={`${deliveryPath(delivery)}/send`} label="Send again" />
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
    <div id="state" data-refresh={refresh ? `${deliveryPath(delivery)}/state` : undefined}>
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
            The {isMessage(delivery) ? "channel" : "recipient"} is disabled.{" "}
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
