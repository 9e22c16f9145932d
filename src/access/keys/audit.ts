import { jsonFields } from "../../platform/lib/key-names.ts";
import type { AuditDetail } from "../audit/actions.ts";
import type { apiKeys } from "./tables.ts";

type Key = typeof apiKeys.$inferSelect;

/** Returns how the audit log names a key. */
export function subjectOf({ id, name, prefix }: Pick<Key, "id" | "name" | "prefix">): string {
  return `${name} (${id}, ${prefix}…)`;
}

/** Returns what the audit log records of a key: its permissions, never the key. */
export function contentOf(key: Pick<Key, "plan" | "scopes" | "domains" | "expiresAt">): AuditDetail {
  return jsonFields(key, "plan scopes domains expiresAt");
}
