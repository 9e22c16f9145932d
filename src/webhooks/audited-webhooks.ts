import { configurationFile, type Actor } from "../access/audit/actor.ts";
import type { AuditDetail } from "../access/audit/actions.ts";
import { changesBetween, type AuditLog } from "../access/audit/audit-log.ts";
import type { Database } from "../database/database.ts";
import { toIsoTime } from "../lib/clock.ts";
import type { AttemptResult } from "./attempt.ts";
import type { Deliveries, Delivery } from "./deliveries.ts";
import type { EndpointSettings } from "./endpoint-rules.ts";
import type { Endpoint } from "./endpoint-store.ts";
import type { Endpoints, NewEndpoint } from "./endpoints.ts";
import type { Replay, ReplayRequest } from "./replay.ts";
import type { Webhooks } from "./webhooks.ts";

type Rotation = Parameters<Endpoints["rotate"]>[1];

export interface AuditedEndpoints extends Omit<
  Endpoints,
  "add" | "change" | "disable" | "enable" | "remove" | "rotate" | "endRotation"
> {
  add(endpoint: NewEndpoint, by: Actor): { endpoint: Endpoint; secret: string };
  change(idOrName: string, changes: Partial<EndpointSettings>, by: Actor): Endpoint;
  disable(idOrName: string, by: Actor): Endpoint;
  enable(idOrName: string, by: Actor): Endpoint;
  remove(idOrName: string, by: Actor): void;
  rotate(idOrName: string, options: Rotation, by: Actor): { endpoint: Endpoint; secret: string };
  endRotation(idOrName: string, by: Actor): Endpoint;
}

/** Webhooks, for those who administer them: each act is written to the audit log with who did it. */
export interface AuditedWebhooks extends Omit<Webhooks, "endpoints" | "deliveries" | "replay"> {
  endpoints: AuditedEndpoints;
  deliveries: Omit<Deliveries, "redeliver"> & { redeliver(id: string, by: Actor): Delivery };
  replay: Omit<Replay, "run"> & { run(request: ReplayRequest, by: Actor): Promise<number> };
  /** Sends a ping for its own sake; the one that follows an addition or a change belongs to that. */
  test(endpoint: Endpoint, by: Actor): Promise<AttemptResult>;
}

export function auditWebhooks({
  webhooks,
  auditLog,
  database,
}: {
  webhooks: Webhooks;
  auditLog: AuditLog;
  database: Database;
}): AuditedWebhooks {
  const { endpoints, deliveries, replay } = webhooks;

  return {
    ...webhooks,
    endpoints: {
      ...endpoints,
      add: (wanted, by) =>
        database.transaction(() => {
          const added = endpoints.add(wanted);
          auditLog.record(by, "webhook.add", subjectOf(added.endpoint), contentOf(added.endpoint));
          return added;
        }),
      change: (key, changes, by) =>
        database.transaction(() => {
          const was = endpoints.get(key);
          const is = endpoints.change(key, changes);
          const changed = differing(was, is);
          if (changed.length > 0)
            auditLog.record(by, "webhook.change", subjectOf(is), { changed, ...contentOf(is) });
          return is;
        }),
      disable: (key, by) => switched(key, () => endpoints.disable(key), by),
      enable: (key, by) => switched(key, () => endpoints.enable(key), by),
      remove(key, by) {
        // In no transaction: its deliveries go in several.
        const endpoint = endpoints.get(key);
        endpoints.remove(key);
        auditLog.record(by, "webhook.remove", subjectOf(endpoint), contentOf(endpoint));
      },
      rotate: (key, options, by) =>
        database.transaction(() => {
          const rotated = endpoints.rotate(key, options);
          const { previousSecretUntil: until } = rotated.endpoint;
          auditLog.record(by, "webhook.rotate", subjectOf(rotated.endpoint), {
            given: options?.secret !== undefined,
            previous_signs_until: until === null ? null : toIsoTime(until),
          });
          return rotated;
        }),
      endRotation: (key, by) =>
        database.transaction(() => {
          const endpoint = endpoints.endRotation(key);
          auditLog.record(by, "webhook.end_rotation", subjectOf(endpoint));
          return endpoint;
        }),
      reconcile: (declared) =>
        database.transaction(() => {
          const before = endpoints.list();
          endpoints.reconcile(declared);
          for (const { was, is } of changesBetween(before, endpoints.list(), ({ id }) => id)) {
            if (is !== undefined) recordDeclared(was, is);
          }
        }),
    },
    deliveries: {
      ...deliveries,
      redeliver: (id, by) =>
        database.transaction(() => {
          const delivery = deliveries.redeliver(id);
          const { endpointName: endpoint, eventId: event } = delivery;
          auditLog.record(by, "webhook.redeliver", id, { endpoint, event });
          return delivery;
        }),
    },
    test(endpoint, by) {
      auditLog.record(by, "webhook.test", subjectOf(endpoint));
      return webhooks.dispatcher.test(endpoint);
    },
    replay: {
      ...replay,
      async run(request, by) {
        const made = await replay.run(request);
        const { which, endpoint, since } = request;
        const subject = endpoint === undefined ? null : subjectOf(endpoints.get(endpoint));
        auditLog.record(by, "webhook.replay", subject, {
          which,
          since: since === 0 ? null : toIsoTime(since),
          deliveries: made,
        });
        return made;
      },
    },
  };

  function switched(key: string, work: () => Endpoint, by: Actor): Endpoint {
    return database.transaction(() => {
      const was = endpoints.get(key).enabled;
      const endpoint = work();
      if (endpoint.enabled !== was)
        auditLog.record(by, endpoint.enabled ? "webhook.enable" : "webhook.disable", subjectOf(endpoint));
      return endpoint;
    });
  }

  function recordDeclared(was: Endpoint | undefined, is: Endpoint): void {
    const subject = subjectOf(is);
    if (was === undefined) return auditLog.record(configurationFile, "webhook.add", subject, contentOf(is));
    const changed = differing(was, is);
    if (is.secret !== was.secret) auditLog.record(configurationFile, "webhook.rotate", subject);
    if (changed.length > 0)
      auditLog.record(configurationFile, "webhook.change", subject, { changed, ...contentOf(is) });
    if (was.enabled !== is.enabled)
      auditLog.record(configurationFile, is.enabled ? "webhook.enable" : "webhook.disable", subject);
  }
}

function subjectOf({ id, name }: Endpoint): string {
  return `${name} (${id})`;
}

/** Never a secret: a URL's path and a header's value may be one. */
function contentOf({ url, events, headers }: Endpoint): AuditDetail {
  return { host: new URL(url).host, events, headers: Object.keys(headers) };
}

const settings = [
  "url",
  "events",
  "headers",
  "concurrency",
  "ratePerSecond",
  "caFile",
  "clientCertFile",
  "clientKeyFile",
  "origin",
] as const;

/** The names of the settings that differ. */
function differing(was: Endpoint, is: Endpoint): string[] {
  return settings.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
}
