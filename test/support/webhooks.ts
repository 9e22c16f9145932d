import { join } from "node:path";
import type { Actor } from "../../src/access/audit/actor.ts";
import { createAuditLog } from "../../src/access/audit/audit-log.ts";
import { createWebhookChannel } from "../../src/messaging/channels/webhook/webhook-channel.ts";
import { createWebhooks } from "../../src/messaging/channels/webhook/webhooks.ts";
import type { Channel } from "../../src/messaging/deliveries/channel.ts";
import { createDeliveries, type DeliverySettings } from "../../src/messaging/deliveries/deliveries.ts";
import { specifiedRetryDelaysMs } from "../../src/messaging/deliveries/rules/retry-schedule.ts";
import { createOutbox } from "../../src/threats/events/outbox.ts";
import { events } from "../../src/threats/events/tables.ts";
import { systemClock, type Clock } from "../../src/platform/lib/clock.ts";
import { createIdFactory } from "../../src/platform/lib/ids.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { createSystemResolver } from "../../src/platform/network/dns/resolve-with-system.ts";
import type { ResolveHost } from "../../src/platform/network/resolve.ts";
import { createTurns } from "../../src/platform/network/turns.ts";
import type { EventType } from "../../src/platform/vocabulary/events.ts";
import { fillRandom, temporaryFolder } from "./appliance.ts";
import { openNewDatabase } from "./new-database.ts";

type Settings = DeliverySettings &
  Parameters<typeof createWebhookChannel>[0]["settings"] &
  Pick<Parameters<typeof createWebhookChannel>[0], "idleMax"> &
  Pick<Parameters<typeof createDeliveries>[0], "requestsMax" | "retention">;

const defaultSettings: Settings = {
  timeoutMs: 20_000,
  retryDelaysMs: specifiedRetryDelaysMs,
  retryJitter: 0,
  endpointConcurrency: 8,
  breaker: false,
  requestsMax: 4_096,
  idleMax: 256,
  allowHttp: true,
  allowPrivateNetworks: true,
  caFile: null,
  disableAfterMs: 5 * 86_400_000,
  retention: { eventsMs: 30 * 86_400_000, deliveriesMs: 30 * 86_400_000 },
};

const by: Actor = { channel: "command_line", name: "tester", address: null };

/** Opens deliveries with the webhook channel over a real database file. Changes are made by a test actor. */
export function openWebhooks({
  clock = systemClock,
  folder = temporaryFolder(),
  resolveHost = createSystemResolver({ clock: systemClock }),
  furtherChannels = [],
  ...given
}: Partial<Settings> & {
  clock?: Clock;
  folder?: ReturnType<typeof temporaryFolder>;
  resolveHost?: ResolveHost;
  /** Channels in addition to webhooks. */
  furtherChannels?: Channel[];
} = {}) {
  const settings = { ...defaultSettings, ...given };
  const database = openNewDatabase(join(folder.path, "phishwatch.db"));
  const ids = createIdFactory(clock.now, fillRandom);
  const outbox = createOutbox({ database, clock, ids });
  const auditLog = createAuditLog({ database, clock });
  const logLines: string[] = [];
  const log = createLog({ level: "info", format: "json", clock, write: (line) => void logLines.push(line) });
  const channel = createWebhookChannel({
    clock,
    idleMax: settings.idleMax,
    resolveHost,
    settings,
    signedAt: clock.now,
    turns: createTurns(),
    version: "0.0.0-test",
  });
  const deliveries = createDeliveries({
    auditLog,
    channels: [channel, ...furtherChannels],
    clock,
    database,
    ids,
    log,
    outbox,
    requestsMax: settings.requestsMax,
    retention: settings.retention,
    settings,
  });
  const { recipients, replay, dispatcher } = deliveries;
  const webhooks = createWebhooks({
    auditLog,
    channel,
    clock,
    database,
    fillRandom,
    ids,
    recipients,
  });
  const { endpoints } = webhooks;
  const recordAny = outbox.record as (type: EventType, data: object) => string;
  type Endpoints = typeof endpoints;
  return {
    ...deliveries,
    ...webhooks,
    endpoints: {
      ...endpoints,
      add: (endpoint: Parameters<Endpoints["add"]>[0]) => endpoints.add(endpoint, { by }),
      change: (key: string, changes: Parameters<Endpoints["change"]>[1]) =>
        endpoints.change(key, changes, { by }),
      disable: (key: string) => endpoints.disable(key, { by }),
      enable: (key: string) => endpoints.enable(key, { by }),
      remove: (key: string) => endpoints.remove(key, { by }),
      rotate: (key: string, rotation: { secret?: string; overlapMs?: number } = {}) =>
        endpoints.rotate(key, { ...rotation, by }),
      endRotation: (key: string) => endpoints.endRotation(key, { by }),
    },
    replay: {
      ...replay,
      redeliver: (id: string) => replay.redeliver(id, { by }),
      run: (request: Parameters<typeof replay.run>[0]) => replay.run(request, { by }),
    },
    folder,
    database,
    outbox,
    auditLog,
    ids,
    jsonLog: log,
    logLines,
    /** Records one event in a transaction of its own and returns its identifier. */
    record: (type: EventType = "threat.created", data: object = { threat: { id: "thr_1" } }) =>
      database.transaction(() => recordAny(type, data)),
    /** Records an event with any payload, in the caller's transaction. */
    recordAny,
    body: (eventId: string) =>
      database.query
        .select()
        .from(events)
        .all()
        .find((row) => row.id === eventId)!.body,
    /** Stops like a process that exits, and keeps the file. */
    async close() {
      await dispatcher.stop(1_000);
      channel.close?.();
      database.close();
    },
    async dispose() {
      await this.close();
      folder.dispose();
    },
  };
}

export type OpenWebhooks = ReturnType<typeof openWebhooks>;
