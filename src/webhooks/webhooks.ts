import type { Database } from "../database/database.ts";
import type { Outbox } from "../events/outbox.ts";
import type { Clock } from "../lib/clock.ts";
import type { FillRandom, IdFactory } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { createHttpClient } from "../network/http/http-client.ts";
import type { ResolveHost } from "../network/resolve.ts";
import { createSender } from "./attempt.ts";
import { createDeliveries, type Deliveries } from "./deliveries.ts";
import { createDestinations, type Destinations } from "./destination.ts";
import { createDispatcher, type Dispatcher } from "./dispatcher.ts";
import { createDueDeliveries } from "./due.ts";
import { createEndpointStore } from "./endpoint-store.ts";
import { createEndpoints, type Endpoints } from "./endpoints.ts";
import { createFanOut } from "./fan-out.ts";
import { createHealth } from "./health.ts";
import { createRecorder } from "./recorder.ts";
import { createReplay, type Replay } from "./replay.ts";
import { createRetention, type Retention } from "./retention.ts";
import { createTlsFiles } from "./tls-files.ts";

/** What the configuration says about webhooks as a whole. */
export interface WebhookSettings {
  timeoutMs: number;
  retryDelaysMs: readonly number[];
  /** Share of a delay that chance may add, 0 to 0.1. */
  retryJitter: number;
  endpointConcurrency: number;
  allowHttp: boolean;
  allowPrivateNetworks: boolean;
  caFile: string | null;
  /** Null: never. */
  disableAfterMs: number | null;
  retention: { eventsMs: number; deliveriesMs: number };
}

export interface Webhooks {
  endpoints: Endpoints;
  destinations: Destinations;
  deliveries: Deliveries;
  dispatcher: Dispatcher;
  replay: Replay;
  retention: Retention;
  /** Begins to deliver, and to delete what is old. */
  start(): void;
  /** Waits some seconds at most for what is under way. */
  stop(): Promise<void>;
}

/** The parts of this subject, put together. */
export function createWebhooks({
  clock,
  database,
  fillRandom,
  ids,
  log,
  outbox,
  resolveHost,
  settings,
  version,
}: {
  clock: Clock;
  database: Database;
  fillRandom: FillRandom;
  ids: IdFactory;
  log: Log;
  outbox: Outbox;
  resolveHost: ResolveHost;
  settings: WebhookSettings;
  version: string;
}): Webhooks {
  const { allowHttp, allowPrivateNetworks, caFile, disableAfterMs, endpointConcurrency, timeoutMs } =
    settings;
  const rules = { allowHttp, allowPrivateNetworks };
  const store = createEndpointStore({ database, clock, ids });
  const tlsFiles = createTlsFiles(caFile);
  const endpoints = createEndpoints({ database, clock, fillRandom, rules, store, tlsFiles });
  const client = createHttpClient({ rules, resolveHost });
  const send = createSender({ client, clock, version, timeoutMs, tlsFiles });
  const policy = { delaysMs: settings.retryDelaysMs, jitter: settings.retryJitter };
  const health = createHealth({ database, disableAfterMs });
  const dispatcher = createDispatcher({
    clock,
    database,
    due: createDueDeliveries({ database }),
    endpointConcurrency,
    endpoints,
    fanOut: createFanOut({ database, clock, ids }),
    ids,
    log,
    makeRecorder: (onRecorded) =>
      createRecorder({ database, clock, log, policy, health, random: randomShare(fillRandom), onRecorded }),
    outbox,
    policy,
    send,
  });
  const deliveries = createDeliveries({ database, clock, onDue: dispatcher.wake });
  const replay = createReplay({ clock, database, endpoints, ids, onDue: dispatcher.wake });
  const retention = createRetention({ clock, database, log, ...settings.retention });
  return {
    endpoints,
    destinations: createDestinations({ rules, resolveHost }),
    deliveries,
    dispatcher,
    replay,
    retention,
    start() {
      dispatcher.start();
      retention.start();
    },
    async stop() {
      await Promise.all([dispatcher.stop(), retention.stop()]);
      client.close();
    },
  };
}

function randomShare(fillRandom: FillRandom): () => number {
  const bytes = new Uint8Array(4);
  return () => {
    fillRandom(bytes);
    return new DataView(bytes.buffer).getUint32(0) / 2 ** 32;
  };
}
