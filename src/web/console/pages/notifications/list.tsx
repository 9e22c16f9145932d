import type { ChannelRecipient } from "../../../../messaging/channels/all/channels.ts";
import { isLocalUrl } from "../../../../platform/config/safety.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { channelTypes } from "../../../../platform/vocabulary/channels.ts";
import type { Subscription } from "../../../../messaging/subscriptions/subscriptions/store.ts";
import { EntryLink, LinkButton, Section, Time, FirstStep, Note } from "../../kit/components.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import {
  channelPath,
  deliveryPath,
  messagesPath,
  newChannelPath,
  newSubscriptionPath,
} from "../../kit/paths.ts";
import { column, Empty, ListTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { DayChart } from "../../delivery-kit/day-stats.tsx";
import { DeliveryBadge } from "../../delivery-kit/delivery-parts.tsx";
import {
  FailureList,
  offersSendAll,
  channelWords,
  RecipientState,
} from "../../delivery-kit/recipient-parts.tsx";
import { subscriptionColumns } from "./subscription-parts.tsx";

type ListContext = Context<"channels" | "deliveries" | "notifications" | "publicUrl">;

export function listNotifications(context: ListContext): PageResult {
  const channels = context.services.channels.list();
  const subscriptions = context.services.notifications.subscriptions.list();
  const publicUrl = context.services.publicUrl();
  const failed = context.services.deliveries.failures.of({ channels: channelTypes });
  return page(
    {
      title: "Notifications",
      lead: "Messages to people: in chat, by email, or to a pager.",
      actions: channels.length > 0 && (
        <>
          <LinkButton path={messagesPath} label="Message log" />
          <LinkButton path={newChannelPath} label="Add channel" icon="plus" />
          <LinkButton
            path={newSubscriptionPath}
            label="Add subscription"
            icon="plus"
            variant={offersSendAll(failed) ? undefined : "primary"}
          />
        </>
      ),
    },
    <>
      <FailureList failed={failed} words={channelWords} deliveries={context.services.deliveries} />
      {channels.length === 0 ? (
        <FirstChannel />
      ) : (
        <>
          {isLocalUrl(publicUrl) ? (
            <Note
              tone="warn"
              title={`Links in messages lead to ${publicUrl}, which only this machine can open.`}
            >
              Set <code>server.public_url</code> to the address under which your team opens the console.
            </Note>
          ) : null}
          <SubscriptionList subscriptions={subscriptions} />
          <ChannelList channels={channels} subscriptions={subscriptions} context={context} />
        </>
      )}
    </>,
  );
}

function FirstChannel() {
  return (
    <div class="card">
      <Empty
        title="Nobody is notified yet"
        action={<LinkButton path={newChannelPath} label="Add channel" icon="plus" variant="primary" />}
      >
        <p>It takes two steps:</p>
        <ol class="numbered">
          <li>Add a channel: where your team reads messages, such as a chat or a mailbox.</li>
          <li>Add a subscription: which events the channel is sent, and when.</li>
        </ol>
      </Empty>
    </div>
  );
}

function SubscriptionList({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  return (
    <Section title="Subscriptions" id="subscriptions">
      <ListTable
        caption="Subscriptions"
        columns={subscriptionColumns}
        rows={subscriptions}
        empty={
          <>
            The channels are sent nothing yet.
            <FirstStep path={newSubscriptionPath} label="Add a subscription">
              to choose which events they are sent, and when.
            </FirstStep>
          </>
        }
      />
    </Section>
  );
}

function ChannelList(props: {
  channels: readonly ChannelRecipient[];
  subscriptions: readonly Subscription[];
  context: ListContext;
}) {
  const { channels: all, subscriptions, context } = props;
  const { now, services } = context;
  const { channels, deliveries } = services;
  const counts = new Map<string, number>();
  for (const { channel } of subscriptions) counts.set(channel.id, (counts.get(channel.id) ?? 0) + 1);
  const columns: Column<ChannelRecipient>[] = [
    column("Channel", "title", (channel) => (
      <>
        <EntryLink path={channelPath(channel.id)} entry={channel} />
        <p class="hide-s">{channels.label(channel.type)}</p>
      </>
    )),
    column("State", "state", (channel) => <RecipientState recipient={channel} />),
    {
      title: "Last message",
      fold: "under",
      cell({ id }) {
        const last = deliveries.log.list({ recipient: id }, 1)[0];
        if (last === undefined) return "none";
        return (
          <>
            <DeliveryBadge status={last.status} />{" "}
            <a href={deliveryPath(last)}>
              <Time at={last.completedAt ?? last.createdAt} relative />
            </a>
          </>
        );
      },
    },
    column("Last 24 hours", "hidden", ({ seq }) => <DayChart day={deliveries.hours.lastDay(seq, now)} />),
    column("Delivered", "number hidden", ({ seq }) => grouped(deliveries.hours.lastDay(seq, now).delivered)),
    column("Subscriptions", "number end", ({ id }) => {
      const count = counts.get(id) ?? 0;
      return (
        <>
          {grouped(count)}
          <span class="unit"> {count === 1 ? "subscription" : "subscriptions"}</span>
        </>
      );
    }),
  ];
  return (
    <Section title="Channels">
      <ListTable
        caption="Channels"
        columns={columns}
        rows={all}
        parameter="channels"
        empty="No channels yet."
      />
    </Section>
  );
}
