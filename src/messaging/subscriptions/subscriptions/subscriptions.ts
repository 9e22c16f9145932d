import { eq } from "drizzle-orm";
import {
  createEntryAdministration,
  definedOf,
  type EntryAdministration,
} from "../../../access/entries/administration.ts";
import type { AuditDetail } from "../../../access/audit/actions.ts";
import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { Channels } from "../../channels/all/channels.ts";
import type { Dependents } from "../../deliveries/administration/recipient-administration.ts";
import { isDeclared } from "../../../platform/config/declared.ts";
import type { SubscriptionConfig } from "../../../platform/config/sections/notifications.ts";
import { noFilter } from "../../../threats/events/event-filter.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import type { IdFactory } from "../../../platform/lib/ids.ts";
import { timeOfDay, type SubscriptionRules } from "./rules.ts";
import { createSubscriptionStore, rulesOf, type Subscription } from "./store.ts";
import { subscriptions } from "./tables.ts";
import { createSubscriptionWriter, type SubscriptionSettings } from "./writer.ts";

export interface NewSubscription extends Partial<SubscriptionSettings> {
  name: string;
  channel: string;
  /** Default: enabled. */
  enabled?: boolean;
}

/**
 * Administers subscriptions. Settings that are absent from a new one have the defaults of the configuration file.
 * Disabling one stops its messages, and drops what waits for the next message.
 */
export interface Subscriptions extends EntryAdministration<
  Subscription,
  NewSubscription,
  Partial<SubscriptionSettings>
> {
  /** @throws PublicError like `change` */
  remove(idOrName: string, options: { by: Actor }): Promise<void>;
  /**
   * Makes the subscriptions match the configuration file. Those that are no longer declared are disabled. The channels
   * must match it already.
   * @throws StartError for a declaration that is not valid
   */
  reconcile(declared: readonly SubscriptionConfig[]): void;
  /** Calls `listener` after each commit of this process that changed a subscription. */
  onChanged(listener: () => void): void;
}

const defaults: SubscriptionRules = {
  events: ["threat.created"],
  filter: noFilter,
  digest: "none",
  at: 8 * 60,
  weekdays: [],
  timeZone: "UTC",
  quietHours: null,
};

export function createSubscriptions({
  auditLog,
  channels,
  clock,
  database,
  ids,
}: Needs<"auditLog" | "clock" | "database"> & {
  channels: Pick<Channels, "addDependents" | "find" | "list">;
  ids: Pick<IdFactory, "nextWithPrefix">;
}): Subscriptions {
  const store = createSubscriptionStore(database);
  const listeners: (() => void)[] = [];
  const onChanged = () => {
    for (const listener of listeners) listener();
  };
  const writer = createSubscriptionWriter({ channels, clock, database, ids, onChanged, store });
  const entries = createEntryAdministration<Subscription, SubscriptionSettings, SubscriptionConfig>({
    auditLog,
    database,
    kind: {
      noun: "subscription",
      configKey: "subscriptions",
      store: { list: store.list, find: store.find, ...writer },
      settingsOf: ({ name: _name, ...settings }) => settings,
      // Marks everything that waits as done. The server deletes the rows.
      disabledValues: (one) =>
        one === undefined ? {} : { consumedSeq: Math.max(one.consumedSeq, store.lastQueued(one.seq)) },
      audit: {
        action: (change) => `subscription.${change as Exclude<typeof change, "rotate">}`,
        describe,
        compared: (one) => ({ ...rulesOf(one), channel: one.channel.id, origin: one.origin }),
      },
    },
  });

  async function remove(key: string, { by }: { by: Actor }): Promise<void> {
    const removed = await database.write(() => entries.retire(entries.removable(key)));
    await store.clear(removed);
    await database.write(
      () => {
        database.query.delete(subscriptions).where(eq(subscriptions.seq, removed.seq)).run();
        entries.recordRemoval(by, removed);
        database.afterCommit(onChanged);
      },
      { patient: true },
    );
  }

  const listOf = (channelSeq: number) =>
    store.list().filter(({ recipientSeq }) => recipientSeq === channelSeq);
  /** Subscriptions of a channel that is being removed. */
  const ofChannel: Dependents = {
    checkRemovable(channelSeq) {
      const declared = listOf(channelSeq).find(isDeclared);
      if (declared !== undefined)
        throw badRequest(
          `its subscription ${declared.name} is declared in the configuration file; remove it there first`,
        );
    },
    async remove(channelSeq, options) {
      for (const { id } of listOf(channelSeq)) await remove(id, options);
    },
  };
  channels.addDependents(ofChannel);

  return {
    ...entries,
    add: ({ name, channel, enabled, ...given }, options) =>
      entries.add({ ...defaults, ...definedOf(given), name, channel, enabled }, options),
    change: (key, settings, options) => entries.change(key, definedOf(settings), options),
    remove,
    onChanged: (listener) => void listeners.push(listener),
  };
}

function describe({ channel, events, digest, at }: Subscription): AuditDetail {
  return { channel: channel.name, events, digest: digest === "daily" ? `daily at ${timeOfDay(at)}` : digest };
}
