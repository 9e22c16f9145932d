import { PublicError } from "../../platform/lib/errors.ts";
import type { Scope } from "../../platform/vocabulary/keys.ts";
import type { ApiKey } from "./keys.ts";

/** @throws PublicError `forbidden` if the key lacks the scope. */
export function requireScope(key: ApiKey, scope: Scope): void {
  if (key.scopes.includes(scope)) return;
  throw new PublicError("forbidden", `This API key lacks the scope ${scope}, which this operation needs.`);
}

/**
 * @param protectedDomain in A-label form
 * @throws PublicError `forbidden` if the key is restricted to other protected domains
 */
export function requireDomain(key: ApiKey, protectedDomain: string): void {
  if (key.domains.length === 0 || key.domains.includes(protectedDomain)) return;
  throw new PublicError("forbidden", "This API key is bound to other protected domains.");
}
