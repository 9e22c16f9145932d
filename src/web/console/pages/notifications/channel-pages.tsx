import type { ChannelRecipient, Channels } from "../../../../messaging/channels/all/channels.ts";
import { isDeclared, isUndeclared } from "../../../../platform/config/declared.ts";
import { badRequest, notFound } from "../../../../platform/lib/errors.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import {
  Card,
  Confirm,
  DeclaredMark,
  Facts,
  LinkButton,
  PageHead,
  Section,
  Time,
} from "../../kit/components.tsx";
import { Menu, MenuLink } from "../../kit/disclosure.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { channelPath, deliveriesToPath, newSubscriptionPath, notificationsPath } from "../../kit/paths.ts";
import { Table } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import {
  RecipientNow,
  channelWords,
  needsAttention,
  RecipientState,
} from "../../delivery-kit/recipient-parts.tsx";
import { DeliveryTable } from "../../delivery-kit/delivery-table.tsx";
import { TestNote, type TestShown } from "../../delivery-kit/delivery-parts.tsx";
import { channelForms } from "./channel-fields.ts";
import { keepTest, testOf } from "./channel-saving.ts";
import { columnsInChannel } from "./subscription-parts.tsx";

const deliveriesShown = 10;

export function showChannel(
  context: Context<"channels" | "deliveries" | "domains" | "notifications" | "threats">,
): PageResult {
  const { channels, deliveries, notifications } = context.services;
  const channel = channelOf(context);
  const { id, name, type } = channel;
  const path = channelPath(id);
  const recipient = deliveries.recipients.get(id);
  const test = context.takeOnce<TestShown>(testOf(id));
  const subscriptions = notifications.subscriptions.list().filter((one) => one.channel.id === id);
  const isCalm = !needsAttention({ recipient, deliveries });
  return page(
    name,
    <>
      <PageHead
        title={<Text text={name} />}
        crumbs={[{ label: "Notifications", path: notificationsPath }]}
        lead={channels.label(type)}
      >
        <ChannelActions channel={channel} path={path} isCalm={isCalm} />
      </PageHead>
      {test === undefined ? null : <TestNote test={test} />}
      <RecipientNow
        recipient={recipient}
        path={path}
        words={channelWords}
        now={context.now}
        deliveries={deliveries}
      />
      {isDeclared(channel) ? (
        <p>
          <DeclaredMark where="[[channels]]" />
        </p>
      ) : null}
      <section class="section">
        <header class="card-head">
          <h2>Messages</h2>
          <a class="s" href={deliveriesToPath({ channel: type, id })}>
            All messages
          </a>
        </header>
        <DeliveryTable
          rows={deliveries.log.list({ recipient: id }, deliveriesShown)}
          services={context.services}
          withRecipient={false}
          empty="No messages have been sent to it yet. Tests are not listed here."
        />
      </section>
      <Section
        title="Subscriptions"
        aside={
          <LinkButton
            path={`${newSubscriptionPath}?channel=${encodeURIComponent(name)}`}
            label="Add subscription"
            icon="plus"
            small
          />
        }
      >
        <Table
          caption="Subscriptions"
          columns={columnsInChannel}
          rows={subscriptions}
          empty="It is sent nothing yet. A subscription says which events it is sent, and when."
        />
      </Section>
      <Card title="Settings">
        <Facts facts={settingsOf(channel, channels)} />
      </Card>
    </>,
  );
}

function ChannelActions({
  channel,
  path,
  isCalm,
}: {
  channel: ChannelRecipient;
  path: string;
  isCalm: boolean;
}) {
  return (
    <>
      <PostButton
        action={`${path}/test`}
        label="Send test message"
        variant={isCalm ? "primary" : undefined}
      />
      {channel.origin === "file" ? null : <LinkButton path={`${path}/edit`} label="Edit" />}
      {isUndeclared(channel) || !channel.enabled ? null : (
        <PostButton action={`${path}/disable`} label="Disable" icon="pause" />
      )}
      <Menu>
        <MenuLink path={`${path}/replay`} label="Send messages again" />
        {isDeclared(channel) ? null : <MenuLink path={`${path}/remove`} label="Remove channel" danger />}
      </Menu>
    </>
  );
}

function settingsOf(
  channel: ChannelRecipient,
  channels: Pick<Channels, "label" | "shown">,
): Parameters<typeof Facts>[0]["facts"] {
  const { type, createdAt } = channel;
  const { fields } = channelForms[type];
  return [
    ["State", <RecipientState recipient={channel} />],
    ["Service", channels.label(type)],
    ...channels
      .shown(channel)
      .map(({ key, value }): [string, preact.JSX.Element] => [
        fields[key]?.label ?? key,
        <Text text={value} charactersMax={1_000} />,
      ]),
    ["Added", <Time at={createdAt} />],
  ];
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
    throw badRequest("This channel is declared in the configuration file. Change it there.");
  return channel;
}
