import { and, asc, getTableColumns, isNull, lt, or } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { hasValue, statement, value, valuesExcept, valuesOf } from "../../platform/database/statement.ts";
import { normalizeHostName } from "../../engines/detection/names/name.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { badRequest, FieldError, notFound } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { defaultPlan, defaultScopes, type Plan, type Scope } from "../../platform/vocabulary/keys.ts";
import type { Actor } from "../audit/actor.ts";
import type { Needs } from "../audit/needs.ts";
import { contentOf, subjectOf } from "./audit.ts";
import { generateKey, hashKey, isAcceptableKey, shownLength } from "./key-format.ts";
import { createKeyLookup } from "./key-lookup.ts";
import { createLastUses } from "./last-uses.ts";
import { type DeclaredKey, reconcileKeys } from "./reconcile-keys.ts";
import { apiKeys } from "./tables.ts";

export type { DeclaredKey };

/** An API key as it is stored, without its hash. */
export type ApiKey = Omit<typeof apiKeys.$inferSelect, "hash">;

interface NewKey {
  /** Shown to people; need not be unique. */
  name: string;
  /** Default: pro. */
  plan?: Plan;
  /** Default: threats:read and threats:write. */
  scopes?: readonly Scope[];
  /** Protected domains that the key is restricted to, in any form; empty or absent for all. */
  domains?: readonly string[];
  /** When the key stops working; absent for never. */
  expiresAt?: Instant;
}

/** The keys of the HTTP API. Changes are recorded in the audit log, in the same transaction. */
export interface ApiKeys {
  /**
   * Creates a key. The key is returned only here and cannot be retrieved later.
   * @throws PublicError `bad_request`: an invalid name, a domain that is not protected, no scope, or an expiry in the past.
   */
  create(wanted: NewKey, options: { by: Actor }): { key: string; record: ApiKey };
  /** Returns the key's record unless the key is unknown, revoked or expired, and marks the key as used. */
  authenticate(key: string): ApiKey | undefined;
  /** Returns all keys, including revoked ones, oldest first. Their last use includes what is not written yet. */
  list(): ApiKey[];
  /**
   * Revokes a key permanently, by its id or its displayed prefix. Revoking a revoked key changes nothing.
   * @throws PublicError `not_found`; `bad_request` when several keys match or the configuration file declares the key.
   */
  revoke(idOrPrefix: string, options: { by: Actor }): ApiKey;
  /**
   * Makes the stored keys match the configuration file. Keys that are no longer declared are revoked.
   * @throws StartError when a declared key was created at run time, or is declared twice.
   */
  reconcile(declared: readonly DeclaredKey[]): void;
  /**
   * Writes when keys were last used. Requests only note it in memory; call this every minute and at shutdown.
   * Returns undefined if there is nothing to write.
   */
  flushLastUsed(): Promise<void> | undefined;
}

/** A key that expires within this time is reported, so that it can be replaced before. */
export const keyExpiresSoonMs = 14 * 86_400_000;
const nameCharactersMax = 100;

const { hash: _, ...recordColumns } = getTableColumns(apiKeys);

