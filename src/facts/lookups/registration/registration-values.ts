import type { Registration } from "../../../platform/vocabulary/site.ts";
import type { LookupFailure } from "../registries/registry-clients.ts";

/** Returns `base` with the values that it lacks taken from `other`. Keys without a value are removed. */
export function completedBy(base: Registration, other: Registration): Registration {
  const lists = (["name_servers", "status"] as const).filter((key) => (base[key] ?? []).length === 0);
  const merged: Registration = { ...withoutEmpty(other), ...withoutEmpty(base) };
  for (const key of lists) if (other[key] !== undefined) merged[key] = other[key];
  return withoutEmpty(merged);
}

/** Removes keys without a value. */
export function withoutEmpty(registration: Registration): Registration {
  const entries = Object.entries(registration).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(entries) as Registration;
}

/** `raw` is the start of the raw response. Escape it before you show any of it. */
export interface Registered {
  ok: true;
  registration: Registration;
  raw: string;
}

/** The registry says that the name is not registered. */
export const notRegistered: LookupFailure = { ok: false, reason: "not registered", unregistered: true };

/** Result of a lookup. Only a definite negative response is `unregistered`; otherwise nothing is known. */
export type RegistrationResult = Registered | LookupFailure;

/** Maximum length of the part of a raw response that is kept. */
export const rawLengthMax = 32_768;

/**
 * Completes the record of a registry by the record of the registrar to which it refers.
 * @param refer reads the registrar's record; undefined: it cannot be read, which does no harm.
 */
export async function withReferral(
  found: Registered,
  refer: () => Promise<Pick<Registered, "registration" | "raw"> | undefined>,
): Promise<Registered> {
  const { registration, raw } = found;
  const isComplete =
    registration.registrant_organization !== undefined && registration.abuse_email !== undefined;
  const further = isComplete ? undefined : await refer();
  if (further === undefined) return found;
  return {
    ok: true,
    registration: completedBy(registration, further.registration),
    raw: `${raw.trimEnd()}\n\n${further.raw}`.slice(0, rawLengthMax),
  };
}
