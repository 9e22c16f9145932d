import type { Clock } from "../../lib/clock.ts";
import { PublicError, StartError } from "../../lib/errors.ts";
import { visible } from "../../lib/safe-text.ts";
import type { EndpointAudit } from "./endpoint-audit.ts";
import {
  checkEndpointName,
  defaultSettings,
  enabledState,
  targetSettings,
  withSecret,
  type EndpointStore,
} from "./endpoint-store.ts";
import { rotationOverlapMs, targetOf, toEndpoint, type DeclaredEndpoint } from "./endpoint.ts";

interface Reconciliation {
  audit: EndpointAudit;
  clock: Clock;
  store: EndpointStore;
}

/**
 * Makes the endpoints match the configuration file. Endpoints that are no longer declared are disabled, and a changed
 * secret is rotated. Must run within a transaction.
 * @throws StartError for a declaration that is not valid
 */
export function reconcileEndpoints(
  declared: readonly DeclaredEndpoint[],
  { audit, clock, store }: Reconciliation,
): void {
  for (const endpoint of declared) {
    try {
      declare(endpoint, { audit, clock, store });
    } catch (error) {
      if (!(error instanceof PublicError)) throw error;
      const message = `webhooks.endpoints "${visible(endpoint.name)}": ${error.message}`;
      throw new StartError(message, { exitCode: 2, cause: error });
    }
  }
  const names = new Set(declared.map((endpoint) => endpoint.name));
  for (const recipient of store.list()) {
    const isUndeclared = recipient.origin === "file" && !names.has(recipient.name);
    if (!isUndeclared || recipient.disabledReason === "undeclared") continue;
    const after = store.update(recipient, store.disabledState("undeclared"));
    audit.declared(toEndpoint(recipient), toEndpoint(after));
  }
}

/** Adds or updates one declared endpoint. */
function declare(declared: DeclaredEndpoint, { audit, clock, store }: Reconciliation): void {
  const present = store.find(checkEndpointName(declared.name));
  if (present === undefined)
    return audit.declared(undefined, store.insert(declared, { origin: "file", enabled: true }));
  const before = toEndpoint(present);
  const { secret, ...settings } = { ...defaultSettings, ...declared };
  const target = withSecret(
    { ...targetOf(before), ...targetSettings(settings) },
    { secret, overlapMs: rotationOverlapMs, now: clock.now() },
  );
  const changed = store.change(present, { ...settings, target });
  // An endpoint that was disabled for failing stays disabled until its URL changes or someone enables it.
  const staysDisabled = before.disabledReason === "failing" && before.url === toEndpoint(changed).url;
  const after = store.update(changed, {
    origin: "file",
    ...(before.enabled || staysDisabled ? {} : enabledState),
  });
  audit.declared(before, toEndpoint(after));
}
