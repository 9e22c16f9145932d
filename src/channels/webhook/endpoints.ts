import type { Actor } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Database } from "../../database/database.ts";
import { checkName, freeName } from "../../deliveries/recipient-rules.ts";
import type { NewRecipient, Recipient, Recipients } from "../../deliveries/recipients.ts";
import type { Clock, Instant } from "../../lib/clock.ts";
import { badRequest, notFound, PublicError, StartError } from "../../lib/errors.ts";
import type { FillRandom, IdFactory } from "../../lib/ids.ts";
import { visible } from "../../lib/safe-text.ts";
import { createEndpointAudit } from "./endpoint-audit.ts";
import {
  targetOf,
  toEndpoint,
  webhookKind,
  type DeclaredEndpoint,
  type Endpoint,
  type EndpointSettings,
  type NewEndpoint,
  type WebhookTarget,
} from "./endpoint.ts";
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

export const rotationOverlapMs = 86_400_000;

const defaults = { events: [], headers: {}, concurrency: null, ratePerSecond: null };
const noFiles = { caFile: null, clientCertFile: null, clientKeyFile: null };
const noPreviousSecret = { previousSecret: null, previousSecretUntil: null };
const enabledState = { enabled: true, disabledReason: null, consecutiveFailures: 0, failingSince: null };

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
  const list = () => recipients.list(webhookKind);
  const disabledState = (reason: Endpoint["disabledReason"]) => ({
    enabled: false,
    disabledReason: reason,
    disabledAt: clock.now(),
  });

  function get(key: string): Recipient {
    const recipient = recipients.find(webhookKind, key);
    if (recipient === undefined) throw notFound(`there is no endpoint ${visible(key, 100)}`);
    return recipient;
  }

  function editable(key: string): Recipient {
    const recipient = get(key);
    if (recipient.origin === "file")
      throw badRequest(`${recipient.name} is declared in the configuration file; change it there`);
    return recipient;
  }

  function insert(
    { name, secret, ...settings }: NewEndpoint & { name: string; secret: string },
    state: Pick<NewRecipient, "origin" | "enabled" | "disabledReason" | "disabledAt">,
  ): Endpoint {
    const { url, headers, caFile, clientCertFile, clientKeyFile, events, concurrency, ratePerSecond } = {
      ...defaults,
      ...noFiles,
      ...settings,
    };
    const target = {
      url,
      headers,
      secret,
      caFile,
      clientCertFile,
      clientKeyFile,
      ...noPreviousSecret,
    };
    return toEndpoint(
      recipients.insert({
        id: ids.next("endpoint"),
        name: checkEndpointName(name),
        channel: webhookKind,
        target,
        events,
        concurrency,
        ratePerSecond,
        ...state,
      }),
    );
  }

  /** Adds or updates an endpoint that the configuration file declares. */
  function declare(declared: DeclaredEndpoint): void {
    const present = recipients.find(webhookKind, checkEndpointName(declared.name));
    if (present === undefined)
      return audit.declared(undefined, insert(declared, { origin: "file", enabled: true }));
    const before = toEndpoint(present);
    const { secret, ...settings } = { ...defaults, ...noFiles, ...declared };
    const target = withSecret(
      { ...targetOf(before), ...targetSettings(settings) },
      secret,
      rotationOverlapMs,
      clock.now(),
    );
    const changed = recipients.change(present, { ...settings, target });
    // An endpoint that was disabled for failing stays disabled until its URL changes or someone enables it.
    const staysDisabled = before.disabledReason === "failing" && before.url === toEndpoint(changed).url;
    const after = recipients.update(changed, {
      origin: "file",
      ...(before.enabled || staysDisabled ? {} : enabledState),
    });
    audit.declared(before, toEndpoint(after));
  }

  return {
    list: () => list().map(toEndpoint),
    find(key) {
      const recipient = recipients.find(webhookKind, key);
      return recipient === undefined ? undefined : toEndpoint(recipient);
    },
    get: (key) => toEndpoint(get(key)),

    add: ({ name, secret = makeSecret(fillRandom), enabled = true, ...settings }, { by }) =>
      database.transaction(() => {
        const endpoint = insert(
          { ...settings, name: name ?? nameFor(settings.url, recipients.isTaken), secret },
          { origin: "runtime", ...(enabled ? { enabled } : disabledState("operator")) },
        );
        audit.added(by, endpoint);
        return { endpoint, secret };
      }),

    change: (key, { events, concurrency, ratePerSecond, ...changes }, { by }) =>
      database.transaction(() => {
        const recipient = editable(key);
        const before = toEndpoint(recipient);
        const target = { ...targetOf(before), ...targetSettings(changes) };
        const settings = definedOf({ events, concurrency, ratePerSecond });
        const after = toEndpoint(recipients.change(recipient, { ...settings, target }));
        audit.changed(by, before, after);
        return after;
      }),

    disable: (key, { by }) =>
      database.transaction(() => {
        const recipient = editable(key);
        if (!recipient.enabled) return toEndpoint(recipient);
        const after = toEndpoint(recipients.update(recipient, disabledState("operator")));
        audit.switched(by, toEndpoint(recipient), after);
        return after;
      }),

    enable: (key, { by }) =>
      database.transaction(() => {
        const recipient = get(key);
        if (recipient.disabledReason === "undeclared") editable(key);
        if (recipient.enabled) return toEndpoint(recipient);
        const after = toEndpoint(recipients.update(recipient, enabledState));
        audit.switched(by, toEndpoint(recipient), after);
        return after;
      }),

    remove(key, { by }) {
      const recipient = get(key);
      // An endpoint that is no longer declared belongs to nobody, so it can be removed here.
      if (recipient.disabledReason !== "undeclared") editable(key);
      recipients.update(recipient, disabledState("operator"));
      // The deliveries are deleted in several transactions, the endpoint and its audit entry in the last one.
      recipients.remove(recipient, () => audit.removed(by, toEndpoint(recipient)));
    },

    rotate: (key, { secret: given, overlapMs = rotationOverlapMs, by }) =>
      database.transaction(() => {
        const recipient = editable(key);
        const secret = given ?? makeSecret(fillRandom);
        const current = targetOf(toEndpoint(recipient));
        const target = withSecret(current, checkSecret(secret), overlapMs, clock.now());
        const endpoint = toEndpoint(recipients.update(recipient, { target }));
        audit.rotated(by, endpoint, given !== undefined);
        return { endpoint, secret };
      }),

    endRotation: (key, { by }) =>
      database.transaction(() => {
        const recipient = get(key);
        const target = { ...targetOf(toEndpoint(recipient)), ...noPreviousSecret };
        const endpoint = toEndpoint(recipients.update(recipient, { target }));
        audit.rotationEnded(by, endpoint);
        return endpoint;
      }),

    reconcile: (declared) =>
      database.transaction(() => {
        for (const endpoint of declared) {
          try {
            declare(endpoint);
          } catch (error) {
            if (!(error instanceof PublicError)) throw error;
            const message = `webhooks.endpoints "${visible(endpoint.name)}": ${error.message}`;
            throw new StartError(message, { exitCode: 2, cause: error });
          }
        }
        const names = new Set(declared.map((endpoint) => endpoint.name));
        for (const recipient of list()) {
          const isUndeclared = recipient.origin === "file" && !names.has(recipient.name);
          if (!isUndeclared || recipient.disabledReason === "undeclared") continue;
          const after = recipients.update(recipient, disabledState("undeclared"));
          audit.declared(toEndpoint(recipient), toEndpoint(after));
        }
      }),
  };
}

