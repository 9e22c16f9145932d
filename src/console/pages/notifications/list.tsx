import type { ChannelRecipient } from "../../../channels/all/channels.ts";
import { isLocalUrl } from "../../../config/safety/exposure.ts";
import { grouped } from "../../../lib/wording.ts";
import type { Subscription } from "../../../notifications/subscriptions/store.ts";
import { EntryLink, LinkButton, PageHead, Section, Time } from "../../kit/components.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import {
  channelPath,
  deliveryPath,
  messagesPath,
  newChannelPath,
  newSubscriptionPath,
  notificationsPath,
} from "../../kit/paths.ts";
import { Empty, PagedTable, pagesOf, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { DeliveryBadge } from "../deliveries/delivery-parts.tsx";
import { RecipientState } from "../deliveries/recipient-state.tsx";
import { subscriptionColumns } from "./subscription-parts.tsx";

const perPage = 50;

type ListContext = Context<"channels" | "deliveries" | "notifications" | "publicUrl">;

export function listNotifications(context: ListContext): PageResult {
  const channels = context.services.channels.list();
  const subscriptions = context.services.notifications.subscriptions.list();
  const publicUrl = context.services.publicUrl();
  return page(
    "Notifications",
    <>
      <PageHead title="Notifications" lead="Messages to people: in chat, by email, or to a pager.">
        {channels.length === 0 ? null : (
          <>
            <LinkButton path={newSubscriptionPath} label="Add subscription" />
            <LinkButton path={newChannelPath} label="Add channel" />
          </>
        )}
      </PageHead>
      {channels.length === 0 ? (
        <FirstChannel />
      ) : (
        <>
          {isLocalUrl(publicUrl) ? (
            <p class="hint">
              Links in messages lead to {publicUrl}, which only this machine can open. Set{" "}
              <code>server.public_url</code> to the address under which your team opens the console.
            </p>
          ) : null}
          <SubscriptionList subscriptions={subscriptions} query={context.query} />
          <ChannelList channels={channels} subscriptions={subscriptions} context={context} />
        </>
      )}
    </>,
  );
}

function FirstChannel() {
  return (
    <Empty>
      <p>Nobody is notified yet. It takes two steps:</p>
      <ol class="steps">
        <li>Add a channel: where your team reads messages, such as a chat or a mailbox.</li>
        <li>Add a subscription: which events the channel is sent, and when.</li>
      </ol>
      <LinkButton path={newChannelPath} label="Add channel" />
    </Empty>
  );
}

function SubscriptionList({
  subscriptions,
  query,
}: {
  subscriptions: readonly Subscription[];
  query: URLSearchParams;
}) {
  return (
    <Section title="Subscriptions" id="subscriptions">
      <PagedTable
        caption="Subscriptions"
        columns={subscriptionColumns}
        rowsIn={pagesOf(subscriptions)}
        total={subscriptions.length}
        perPage={perPage}
        path={notificationsPath}
        query={query}
        empty={
          <>
            The channels are sent nothing yet. <a href={newSubscriptionPath}>Add a subscription</a> to choose
            which events they are sent, and when.
          </>
        }
      />
    </Section>
  );
}

function ChannelList({
  channels: all,
  subscriptions,
  context: { query, services },
}: {
  channels: readonly ChannelRecipient[];
  subscriptions: readonly Subscription[];
  context: ListContext;
}) {
  const { channels, deliveries } = services;
  const counts = new Map<string, number>();
  for (const { channel } of subscriptions) counts.set(channel.id, (counts.get(channel.id) ?? 0) + 1);
  const columns: Column<ChannelRecipient>[] = [
    {
      title: "Name",
      cell: (channel) => <EntryLink path={channelPath(channel.id)} entry={channel} />,
    },
    { title: "Service", layout: "tight", cell: ({ type }) => channels.label(type) },
    { title: "State", cell: (channel) => <RecipientState recipient={channel} /> },
    {
      title: "Last message",
      cell({ id }) {
        const last = deliveries.log.list({ recipient: id }, 1)[0];
        if (last === undefined) return "none";
        return (
          <>
            <DeliveryBadge status={last.status} />{" "}
            <a href={deliveryPath(last)}>
              <Time at={last.createdAt} relative />
            </a>
          </>
        );
      },
    },
    { title: "Subscriptions", layout: "number", cell: ({ id }) => grouped(counts.get(id) ?? 0) },
  ];
  return (
    <Section title="Channels">
      <PagedTable
        caption="Channels"
        columns={columns}
        rowsIn={pagesOf(all)}
        total={all.length}
        perPage={perPage}
        path={notificationsPath}
        query={query}
        parameter="channels"
        empty="No channels yet."
      />
      <p class="after">
        <a href={messagesPath}>Message log</a> · <a href={`${messagesPath}?status=failed`}>Failed messages</a>
      </p>
    </Section>
  );
}
