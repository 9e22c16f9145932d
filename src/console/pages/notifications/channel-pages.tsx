import type { ChannelRecipient } from "../../../channels/all/channels.ts";
import { isDeclared, isUndeclared } from "../../../config/declared.ts";
import { badRequest, notFound } from "../../../lib/errors.ts";
import { counted } from "../../../lib/wording.ts";
import {
  ActionLink,
  Confirm,
  DeclaredMark,
  Facts,
  LinkButton,
  PageHead,
  Section,
  Time,
} from "../../kit/components.tsx";
import { FlashMessage } from "../../kit/marks.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { channelPath, deliveriesToPath, newSubscriptionPath, notificationsPath } from "../../kit/paths.ts";
import { Table } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { DeliveryTable } from "../deliveries/delivery-parts.tsx";
import { RecipientState } from "../deliveries/recipient-state.tsx";
import { TestNote, type TestShown } from "../deliveries/test-note.tsx";
import { channelForms } from "./channel-fields.ts";
import { keepTest, testOf } from "./channel-saving.ts";
import { columnsInChannel } from "./subscription-parts.tsx";

const deliveriesShown = 10;

export function showChannel(context: Context<"channels" | "deliveries" | "notifications">): PageResult {
  const { channels, deliveries, notifications } = context.services;
  const channel = channelOf(context);
  const { id, name, type, enabled, createdAt, lastFailure } = channel;
  const path = channelPath(id);
  const test = context.takeOnce<TestShown>(testOf(id));
  const declared = isDeclared(channel);
  const subscriptions = notifications.subscriptions.list().filter((one) => one.channel.id === id);
  const { fields } = channelForms[type];
  const advice = lastFailure === null ? undefined : deliveries.failureAdvice(type, lastFailure.failure);
  return page(
    name,
    <>
      <PageHead title={<Text text={name} />} back={{ label: "Notifications", path: notificationsPath }}>
        <PostButton action={`${path}/test`} label="Send test message" />
        {channel.origin === "file" ? null : <LinkButton path={`${path}/edit`} label="Edit" />}
        {isUndeclared(channel) ? null : (
          <PostButton
            action={`${path}/${enabled ? "disable" : "enable"}`}
            label={enabled ? "Disable" : "Enable"}
          />
        )}
      </PageHead>
      {test === undefined ? null : <TestNote test={test} />}
      {test === undefined && advice !== undefined ? (
        <FlashMessage
          flash={{
            tone: "warning",
            text: `The last message failed. ${advice}${enabled ? "" : " Then enable the channel."}`,
          }}
        />
      ) : null}
      {declared ? (
        <p>
          <DeclaredMark where="[[channels]]" />
        </p>
      ) : null}
      <Facts
        facts={[
          ["State", <RecipientState recipient={channel} />],
          ["Service", channels.label(type)],
          ...channels
            .shown(channel)
            .map(({ key, value }): [string, preact.JSX.Element] => [
              fields[key]?.label ?? key,
              <Text text={value} charactersMax={1_000} />,
            ]),
          ["Added", <Time at={createdAt} />],
        ]}
      />
      <Section title="Subscriptions">
        <Table
          caption="Subscriptions"
          columns={columnsInChannel}
          rows={subscriptions}
          empty="It is sent nothing yet. A subscription says which events it is sent, and when."
        />
        <p class="after">
          <LinkButton
            path={`${newSubscriptionPath}?channel=${encodeURIComponent(name)}`}
            label="Add subscription"
          />
        </p>
      </Section>
      <Section title="Messages">
        <DeliveryTable
          deliveries={deliveries.log.list({ recipient: id }, deliveriesShown)}
          log={deliveries.log}
          withRecipient={false}
          empty="No messages have been sent to it yet. Tests are not listed here."
        />
        <p class="after">
          <a href={deliveriesToPath({ channel: type, id })}>All messages</a>
          <ActionLink path={`${path}/replay`} label="Send messages again" />
        </p>
      </Section>
      {declared ? null : (
        <Section title="Remove">
          <LinkButton path={`${path}/remove`} label="Remove channel" />
        </Section>
      )}
    </>,
  );
}

export async function sendTest(context: Context<"channels">): Promise<PageResult> {
  const { id } = channelOf(context);
  await keepTest(context, id);
  return redirect(channelPath(id));
}

export async function enableChannel(context: Context<"channels" | "deliveries">): Promise<PageResult> {
  const { channels, deliveries } = context.services;
  const { id } = channelOf(context);
  const { name } = await context.write(() => channels.enable(id, { by: context.by }));
  const waiting = deliveries.log.list({ recipient: id, status: "pending" }, waitingMax + 1).length;
  const sent =
    waiting === 0
      ? ""
      : ` ${waiting > waitingMax ? `More than ${waitingMax} messages` : counted(waiting, "message")} that waited ${waiting === 1 ? "is" : "are"} being sent.`;
  return redirect(channelPath(id), `${name} is enabled.${sent}`);
}

/** Maximum number of waiting messages that are counted. */
const waitingMax = 100;

export async function disableChannel(context: Context<"channels">): Promise<PageResult> {
  const { id } = channelOf(context);
  const { channels } = context.services;
  const { name } = await context.write(() => channels.disable(id, { by: context.by }));
  return redirect(channelPath(id), `${name} is disabled until someone enables it. Messages wait until then.`);
}

export function askToRemoveChannel(context: Context<"channels">): PageResult {
  const { id, name } = editable(context);
  return page(
    "Remove channel",
    <Confirm
      title="Remove this channel?"
      action={`${channelPath(id)}/remove`}
      button="Remove channel"
      back={channelPath(id)}
    >
      <p>
        <strong>
          <Text text={name} />
        </strong>{" "}
        will receive no more messages. Its address, its secrets, its subscriptions and the log of its messages
        will be deleted. To pause it, disable it instead.
      </p>
    </Confirm>,
  );
}

export async function removeChannel(context: Context<"channels">): Promise<PageResult> {
  const { id, name } = editable(context);
  await context.services.channels.remove(id, { by: context.by });
  return redirect(notificationsPath, `${name} has been removed.`);
}

function channelOf({ params, services }: Context<"channels">): ChannelRecipient {
  const id = params["id"]!;
  const found = services.channels.find(id);
  // An address has the identifier, never the name.
  if (found?.id !== id) throw notFound("There is no channel with this ID.");
  return found;
}

export function editable(context: Context<"channels">): ChannelRecipient {
  const channel = channelOf(context);
  if (isDeclared(channel))
    throw badRequest("This channel is declared in the configuration file. Change it there and restart.");
  return channel;
}
