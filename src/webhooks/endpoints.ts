import type { Database } from "../database/database.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { badRequest, messageOf, PublicError, StartError } from "../lib/errors.ts";
import type { FillRandom } from "../lib/ids.ts";
import { visible } from "../lib/safe-text.ts";
import {
  checkName,
  checkSecret,
  checkSettings,
  defaultSettings,
  nameFor,
  type DestinationRules,
  type EndpointSettings,
} from "./endpoint-rules.ts";
import type { Endpoint, EndpointStore } from "./endpoint-store.ts";
import { makeSecret } from "./signing.ts";
import { filesOf, type EndpointFiles } from "./tls-files.ts";

export interface DeclaredEndpoint extends EndpointSettings {
  name: string;
  secret: string;
}

export interface NewEndpoint extends EndpointSettings {
  /** Default: made from the host. */
  name?: string;
  /** Default: made. */
  secret?: string;
  enabled?: boolean;
}

/** Who is told of events. Changes take effect at once, in a running server also when another process made them. */
export interface Endpoints {
  /** By name. */
  list(): Endpoint[];
  /** By identifier or name. */
  find(idOrName: string): Endpoint | undefined;
  /** Like `find`. @throws PublicError `not_found` */
  get(idOrName: string): Endpoint;
  /** The secret is shown here and never again. @throws PublicError `bad_request` with what to change */
  add(endpoint: NewEndpoint): { endpoint: Endpoint; secret: string };
  /** @throws PublicError `bad_request` also for one that the configuration file declares */
  change(idOrName: string, changes: Partial<EndpointSettings>): Endpoint;
  /** It is sent nothing any more; deliveries that wait go on waiting. */
  disable(idOrName: string): Endpoint;
  enable(idOrName: string): Endpoint;
  /** With its deliveries. @throws PublicError as `change` */
  remove(idOrName: string): void;
  /**
   * A new secret, made or given. The present one signs along for `overlapMs`, so that receivers can change
   * over in their own time.
   */
  rotate(
    idOrName: string,
    options?: { secret?: string; overlapMs?: number },
  ): { endpoint: Endpoint; secret: string };
  /** The previous secret signs no more. */
  endRotation(idOrName: string): Endpoint;
  /**
   * Makes the table agree with the configuration file; what left the file is disabled. A secret that changed
   * there is rotated.
   * @throws StartError for a declaration that cannot be delivered to
   */
  reconcile(declared: readonly DeclaredEndpoint[]): void;
  /** Calls `listener` after each change made by this process. */
  onChanged(listener: () => void): void;
}

export const rotationOverlapMs = 86_400_000;

export function createEndpoints({
  database,
  clock,
  fillRandom,
  rules,
  store,
  tlsFiles,
}: {
  database: Database;
  clock: Clock;
  fillRandom: FillRandom;
  rules: DestinationRules;
  store: EndpointStore;
  /** Throws when a file cannot be used. */
  tlsFiles: (files: EndpointFiles) => unknown;
}): Endpoints {
  const { find, get, insert, update } = store;

  function editable(key: string): Endpoint {
    const endpoint = get(key);
    if (endpoint.origin === "file")
      throw badRequest(`${endpoint.name} is declared in the configuration file; change it there`);
    return endpoint;
  }

  /** @throws PublicError */
  function checked(settings: EndpointSettings) {
    const files = { caFile: null, clientCertFile: null, clientKeyFile: null, ...settings };
    try {
      tlsFiles(filesOf(files));
    } catch (error) {
      throw badRequest(messageOf(error));
    }
    return checkSettings(settings, rules);
  }

  const disabled = (reason: Endpoint["disabledReason"], at: Instant = clock.now()) => ({
    enabled: false,
    disabledReason: reason,
    disabledAt: at,
  });
  const enabled = { enabled: true, disabledReason: null, consecutiveFailures: 0, failingSince: null };

  function withSecret(endpoint: Endpoint, secret: string, overlapMs: number): Partial<Endpoint> {
    if (secret === endpoint.secret) return {};
    const overlaps = overlapMs > 0;
    return {
      secret,
      previousSecret: overlaps ? endpoint.secret : null,
      previousSecretUntil: overlaps ? clock.now() + overlapMs : null,
    };
  }

  function declare(declared: DeclaredEndpoint): void {
    const settings = { ...defaultSettings, ...checked(declared), origin: "file" as const };
    const present = find(checkName(declared.name));
    const secret = checkSecret(declared.secret);
    if (present === undefined)
      return void insert({ ...settings, name: declared.name, secret, enabled: true });
    // One that did nothing but fail stays disabled over a restart, until its address or a person changes it.
    const staysDisabled = present.disabledReason === "failing" && present.url === settings.url;
    update(present, {
      ...settings,
      ...withSecret(present, secret, rotationOverlapMs),
      ...(present.enabled || staysDisabled ? {} : enabled),
    });
  }

  return {
    list: store.list,
    find,
    get,

    add: ({ name, secret = makeSecret(fillRandom), enabled: isEnabled = true, ...settings }) =>
      database.transaction(() => {
        const values = { ...defaultSettings, ...checked(settings) };
        const taken = (candidate: string) => find(candidate) !== undefined;
        if (name !== undefined && taken(checkName(name)))
          throw badRequest(`there is an endpoint ${visible(name, 100)} already`);
        const endpoint = insert({
          ...values,
          name: name ?? nameFor(values.url, taken),
          secret: checkSecret(secret),
          origin: "runtime",
          ...(isEnabled ? { enabled: true } : disabled("operator")),
        });
        return { endpoint, secret };
      }),

    change: (key, changes) =>
      database.transaction(() => {
        const endpoint = editable(key);
        return update(endpoint, checked({ ...filesOf(endpoint), url: endpoint.url, ...changes }));
      }),

    disable: (key) =>
      database.transaction(() => {
        const endpoint = editable(key);
        return endpoint.enabled ? update(endpoint, disabled("operator")) : endpoint;
      }),

    enable: (key) =>
      database.transaction(() => {
        const endpoint = get(key);
        if (endpoint.disabledReason === "undeclared") editable(key);
        return endpoint.enabled ? endpoint : update(endpoint, enabled);
      }),

    remove(key) {
      const endpoint = get(key);
      // One that left the file is nobody's any more, so it can be removed here.
      if (endpoint.disabledReason !== "undeclared") editable(key);
      update(endpoint, disabled("operator"));
      store.remove(endpoint);
    },

    rotate: (key, { secret = makeSecret(fillRandom), overlapMs = rotationOverlapMs } = {}) =>
      database.transaction(() => {
        const endpoint = editable(key);
        return { endpoint: update(endpoint, withSecret(endpoint, checkSecret(secret), overlapMs)), secret };
      }),

    endRotation: (key) =>
      database.transaction(() => update(get(key), { previousSecret: null, previousSecretUntil: null })),

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
        for (const endpoint of store.list()) {
          const left = endpoint.origin === "file" && !names.has(endpoint.name);
          if (left && endpoint.disabledReason !== "undeclared") update(endpoint, disabled("undeclared"));
        }
      }),

    onChanged: store.onChanged,
  };
}
