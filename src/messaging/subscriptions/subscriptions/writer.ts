import { count, eq } from "drizzle-orm";
import { differs } from "../../../access/entries/administration.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import type { Channels } from "../../channels/all/channels.ts";
import { matchesEverything } from "../../../threats/events/event-filter.ts";
import { badRequest, FieldError } from "../../../platform/lib/errors.ts";
import type { IdFactory } from "../../../platform/lib/ids.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { checkRules, checkSubscriptionName, idPrefix, type SubscriptionRules } from "./rules.ts";
import { rulesOf, type Subscription, type SubscriptionRow, type SubscriptionStore } from "./store.ts";
import { subscriptions } from "./tables.ts";

export interface SubscriptionSettings extends SubscriptionRules {
  /** Name or identifier of the channel. */
  channel: string;
}

/** Limits what one event can add to the queue in the transaction of the fan-out. */
const subscriptionsMax = 1_000;
const channelsNamedMax = 5;

/** Writes subscriptions, in the caller's transaction. @throws PublicError `bad_request` with what to change */
export function createSubscriptionWriter({
  channels,
  clock,
  database,
  ids,
  onChanged,
  store,
}: Needs<"clock" | "database"> & {
  channels: Pick<Channels, "find" | "list">;
  ids: Pick<IdFactory, "nextWithPrefix">;
  onChanged: () => void;
  store: SubscriptionStore;
}) {
  const { query } = database;

  function channelSeq(key: string): number {
    const channel = channels.find(key);
    if (channel !== undefined) return channel.seq;
    const names = channels.list().map(({ name }) => name);
    const known =
      names.length === 0
        ? "add a channel first"
        : `channels: ${names.slice(0, channelsNamedMax).join(", ")}${names.length > channelsNamedMax ? ", …" : ""}`;
    throw new FieldError("channel", `there is no channel ${visible(key, 100)}; ${known}`);
  }

  function insert(
    { name, channel, ...rules }: SubscriptionSettings & { name: string },
    {
      origin,
      enabled,
      disabledReason,
    }: Pick<SubscriptionRow, "origin" | "enabled"> & Partial<SubscriptionRow>,
  ): Subscription {
    checkSubscriptionName(name);
    const values = { ...checkRules(rules), recipientSeq: channelSeq(channel) };
    if (store.find(name) !== undefined)
      throw new FieldError("name", `the name ${visible(name, 100)} is already taken`);
    if (query.select({ total: count() }).from(subscriptions).get()!.total >= subscriptionsMax)
      throw badRequest(`there are already ${subscriptionsMax} subscriptions; remove one first`);
    const now = clock.now();
    const id = ids.nextWithPrefix(idPrefix);
    query
      .insert(subscriptions)
      .values({ id, name, ...values, origin, enabled, disabledReason, createdAt: now, updatedAt: now })
      .run();
    database.afterCommit(onChanged);
    return store.find(id)!;
  }

  function update(before: Subscription, values: Partial<SubscriptionRow>): Subscription {
    if (!differs(before, values)) return before;
    query
      .update(subscriptions)
      .set({ ...values, updatedAt: clock.now() })
      .where(eq(subscriptions.seq, before.seq))
      .run();
    database.afterCommit(onChanged);
    return store.find(before.id)!;
  }

  function change(before: Subscription, { channel, ...rules }: Partial<SubscriptionSettings>): Subscription {
    const after = update(before, {
      ...checkRules({ ...rulesOf(before), ...rules }),
      ...(channel === undefined ? {} : { recipientSeq: channelSeq(channel) }),
    });
    const wasSentAll =
      before.enabled && before.events.includes("threat.created") && matchesEverything(before.filter);
    if (wasSentAll && !matchesEverything(after.filter))
      store.rememberSent(before, { recipientSeq: after.recipientSeq, now: clock.now() });
    return after;
  }

  return { insert, change, update };
}
