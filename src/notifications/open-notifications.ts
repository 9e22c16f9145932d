import type { AuditLog } from "../access/audit/audit-log.ts";
import type { Channels } from "../channels/all/channels.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { IdFactory } from "../lib/ids.ts";
import { createSubscriptions, type Subscriptions } from "./subscriptions/subscriptions.ts";

/** Messages to people: what each channel is sent, and when. */
export interface Notifications {
  subscriptions: Subscriptions;
  /** Makes channels and subscriptions match the configuration file. @throws StartError */
  reconcile(config: Pick<Config, "channels" | "subscriptions">): void;
}

/** Constructs the subscriptions of channels. */
export function openNotifications({
  auditLog,
  channels,
  clock,
  database,
  ids,
}: {
  auditLog: AuditLog;
  channels: Channels;
  clock: Clock;
  database: Database;
  ids: IdFactory;
}): Notifications {
  const subscriptions = createSubscriptions({ auditLog, channels, clock, database, ids });
  return {
    subscriptions,
    reconcile(config) {
      channels.reconcile(config.channels);
      subscriptions.reconcile(config.subscriptions);
    },
  };
}