/** @throws PublicError */
function checkEndpointName(name: string): string {
  // Everything that takes a name also takes an identifier.
  if (name.startsWith("whk_")) throw badRequest("a name cannot begin with whk_");
  return checkName(name);
}

/** Returns a name that is not taken, made from the host of the URL. */
function nameFor(url: string, isTaken: (name: string) => boolean): string {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : "";
  // The URL is validated with the other settings.
  return freeName(host === "" ? "endpoint" : host, isTaken);
}

/** Replaces the secret. The current one continues to sign for `overlapMs`. */
function withSecret(target: WebhookTarget, secret: string, overlapMs: number, now: Instant): WebhookTarget {
  if (secret === target.secret) return target;
  if (overlapMs <= 0) return { ...target, ...noPreviousSecret, secret };
  return { ...target, secret, previousSecret: target.secret, previousSecretUntil: now + overlapMs };
}

/** Returns those of the settings that belong to the target and were given. */
function targetSettings({
  url,
  headers,
  caFile,
  clientCertFile,
  clientKeyFile,
}: Partial<EndpointSettings>): Partial<WebhookTarget> {
  return definedOf({ url, headers, caFile, clientCertFile, clientKeyFile });
}

/** Leaves out properties that are undefined. */
function definedOf<T extends object>(settings: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}
