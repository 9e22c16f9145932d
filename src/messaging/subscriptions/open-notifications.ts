import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { Channels } from "../channels/all/channels.ts";
import type { Deliveries } from "../deliveries/deliveries.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Enrichment } from "../../facts/enrichment/enrichment.ts";
import { createComposer } from "./composing/composer.ts";
import { createNextDue } from "./composing/next-due.ts";
import { createMessageRecorder } from "./composing/recording.ts";
import { createThreatStates } from "./composing/threat-states.ts";
import { createWording } from "./composing/wording.ts";
import { createActiveSubscriptions } from "./queue/active.ts";
import { createIncidents } from "./queue/incidents.ts";
import { createChangeObserver } from "./queue/observer.ts";
import { createQueue } from "./queue/queue.ts";
import { createSubscriptionStore } from "./subscriptions/store.ts";
import { createSubscriptions } from "./subscriptions/subscriptions.ts";
import { createSystemMessages } from "./system-messages.ts";

/** Messages to people: what each channel is sent, and when. */
export type Notifications = ReturnType<typeof openNotifications>;

/** Constructs the subscriptions of channels, and what composes their messages. */
export function openNotifications({
  auditLog,
  channels,
  clock,
  database,
  deliveries,
  domains,
  enrichment,
  ids,
  log,
  pause,
  publicUrl,
}: Needs<"clock" | "database" | "ids" | "log"> & {
  auditLog: AuditLog;
  channels: Channels;
  deliveries: Pick<Deliveries, "announcements" | "messages" | "observe">;
  domains: ProtectedDomains;
  enrichment: Pick<Enrichment, "enabledLookups" | "factsOf" | "isSettled">;
  /** Lets requests be served in between. */
  pause: () => Promise<void>;
  /** Returns the address of the console, without a trailing slash. */
  publicUrl: () => string;
}) {
  const { announcements, messages } = deliveries;
  const subscriptions = createSubscriptions({ auditLog, channels, clock, database, ids });
  const active = createActiveSubscriptions(database);
  const queue = createQueue(database);
  const incidents = createIncidents(database);
  const states = createThreatStates(database);
  const { enabledLookups } = enrichment;
  const looksUp = enabledLookups.names || enabledLookups.registration;
  const store = createSubscriptionStore(database);
  const composer = createComposer({
    clock,
    compose: createMessageRecorder({
      announcements,
      clock,
      database,
      ids,
      incidents,
      pause,
      queue,
      send: (message) => void messages.send(message),
      states,
      store,
      word: createWording({ clock, domains, factsOf: enrichment.factsOf, publicUrl, states }),
    }),
    database,
    log,
    nextDue: createNextDue({ isSettled: looksUp ? enrichment.isSettled : null, queue }),
    pause,
    queue,
    store,
  });
  const onQueued = () => database.afterCommit(composer.noteQueued);
  deliveries.observe(createChangeObserver({ active, announcements, incidents, onQueued, queue }));
  subscriptions.onChanged(composer.wake);

  return {
    subscriptions,
    system: createSystemMessages({ active, database, onQueued: composer.noteQueued, queue }),
    /** Starts to compose messages. To be called after the deliveries were started. */
    start: composer.start,
    stop: composer.stop,
    /** Resolves when no message is due. */
    settled: composer.settled,
    /** Number of changes that wait for a message, and of messages since the start. */
    totals: () => ({ queued: queue.count(), composed: composer.composed() }),
  };
}
