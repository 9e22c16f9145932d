import { notFound } from "../../../../platform/lib/errors.ts";
import { isId } from "../../../../platform/lib/ids.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { isMessage, textOf, titleOf } from "../../../../messaging/content/sent-message.ts";
import { Card, Facts, PageHead, Section, Time } from "../../kit/components.tsx";
import { Note } from "../../kit/marks.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { fragment, page, redirect } from "../../kit/page-result.ts";
import {
  deliveriesToPath,
  deliveryPath,
  notificationsPath,
  recipientPath,
  webhooksPath,
} from "../../kit/paths.ts";
import { pageGroup, type Context, type Route } from "../../shell/router.ts";
import { deliveryLogs, showLog } from "./log-page.tsx";
import { Attempts, NextStep } from "./delivery-parts.tsx";
import { resultOf } from "./outcome.ts";
import { SentName, sentReader } from "./sent.tsx";

const bodyCharactersMax = 20_000;

/** The logs of deliveries. They have no navigation entry; pages of recipients link to them. */
export const deliveryPages = pageGroup({
  services: ["deliveries", "domains", "threats"],
  routes: deliveryLogs.flatMap((log): Route<"deliveries" | "domains" | "threats">[] => [
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
  const { domains, threats } = services;
  const sent = sentReader({ domains, log, threats })(delivery);
  return page(
    text === undefined ? `Delivery of ${title}` : title,
    <>
      <PageHead
        title={<SentName sent={sent} />}
        crumbs={[
          text === undefined
            ? { label: "Webhook endpoints", path: webhooksPath }
            : { label: "Notifications", path: notificationsPath },
          {
            label: text === undefined ? "Delivery log" : "Message log",
            path: deliveriesToPath({ channel, id: recipientId }),
          },
        ]}
      >
        <PostButton
          action={`${deliveryPath(delivery)}/send`}
          label="Send again"
          icon="send"
          variant={delivery.status === "failed" ? "primary" : undefined}
        />
      </PageHead>
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
