import { join } from "node:path";
import { openDatabase } from "../../src/database/database.ts";
import { createOutbox } from "../../src/events/outbox.ts";
import { events } from "../../src/events/tables.ts";
import type { EventType } from "../../src/vocabulary/events.ts";
import { systemClock, type Clock } from "../../src/lib/clock.ts";
import { createIdFactory } from "../../src/lib/ids.ts";
import { createLog } from "../../src/lib/log.ts";
import { resolveWithSystem, type ResolveHost } from "../../src/network/resolve.ts";
import { createWebhooks, type WebhookSettings } from "../../src/webhooks/webhooks.ts";
import { specifiedRetryDelaysMs } from "../../src/webhooks/schedule.ts";
import { fillRandom, temporaryFolder } from "./appliance.ts";

const settingsOfTests: WebhookSettings = {
  timeoutMs: 2_000,
  retryDelaysMs: specifiedRetryDelaysMs,
  retryJitter: 0,
  endpointConcurrency: 8,
  allowHttp: true,
  allowPrivateNetworks: true,
  caFile: null,
  disableAfterMs: 5 * 86_400_000,
  retention: { eventsMs: 30 * 86_400_000, deliveriesMs: 30 * 86_400_000 },
};

/** Webhooks over a real database file. */
export function openWebhooks({
  clock = systemClock,
  folder = temporaryFolder(),
  resolveHost = resolveWithSystem,
  ...settings
}: Partial<WebhookSettings> & {
  clock?: Clock;
  folder?: ReturnType<typeof temporaryFolder>;
  resolveHost?: ResolveHost;
} = {}) {
  const database = openDatabase(join(folder.path, "phishwatch.db"));
  const ids = createIdFactory(clock.now, fillRandom);
  const outbox = createOutbox({ database, clock, ids });
  const logLines: string[] = [];
  const log = createLog({ level: "info", format: "json", clock, write: (line) => void logLines.push(line) });
  const webhooks = createWebhooks({
    clock,
    database,
    fillRandom,
    ids,
    log,
    outbox,
    resolveHost,
    settings: { ...settingsOfTests, ...settings },
    version: "0.0.0-test",
  });
  return {
    ...webhooks,
    folder,
    database,
    outbox,
    ids,
    logLines,
    /** Records one event in a transaction of its own; answers its identifier. */
    record: (type: EventType = "threat.created", data: object = { threat: { id: "thr_1" } }) =>
      database.transaction(() => outbox.record(type, data)),
    body: (eventId: string) =>
      database.query
        .select()
        .from(events)
        .all()
        .find((row) => row.id === eventId)!.body,
    /** Ends as a process would, leaving the file. */
    async close() {
      await webhooks.dispatcher.stop(1_000);
      database.close();
    },
    async dispose() {
      await this.close();
      folder.dispose();
    },
  };
}

export type OpenWebhooks = ReturnType<typeof openWebhooks>;
