import type { Database } from "../database/database.ts";
import { toIsoTime } from "../lib/clock.ts";
import { configurationFile, type Actor } from "./audit/actor.ts";
import type { AuditDetail } from "./audit/actions.ts";
import { changesBetween, type AuditLog } from "./audit/audit-log.ts";
import type { ApiKey, ApiKeys, NewKey } from "./keys/keys.ts";

/** The keys of the API, for those who administer them: each act is written to the audit log with who did it. */
export interface AuditedKeys extends Omit<ApiKeys, "create" | "revoke"> {
  create(wanted: NewKey, by: Actor): { key: string; record: ApiKey };
  revoke(idOrPrefix: string, by: Actor): ApiKey;
}

export function auditKeys({
  keys,
  auditLog,
  database,
}: {
  keys: ApiKeys;
  auditLog: AuditLog;
  database: Database;
}): AuditedKeys {
  return {
    ...keys,
    create: (wanted, by) =>
      database.transaction(() => {
        const made = keys.create(wanted);
        auditLog.record(by, "key.create", subjectOf(made.record), contentOf(made.record));
        return made;
      }),
    revoke: (idOrPrefix, by) =>
      database.transaction(() => {
        const wasValid = keys
          .list()
          .some(({ id, prefix, revokedAt }) => [id, prefix].includes(idOrPrefix) && revokedAt === null);
        const revoked = keys.revoke(idOrPrefix);
        if (wasValid) auditLog.record(by, "key.revoke", subjectOf(revoked));
        return revoked;
      }),
    reconcile: (declared) =>
      database.transaction(() => {
        const before = keys.list();
        keys.reconcile(declared);
        const changes = changesBetween(before.map(withoutUse), keys.list().map(withoutUse), ({ id }) => id);
        for (const { was, is } of changes) {
          if (is === undefined) continue;
          const action =
            is.revokedAt !== null ? "key.revoke" : was === undefined ? "key.create" : "key.change";
          auditLog.record(configurationFile, action, subjectOf(is), contentOf(is));
        }
      }),
  };
}

function subjectOf({ id, name, prefix }: Pick<ApiKey, "id" | "name" | "prefix">): string {
  return `${name} (${id}, ${prefix}…)`;
}

function contentOf({
  plan,
  scopes,
  domains,
  expiresAt,
}: Pick<ApiKey, "plan" | "scopes" | "domains" | "expiresAt">): AuditDetail {
  return { plan, scopes, domains, expires_at: expiresAt === null ? null : toIsoTime(expiresAt) };
}

/** That a key was used is no change of it. */
const withoutUse = (key: ApiKey): ApiKey => ({ ...key, lastUsedAt: null });
