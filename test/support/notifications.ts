import { join } from "node:path";
import type { Actor } from "../../src/access/audit/actor.ts";
import { createAuditLog } from "../../src/access/audit/audit-log.ts";
import { createChannels } from "../../src/channels/all/channels.ts";
import type { NoticeChannel } from "../../src/channels/http/notice-channel.ts";
import { channelTraits } from "../../src/channels/http/channel-traits.ts";
import type { ChannelTarget } from "../../src/channels/http/notice-type.ts";
import { openDatabase } from "../../src/database/database.ts";
import type { Channel, Message } from "../../src/deliveries/channel.ts";
import { createDeliveries } from "../../src/deliveries/deliveries.ts";
import { createOutbox } from "../../src/events/outbox.ts";
import { createIdFactory } from "../../src/lib/ids.ts";
import { createLog } from "../../src/lib/log.ts";
import { openNotifications } from "../../src/notifications/open-notifications.ts";
import type { ChannelType } from "../../src/vocabulary/channels.ts";
import { fillRandom, manualClock, temporaryFolder, type ManualClock } from "./appliance.ts";

export const by: Actor = { channel: "command_line", name: "tester", address: null };

/** Opens notifications over a real database file, with channels that only keep what they are sent. */
export function openNotificationsWorld({
  clock = manualClock(),
  folder = temporaryFolder(),
}: { clock?: ManualClock; folder?: ReturnType<typeof temporaryFolder> } = {}) {
  const database = openDatabase(join(folder.path, "phishwatch.db"));
  const ids = createIdFactory(clock.now, fillRandom);
  const auditLog = createAuditLog({ database, clock });
  const log = createLog({ level: "silent", format: "json", clock, write: () => {} });
  const outbox = createOutbox({ database, clock, ids });
  const sent: { type: ChannelType; message: Message }[] = [];
  const services: NoticeChannel[] = (["slack", "pagerduty"] as const).map((type) => ({
    type,
    label: type,
    channel: keepingChannel(type, (message) => void sent.push({ type, message })),
  }));
  const deliveries = createDeliveries({
    auditLog,
    channels: services.map(({ channel }) => channel),
    clock,
    database,
    fillRandom,
    ids,
    log,
    outbox,
    settings: {
      retryDelaysMs: [60_000],
      retryJitter: 0,
      concurrency: 8,
      breaker: false,
      requestsMax: 64,
      disableAfterMs: null,
      retention: { eventsMs: 30 * 86_400_000, deliveriesMs: 30 * 86_400_000 },
    },
  });
  const channels = createChannels({
    auditLog,
    clock,
    database,
    ids,
    publicUrl: () => "https://phishwatch.example",
    recipients: deliveries.recipients,
    services,
  });
  const notifications = openNotifications({ auditLog, channels, clock, database, ids });
  return {
    auditLog,
    channels,
    clock,
    database,
    deliveries,
    folder,
    notifications,
    outbox,
    sent,
    addChannel: (name: string, type: "slack" | "pagerduty" = "slack") =>
      channels.add(
        {
          name,
          type,
          target: type === "slack" ? { url: "https://chat.example/hook" } : { routingKey: "key" },
        },
        { by },
      ),
    dispose() {
      database.close();
      folder.dispose();
    },
  };
}

function keepingChannel(kind: ChannelType, keep: (message: Message) => void): Channel<ChannelTarget> {
  return {
    kind,
    recipients: channelTraits,
    subscribesToEvents: false,
    failures: {},
    validate: (target) => target,
    async send(_target, message) {
      keep(message);
      return {
        startedAt: 0,
        durationMs: 0,
        failure: null,
        error: null,
        response: "",
        statusCode: 200,
        address: null,
        phases: {},
        retryAfterMs: undefined,
      };
    },
  };
}
