import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { Channels } from "../../channels/all/channels.ts";
import { isUndeclared, requireEditable } from "../../../platform/config/declared.ts";
import type { SubscriptionConfig } from "../../../platform/config/sections/notifications.ts";
import { noFilter } from "../../../threats/events/event-filter.ts";
import type { IdFactory } from "../../../platform/lib/ids.ts";
import { createSubscriptionAudit } from "./audit.ts";
import { createDeclarations } from "./declarations.ts";
import { createRemoval } from "./removal.ts";
import type { SubscriptionRules } from "./rules.ts";
import { createSubscriptionStore, type Subscription } from "./store.ts";
import { createSubscriptionWriter, enabledState, type SubscriptionSettings } from "./writer.ts";

export interface NewSubscription extends Partial<SubscriptionSettings> {
  name: string;
  channel: string;
  /** Default: enabled. */
  enabled?: boolean;
}

/**
 * Administers subscriptions. Every change is recorded in the audit log, and takes effect at once: in a running server
 * even if another process makes it.
 */
export interface Subscriptions {
  /** Returns the subscriptions, sorted by name. */
  list(): Subscription[];
  find(idOrName: string): Subscription | undefined;
  /** Like `find`. @throws PublicError `not_found` */
  get(idOrName: string): Subscription;
  /** Settings that are absent have the defaults of the configuration file. @throws PublicError `bad_request` with what to change */
  add(subscription: NewSubscription, options: { by: Actor }): Subscription;
  /** @throws PublicError `bad_request`, also for a subscription that the configuration file declares */
  change(idOrName: string, settings: Partial<SubscriptionSettings>, options: { by: Actor }): Subscription;
  /** Stops messages, also of a declared subscription, until it is enabled. What waits for a message is dropped. */
  disable(idOrName: string, options: { by: Actor }): Subscription;
  enable(idOrName: string, options: { by: Actor }): Subscription;
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

  const { get, editable } = store;
  const audit = createSubscriptionAudit(auditLog);
  const declarations = createDeclarations({ audit, store, writer });

  const removal = createRemoval({ audit, database, onChanged, store, writer });
  channels.addDependents(removal.ofChannel);

  return {
    list: store.list,
    find: store.find,
    get,

    add: ({ name, enabled = true, ...given }, { by }) =>
      database.transaction(() => {
        const state = enabled ? enabledState : { enabled, disabledReason: "operator" as const };
        const added = writer.insert(
          name,
          { ...defaults, ...definedOf(given), channel: given.channel },
          { origin: "runtime", ...state },
        );
        audit.added(by, added);
        return added;
      }),

    change: (key, settings, { by }) =>
      database.transaction(() => {
        const before = editable(key);
        const after = writer.changeSettings(before, definedOf(settings));
        audit.changed(by, before, after);
        return after;
      }),

    disable: (key, { by }) =>
      database.transaction(() => {
        const before = get(key);
        if (!before.enabled) return before;
        const after = writer.update(before, writer.disabledState(before, "operator"));
        audit.switched(by, before, after);
        return after;
      }),

    enable: (key, { by }) =>
      database.transaction(() => {
        const before = get(key);
        if (isUndeclared(before)) requireEditable(before);
        if (before.enabled) return before;
        const after = writer.update(before, enabledState);
        audit.switched(by, before, after);
        return after;
      }),

    remove: removal.remove,

    reconcile: (declared) => database.transaction(() => declarations.apply(declared)),
    onChanged: (listener) => void listeners.push(listener),
  };
}

/** Leaves out properties that are undefined. */
function definedOf<T extends object>(settings: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}