export function createApiKeys({
  database,
  clock,
  ids,
  fillRandom,
  auditLog,
  domains: protectedDomains,
}: Needs<"auditLog" | "clock" | "database" | "fillRandom" | "ids"> & {
  /** The protected domains. */
  domains: { find(domain: string): { enabled: boolean } | undefined };
}): ApiKeys {
  const isProtected = (domain: string) => protectedDomains.find(domain)?.enabled === true;
  const statements = prepareStatements(database);
  const lastUses = createLastUses((times) =>
    database.write(() => times.forEach((lastUsedAt, seq) => statements.markUsed.run({ seq, lastUsedAt })), {
      patient: true,
    }),
  );
  const lookup = createKeyLookup({ database, read: (hash) => statements.findValid.get({ hash }) });

  function findOne(idOrPrefix: string): ApiKey {
    const matches = statements.all
      .all()
      .filter(({ id, prefix }) => id === idOrPrefix || prefix === idOrPrefix);
    const shown = visible(idOrPrefix, 100);
    if (matches.length > 1) {
      const list = matches.map(({ id }) => id).join(", ");
      throw badRequest(`Several API keys start with ${shown}. Use the id of one of them: ${list}`);
    }
    if (matches[0] === undefined) throw notFound(`There is no API key ${shown}.`);
    return matches[0];
  }

  return {
    create: (wanted, { by }) =>
      database.transaction(() => {
        const key = generateKey(fillRandom);
        const record = statements.insert.get({
          ...validateNewKey(wanted, { now: clock.now(), isProtected }),
          id: ids.next("apiKey"),
          hash: hashKey(key),
          prefix: key.slice(0, shownLength),
          origin: "runtime",
          createdAt: clock.now(),
        })!;
        auditLog.record(by, "key.create", subjectOf(record), contentOf(record));
        return { key, record };
      }),

    authenticate(key) {
      if (!isAcceptableKey(key)) return undefined;
      const record = lookup.find(key);
      if (record === undefined) return undefined;
      const now = clock.now();
      if (record.expiresAt !== null && now >= record.expiresAt) return undefined;
      lastUses.note(record.seq, now);
      return record;
    },

    list: () =>
      statements.all
        .all()
        .map((record) => ({ ...record, lastUsedAt: lastUses.latest(record.seq, record.lastUsedAt) })),

    revoke: (idOrPrefix, { by }) =>
      database.transaction(() => {
        const record = findOne(idOrPrefix);
        if (record.revokedAt !== null) return record;
        if (record.origin === "file") {
          throw badRequest(
            `The API key "${record.name}" is declared in the configuration file. Remove it there.`,
          );
        }
        const revokedAt = clock.now();
        statements.revoke.run({ seq: record.seq, revokedAt });
        auditLog.record(by, "key.revoke", subjectOf(record));
        database.afterCommit(lookup.clear);
        return { ...record, revokedAt };
      }),

    reconcile: (declared) =>
      database.transaction(() => {
        database.afterCommit(lookup.clear);
        reconcileKeys({ database, clock, ids, auditLog }, declared);
      }),

    flushLastUsed: lastUses.flush,
  };
}

function prepareStatements(database: Database) {
  return {
    findValid: statement(database, (query) =>
      query
        .select(recordColumns)
        .from(apiKeys)
        .where(and(hasValue(apiKeys.hash), isNull(apiKeys.revokedAt))),
    ),
    all: statement(database, (query) => query.select(recordColumns).from(apiKeys).orderBy(asc(apiKeys.seq))),
    insert: statement(database, (query) =>
      query
        .insert(apiKeys)
        .values(valuesExcept(apiKeys, "seq", "revokedAt", "lastUsedAt"))
        .returning(recordColumns),
    ),
    revoke: statement(database, (query) =>
      query.update(apiKeys).set(valuesOf(apiKeys, "revokedAt")).where(hasValue(apiKeys.seq)),
    ),
    markUsed: statement(database, (query) =>
      query
        .update(apiKeys)
        .set(valuesOf(apiKeys, "lastUsedAt"))
        .where(
          and(
            hasValue(apiKeys.seq),
            or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, value(apiKeys.lastUsedAt))),
          ),
        ),
    ),
  };
}

function validateNewKey(
  wanted: NewKey,
  { now, isProtected }: { now: Instant; isProtected: (domain: string) => boolean },
) {
  const { name, plan = defaultPlan, scopes = defaultScopes, domains = [], expiresAt = null } = wanted;
  if (name === "" || name.length > nameCharactersMax || visible(name) !== name) {
    throw new FieldError(
      "name",
      `The name of an API key must have 1 to ${nameCharactersMax} visible characters.`,
    );
  }
  if (scopes.length === 0) throw new FieldError("scopes", "An API key needs at least one scope.");
  if (expiresAt !== null && expiresAt <= now)
    throw new FieldError("expires_on", "The expiry of an API key must be in the future.");
  const normalized = domains.map((text) => {
    const result = normalizeHostName(text);
    const shown = visible(text, 100);
    if (!("name" in result))
      throw new FieldError("domains", `"${shown}" is not a domain name: it ${result.error}.`);
    // A key that is bound to any other domain would see nothing.
    if (!isProtected(result.name))
      throw new FieldError("domains", `There is no protected domain ${shown}; add it first.`);
    return result.name;
  });
  return { name, plan, scopes: [...new Set(scopes)], domains: [...new Set(normalized)], expiresAt };
}
