import type { Registration } from "../../../platform/vocabulary/site.ts";
import type { LookupFailure } from "../registries/server-pacing.ts";

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

/** Outcome of a lookup by one protocol (RDAP or WHOIS). Only a definite negative response is `unregistered`. */
export type RegistrationOutcome =
  | { kind: "registered"; registration: Registration; raw: string }
  | { kind: "unregistered"; raw: string }
  | LookupFailure;

/** Maximum length of the part of a raw response that is kept. */
export const rawLengthMax = 32_768;

/** Joins the response of a registry and that of the registrar that it referred to. */
export function joinResponses(first: string, second: string): string {
  return `${first.trimEnd()}\n\n${second}`.slice(0, rawLengthMax);
}
