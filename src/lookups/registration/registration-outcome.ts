import type { Registration } from "../../vocabulary/registration.ts";

/** What one way of asking (RDAP or WHOIS) came to. Only a clear negative answer is `unregistered`. */
export type RegistrationOutcome =
  | { kind: "registered"; registration: Registration; raw: string }
  | { kind: "unregistered"; raw: string }
  /** The server is asked too much, by us or by others: nothing is known about the name. `postponed`: so it was not asked. */
  | { kind: "limited"; reason: string; retryAfterMs: number; postponed?: boolean }
  | { kind: "failed"; reason: string };

/** Of an answer, so much is handed on as it came. */
export const rawLengthMax = 32_768;

/** What a registry said, and then the registrar that it named. */
export function bothAnswers(first: string, second: string): string {
  return `${first.trimEnd()}\n\n${second}`.slice(0, rawLengthMax);
}
