import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import { createDeliveries } from "../../deliveries/deliveries.ts";
import type { Outbox } from "../../events/outbox.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FillRandom, IdFactory } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import { connectionLimits, descriptorLimit } from "../../network/descriptors.ts";
import { createSystemResolver } from "../../network/dns/resolve-with-system.ts";
import type { Turns } from "../../network/turns.ts";
import { createWebhookChannel } from "./webhook-channel.ts";
import { createWebhooks } from "./webhooks.ts";

/** Constructs the webhook channel, and the deliveries through it. */
export function openWebhooks({
  auditLog,
  clock,
  config,
  database,
  fillRandom,
  ids,
  log,
  outbox,
  turns,
  version,
}: {
  auditLog: AuditLog;
  clock: Clock;
  config: Pick<Config, "retention" | "webhooks">;
  database: Database;
  fillRandom: FillRandom;
  ids: IdFactory;
  log: Log;
  outbox: Outbox;
  turns: Turns;
  version: string;
}) {
  const sending = { ...config.webhooks, ...connectionLimits(descriptorLimit()) };
  const resolveHost = createSystemResolver({ clock });
  const channel = createWebhookChannel({ clock, resolveHost, settings: sending, turns, version });
  const deliveries = createDeliveries({
    auditLog,
    channels: [channel],
    clock,
    database,
    fillRandom,
    ids,
    log,
    outbox,
    settings: { ...sending, concurrency: sending.endpointConcurrency, retention: config.retention },
  });
  const { recipients } = deliveries;
  const webhooks = createWebhooks({ auditLog, channel, clock, database, fillRandom, ids, recipients });
  return { deliveries, webhooks };
}
