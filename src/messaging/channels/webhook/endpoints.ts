import {
  convertEntries,
  definedOf,
  subjectOf,
  type EntryAdministration,
} from "../../../access/entries/administration.ts";
import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type {
  DeclaredRecipient,
  RecipientAdministration,
} from "../../deliveries/administration/recipient-administration.ts";
import { freeName } from "../../deliveries/rules/recipient-rules.ts";
import type { Recipients } from "../../deliveries/recipients.ts";
import { optionalIsoTime, type Clock, type Instant } from "../../../platform/lib/clock.ts";
import {
  rotationOverlapMs,
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

/** Administers the webhook endpoints. Disabling one stops deliveries; pending deliveries stay queued. */
export interface Endpoints extends Omit<
  EntryAdministration<Endpoint, NewEndpoint, Partial<EndpointSettings>>,
  "add"
> {
  /** The secret is returned only here. @throws PublicError `bad_request` with what to change */
  add(endpoint: NewEndpoint, options: { by: Actor }): { endpoint: Endpoint; secret: string };
  /** Removes an endpoint and its deliveries. @throws PublicError like `change` */
  remove(idOrName: string, options: { by: Actor }): Promise<void>;
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

const defaults = { events: [], filter: null, concurrency: null, ratePerSecond: null };
const targetDefaults = { headers: {}, caFile: null, clientCertFile: null, clientKeyFile: null };
const noPreviousSecret = { previousSecret: null, previousSecretUntil: null };

export function createEndpoints({
  administration,
  auditLog,
  clock,
  database,
  fillRandom,
  recipients,
}: Needs<"auditLog" | "clock" | "database" | "fillRandom"> & {
  administration: RecipientAdministration;
  recipients: Pick<Recipients, "isTaken" | "update">;
}): Endpoints {
  return {
    ...convertEntries(administration, toEndpoint),

    add: ({ secret = makeSecret(fillRandom), enabled = true, ...given }, { by }) =>
      database.transaction(() => {
        const { name = nameFor(given.url, recipients.isTaken) } = given;
        const target = { ...completeSettings(given), ...noPreviousSecret, secret };
        const settings = {
          ...defaults,
          ...recipientSettings(given),
          name,
          channel: webhookKind,
          target,
          enabled,
        };
        return { endpoint: toEndpoint(administration.add(settings, { by })), secret };
      }),

    change: (key, changes, { by }) =>
      database.transaction(() => {
        const target = { ...targetOf(toEndpoint(administration.get(key))), ...targetSettings(changes) };
        const settings = { ...recipientSettings(changes), target };
        return toEndpoint(administration.change(key, settings, { by }));
      }),

    remove: administration.remove,

    rotate: (key, { secret: given, overlapMs = rotationOverlapMs, by }) =>
      database.transaction(() => {
        const recipient = administration.editable(key);
        const secret = given ?? makeSecret(fillRandom);
        const current = targetOf(toEndpoint(recipient));
        const target = withSecret(current, checkSecret(secret), overlapMs, clock.now());
        const endpoint = toEndpoint(recipients.update(recipient, { target }));
        const { previousSecretUntil: until } = endpoint;
        auditLog.record(by, "webhook.rotate", subjectOf(endpoint), {
          given: given !== undefined,
          previous_signs_until: optionalIsoTime(until),
        });
        return { endpoint, secret };
      }),

    endRotation: (key, { by }) =>
      database.transaction(() => {
        const recipient = administration.get(key);
        const target = { ...targetOf(toEndpoint(recipient)), ...noPreviousSecret };
        const endpoint = toEndpoint(recipients.update(recipient, { target }));
        auditLog.record(by, "webhook.end_rotation", subjectOf(endpoint));
        return endpoint;
      }),

    reconcile: (declared) => administration.reconcile(declared.map((one) => toDeclared(one, clock))),
  };
}

function toDeclared({ name, secret, ...given }: DeclaredEndpoint, clock: Clock): DeclaredRecipient {
  const settings = completeSettings(given);
  return {
    ...defaults,
    ...recipientSettings(given),
    name,
    channel: webhookKind,
    target: (present) =>
      present === undefined
        ? { ...settings, ...noPreviousSecret, secret }
        : withSecret({ ...(present as WebhookTarget), ...settings }, secret, rotationOverlapMs, clock.now()),
  };
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

/** Returns the settings that belong to the target, with defaults for those that were not given. */
function completeSettings(settings: EndpointSettings) {
  return { url: settings.url, ...targetDefaults, ...targetSettings(settings) };
}

/** Returns the given settings that every recipient has. */
function recipientSettings({ events, filter, concurrency, ratePerSecond }: Partial<EndpointSettings>) {
  return definedOf({ events, filter, concurrency, ratePerSecond });
}

/** Returns the given settings that belong to the target. */
function targetSettings({
  url,
  headers,
  caFile,
  clientCertFile,
  clientKeyFile,
}: Partial<EndpointSettings>): Partial<WebhookTarget> {
  return definedOf({ url, headers, caFile, clientCertFile, clientKeyFile });
}
