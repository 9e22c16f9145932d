import { join } from "node:path";
import type { Actor } from "../../src/access/audit/actor.ts";
import { createAuditLog } from "../../src/access/audit/audit-log.ts";
import { createChannels } from "../../src/messaging/channels/all/channels.ts";
import type { NoticeChannel } from "../../src/messaging/channels/http/notice-channel.ts";
import { channelTraits } from "../../src/messaging/channels/http/channel-traits.ts";
import type { ChannelTarget } from "../../src/messaging/channels/http/notice-type.ts";
import type { Channel, Message } from "../../src/messaging/deliveries/channel.ts";
import { createDeliveries } from "../../src/messaging/deliveries/deliveries.ts";
import { createOutbox } from "../../src/threats/events/outbox.ts";
import { createProtectedDomains } from "../../src/threats/domains/domains.ts";
import type { Notice } from "../../src/messaging/content/notice.ts";
import type { NewSubscription } from "../../src/messaging/subscriptions/subscriptions/subscriptions.ts";
import type { Sighting } from "../../src/threats/threats/record.ts";
import { createThreats } from "../../src/threats/threats/threats.ts";
import { createIdFactory } from "../../src/platform/lib/ids.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { openNotifications } from "../../src/messaging/subscriptions/open-notifications.ts";
import type { ChannelType } from "../../src/platform/vocabulary/channels.ts";
import { fillRandom, manualClock, temporaryFolder, type ManualClock } from "./appliance.ts";
import { openNewDatabase } from "./new-database.ts";
import { caseSettings } from "./stores.ts";

export const by: Actor = { channel: "command_line", name: "tester", address: null };

/** Opens notifications over a real database file, with channels that only keep what they are sent. */
export function openNotificationsWorld({
  clock = manualClock(),
  folder = temporaryFolder(),
  lookups = false,
}: { clock?: ManualClock; lookups?: boolean; folder?: ReturnType<typeof temporaryFolder> } = {}) {
  const database = openNewDatabase(join(folder.path, "phishwatch.db"));
  const ids = createIdFactory(clock.now, fillRandom);
  const auditLog = createAuditLog({ database, clock });
  const log = createLog({ level: "silent", format: "json", clock, write: () => {} });
  const outbox = createOutbox({ database, clock, ids });
  /** Threats whose lookups have ended, if lookups are enabled. */
  let names = 0;
  const settledThreats = new Set<string>();
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
    ids,
    log,
    outbox,
    settings: {
      retryDelaysMs: [60_000],
      retryJitter: 0,
      endpointConcurrency: 8,
      breaker: false,
      disableAfterMs: null,
    },
    requestsMax: 64,
    retention: { eventsMs: 30 * 86_400_000, deliveriesMs: 30 * 86_400_000 },
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
  const domains = createProtectedDomains({
    database,
    clock,
    ids,
    log,
    auditLog,
    detection: { minSimilarity: 0.75 },
  });
  domains.reconcile([{ domain: "example-bank.com" }, { domain: "example-shop.com" }]);
  const threats = createThreats({
    database,
    clock,
    ids,
    log,
    outbox,
    auditLog,
    fillRandom,
    cases: caseSettings,
    detection: { reactivate: true },
  });
  const notifications = openNotifications({
    auditLog,
    channels,
    clock,
    database,
    deliveries,
    domains,
    enrichment: {
      enabledLookups: { names: lookups, registration: lookups },
      factsOf: () => undefined,
      isSettled: (id) => settledThreats.has(id),
    },
    ids,
    log,
    pause: () => new Promise<void>((resolve) => void setImmediate(resolve)),
    publicUrl: () => "https://watch.example",
  });
  /** Lets everything happen that is due. */
  async function settle(): Promise<void> {
    await deliveries.dispatcher.settled();
    await notifications.settled();
    await deliveries.dispatcher.settled();
  }
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
    settle,
    settledThreats,
    threats,
    /** Titles of the messages that were sent since the last call. */
    titles: () => sent.splice(0).map(({ message }) => (JSON.parse(message.body) as Notice).title),
    /** Messages that were sent since the last call. */
    notices: () => sent.splice(0).map(({ message }) => JSON.parse(message.body) as Notice),
    async pass(ms: number) {
      await settle();
      clock.advance(ms);
      await settle();
    },
    /** Lets a long time pass in one step. */
    async skip(ms: number) {
      await settle();
      clock.jump(ms);
      await settle();
    },
    start() {
      deliveries.start();
      notifications.start();
    },
    /** Records a new threat. A similarity of 0.97 is high, 0.9 medium and 0.8 low. */
    record(
      domain: string,
      { similarity = 0.97, protectedDomain = "example-bank.com", ...origin }: ThreatOptions = {},
    ): string {
      const type = similarity >= 0.95 ? ("homograph" as const) : ("typosquatting" as const);
      const match = { protectedDomain, type, similarity, reasons: [] };
      const sighting: Sighting = { domain, match, source: "feed", seenAt: clock.now(), ...origin };
      return threats.record([sighting])[0]!.threatId;
    },
    /** Lookups find a page that asks for a password, so that the severity rises; or that there is no such name. */
    find(id: string, found: "password" | "nothing" | "name") {
      const page = {
        asksForPassword: true,
        asksForCard: false,
        namesBrand: true,
        redirectsToProtected: false,
      };
      const evidence =
        found === "nothing"
          ? { exists: "no" as const }
          : {
              exists: "yes" as const,
              ...(found === "password" ? { page: { ...page, visualSimilarity: undefined } } : {}),
            };
      threats.updateFacts(id, { ipAddress: null, registrar: null, whois: {}, evidence }, []);
      deliveries.dispatcher.wake();
    },
    resolve: (...threatIds: string[]) => void threats.changeStatus(threatIds, "resolved", { by }),
    subscribe: (settings: Partial<NewSubscription> = {}) =>
      notifications.subscriptions.add(
        { name: `subscription ${(names += 1)}`, channel: "chat", ...settings },
        { by },
      ),
    queued: () => notifications.totals().queued,
    /** Stops like a process that exits, and keeps the file. */
    async stop() {
      await notifications.stop();
      await deliveries.stop();
      database.close();
    },
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

interface ThreatOptions {
  similarity?: number;
  protectedDomain?: string;
  importSeq?: number;
  scanSeq?: number;
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
