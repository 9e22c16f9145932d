import type { Registration } from "../../../platform/vocabulary/registration.ts";
import type { LookupFailure } from "../registries/server-pacing.ts";

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
