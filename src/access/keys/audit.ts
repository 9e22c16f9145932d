import { optionalIsoTime } from "../../platform/lib/clock.ts";
import type { AuditDetail } from "../audit/actions.ts";
import type { apiKeys } from "./tables.ts";

type Key = typeof apiKeys.$inferSelect;

/** Returns how the audit log names a key. */
export function subjectOf({ id, name, prefix }: Pick<Key, "id" | "name" | "prefix">): string {
  return `${name} (${id}, ${prefix}…)`;
}

/** Returns what the audit log records of a key: its permissions, never the key. */
export function contentOf({
  plan,
  scopes,
  domains,
  expiresAt,
}: Pick<Key, "plan" | "scopes" | "domains" | "expiresAt">): AuditDetail {
  return { plan, scopes, domains, expires_at: optionalIsoTime(expiresAt) };
}
