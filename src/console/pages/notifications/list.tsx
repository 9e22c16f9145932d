import type { ChannelRecipient } from "../../../channels/all/channels.ts";
import { Badge, LinkButton, PageHead, Section, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { channelPath, deliveryPath, newChannelPath, notificationsPath } from "../../kit/paths.ts";
import { Empty, PagedTable, pagesOf, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { DeliveryBadge } from "../deliveries/delivery-parts.tsx";
import { RecipientState } from "../deliveries/recipient-state.tsx";

const perPage = 50;

export function listNotifications(context: Context<"channels" | "deliveries">): PageResult {
  const channels = context.services.channels.list();
  return page(
    "Notifications",
    <>
      <PageHead title="Notifications" lead="Messages to people: in chat, by email, or to a pager.">
        {channels.length === 0 ? null : (
          <LinkButton path={newChannelPath} label="Add channel" variant="outline" />
        )}
      </PageHead>
      {channels.length === 0 ? <FirstChannel /> : <ChannelList channels={channels} context={context} />}
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

function ChannelList({
  channels: all,
  context: { query, services },
}: {
  channels: readonly ChannelRecipient[];
  context: Context<"channels" | "deliveries">;
}) {
  const { channels, deliveries } = services;
  const columns: Column<ChannelRecipient>[] = [
    {
      title: "Name",
      cell: ({ id, name, origin }) => (
        <>
          <a href={channelPath(id)}>
            <Text text={name} />
          </a>
          {origin === "file" ? (
            <div>
              <Badge tone="neutral">configuration file</Badge>
            </div>
          ) : null}
        </>
      ),
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
            <a href={deliveryPath(last.id)}>
              <Time at={last.createdAt} relative />
            </a>
          </>
        );
      },
    },
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
        empty="No channels yet."
      />
    </Section>
  );
}
