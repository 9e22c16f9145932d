import type { Subscription } from "../../../../messaging/subscriptions/subscriptions/store.ts";
import { EntryLink } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { Text } from "../../kit/name.tsx";
import { channelPath, subscriptionPath } from "../../kit/paths.ts";
import { column, type Column } from "../../kit/table.tsx";
import { whatOf, whenOf } from "./sentence.ts";

/** Whether a subscription sends messages. */
export function SubscriptionState({
  subscription: { enabled, disabledReason, channel },
}: {
  subscription: Pick<Subscription, "enabled" | "disabledReason" | "channel">;
}) {
  if (!enabled)
    return (
      <>
        <StateMark tone="neutral" icon="pause">
          Disabled
        </StateMark>
        <p class="hide-s">
          {disabledReason === "undeclared" ? "no longer in the configuration file" : "paused by a person"}
        </p>
      </>
    );
  if (channel.enabled) return <StateMark tone="good">Enabled</StateMark>;
  return (
    <>
      <StateMark tone="warn">Waiting</StateMark>
      <p class="hide-s">the channel is disabled</p>
    </>
  );
}

const nameColumn: Column<Subscription> = column("Subscription", "title", (subscription) => (
  <EntryLink path={subscriptionPath(subscription.id)} entry={subscription} />
));
const contentColumns: Column<Subscription>[] = [
  column("Events", "wide under", (subscription) => whatOf(subscription)),
  column("When", "hidden", (subscription) => whenOf(subscription)),
];
const channelColumn: Column<Subscription> = column("Channel", "end", ({ channel: { id, name } }) => (
  <a href={channelPath(id)}>
    <Text text={name} />
  </a>
));
const stateColumn: Column<Subscription> = column("State", "state", (subscription) => (
  <SubscriptionState subscription={subscription} />
));

/** Columns of a table of subscriptions. */
export const subscriptionColumns = [nameColumn, ...contentColumns, channelColumn, stateColumn];
/** The same without the channel, for the page of a channel. */
export const columnsInChannel = [nameColumn, ...contentColumns, stateColumn];
