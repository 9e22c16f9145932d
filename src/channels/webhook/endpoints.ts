import type { Actor } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Database } from "../../database/database.ts";
import { freeName } from "../../deliveries/recipient-rules.ts";
import type { Recipients } from "../../deliveries/recipients.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FillRandom, IdFactory } from "../../lib/ids.ts";
import { createEndpointAudit } from "./endpoint-audit.ts";
import {
  createEndpointStore,
  definedOf,
  enabledState,
  targetSettings,
  withoutPreviousSecret,
  withSecret,
} from "./endpoint-store.ts";
import {
  rotationOverlapMs,
  targetOf,
  toEndpoint,
  type DeclaredEndpoint,
  type Endpoint,
  type EndpointSettings,
  type NewEndpoint,
} from "./endpoint.ts";
import { reconcileEndpoints } from "./reconcile-endpoints.ts";
import { makeSecret } from "./signing.ts";
import { checkSecret } from "./target-rules.ts";

export interface Rotation {
  /** Default: generated. */
  secret?: string;
  /** How long the current secret continues to sign. Default: 24 hours. */
  overlapMs?: number;
}

/**
 * Administers the webhook endpoints. Every change is recorded in the audit log, and takes effect at once: in a
 * running server even if another process makes it.
 */
export interface Endpoints {
  /** Returns the endpoints, sorted by name. */
  list(): Endpoint[];
  find(idOrName: string): Endpoint | undefined;
  /** Like `find`. @throws PublicError `not_found` */
  get(idOrName: string): Endpoint;
  /** The secret is returned only here. @throws PublicError `bad_request` with what to change */
  add(endpoint: NewEndpoint, options: { by: Actor }): { endpoint: Endpoint; secret: string };
  /** @throws PublicError `bad_request`, also for an endpoint that the configuration file declares */
  change(idOrName: string, changes: Partial<EndpointSettings>, options: { by: Actor }): Endpoint;
  /** Stops deliveries. Pending deliveries stay queued. */
  disable(idOrName: string, options: { by: Actor }): Endpoint;
  enable(idOrName: string, options: { by: Actor }): Endpoint;
  /** Removes an endpoint and its deliveries. @throws PublicError like `change` */
  remove(idOrName: string, options: { by: Actor }): void;
  /** Replaces the secret. The current one also signs for `overlapMs`, so that receivers can switch in between. */
  rotate(idOrName: string, rotation: Rotation & { by: Actor }): { endpoint: Endpoint; secret: string };
  /** Stops the previous secret from signing. */
  endRotation(idOrName: string, options: { by: Actor }): Endpoint;
  /**
   * Makes the endpoints match the configuration file. Endpoints that are no longer declared are disabled, and a
   * changed secret is rotated.
   * @throws StartError for a declaration that is not valid
   */
  reconcile(declared: readonly DeclaredEndpoint[]): void;
}

export function createEndpoints({
  auditLog,
  clock,
  database,
  fillRandom,
  ids,
  recipients,
}: {
  auditLog: Pick<AuditLog, "record">;
  clock: Clock;
  database: Database;
  fillRandom: FillRandom;
  ids: IdFactory;
  recipients: Recipients;
}): Endpoints {
  const audit = createEndpointAudit(auditLog);
  const store = createEndpointStore({ clock, ids, recipients });

  return {
    list: () => store.list().map(toEndpoint),
    find(key) {
      const recipient = store.find(key);
      return recipient === undefined ? undefined : toEndpoint(recipient);
    },
    get: (key) => toEndpoint(store.get(key)),

    add: ({ name, secret = makeSecret(fillRandom), enabled = true, ...settings }, { by }) =>
      database.transaction(() => {
        const endpoint = store.insert(
          { ...settings, name: name ?? nameFor(settings.url, store.isTaken), secret },
          { origin: "runtime", ...(enabled ? { enabled } : store.disabledState("operator")) },
        );
        audit.added(by, endpoint);
        return { endpoint, secret };
      }),

    change: (key, { events, concurrency, ratePerSecond, ...changes }, { by }) =>
      database.transaction(() => {
        const recipient = store.getEditable(key);
        const before = toEndpoint(recipient);
        const target = { ...targetOf(before), ...targetSettings(changes) };
        const settings = definedOf({ events, concurrency, ratePerSecond });
        const after = toEndpoint(store.change(recipient, { ...settings, target }));
        audit.changed(by, before, after);
        return after;
      }),

    disable: (key, { by }) =>
      database.transaction(() => {
        const recipient = store.getEditable(key);
        if (!recipient.enabled) return toEndpoint(recipient);
        const after = toEndpoint(store.update(recipient, store.disabledState("operator")));
        audit.switched(by, toEndpoint(recipient), after);
        return after;
      }),

    enable: (key, { by }) =>
      database.transaction(() => {
        const recipient = store.get(key);
        if (recipient.disabledReason === "undeclared") store.getEditable(key);
        if (recipient.enabled) return toEndpoint(recipient);
        const after = toEndpoint(store.update(recipient, enabledState));
        audit.switched(by, toEndpoint(recipient), after);
        return after;
      }),

    remove(key, { by }) {
      const recipient = store.get(key);
      // An endpoint that is no longer declared belongs to nobody, so it can be removed here.
      if (recipient.disabledReason !== "undeclared") store.getEditable(key);
      store.update(recipient, store.disabledState("operator"));
      // The deliveries are deleted in several transactions, the endpoint and its audit entry in the last one.
      store.remove(recipient, () => audit.removed(by, toEndpoint(recipient)));
    },

    rotate: (key, { secret: given, overlapMs = rotationOverlapMs, by }) =>
      database.transaction(() => {
        const recipient = store.getEditable(key);
        const secret = given ?? makeSecret(fillRandom);
        const current = targetOf(toEndpoint(recipient));
        const target = withSecret(current, { secret: checkSecret(secret), overlapMs, now: clock.now() });
        const endpoint = toEndpoint(store.update(recipient, { target }));
        audit.rotated(by, endpoint, given !== undefined);
        return { endpoint, secret };
      }),

    endRotation: (key, { by }) =>
      database.transaction(() => {
        const recipient = store.get(key);
        const target = withoutPreviousSecret(targetOf(toEndpoint(recipient)));
        const endpoint = toEndpoint(store.update(recipient, { target }));
        audit.rotationEnded(by, endpoint);
        return endpoint;
      }),

    reconcile: (declared) =>
      database.transaction(() => reconcileEndpoints(declared, { audit, clock, store })),
  };
}

/** Returns a name that is not taken, made from the host of the URL. */
function nameFor(url: string, isTaken: (name: string) => boolean): string {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : "";
  // The URL is validated with the other settings.
  return freeName(host === "" ? "endpoint" : host, isTaken);
}
