import { and, asc, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Database } from "../../database/database.ts";
import { normalizeName } from "../../detection/names/name.ts";
import type { Clock, Instant } from "../../lib/clock.ts";
import { badRequest, notFound } from "../../lib/errors.ts";
import type { FillRandom, IdFactory } from "../../lib/ids.ts";
import { visible } from "../../lib/safe-text.ts";
import { hashKey, isAcceptableKey, makeKey, shownLength } from "./key-format.ts";
import { defaultPlan, defaultScopes, type Plan, type Scope } from "../../vocabulary/keys.ts";
import { reconcileKeys, type DeclaredKey } from "./reconcile-keys.ts";
import { apiKeys } from "./tables.ts";

export type { DeclaredKey };

/** What is known of a key; the key itself is not. */
export type ApiKey = Omit<typeof apiKeys.$inferSelect, "hash">;

export interface NewKey {
  /** For people; need not be unique. */
  name: string;
  /** Default: pro. */
  plan?: Plan;
  /** Default: threats:read and threats:write. */
  scopes?: readonly Scope[];
  /** Protected domains it is bound to, in any form; none or absent: all. */
  domains?: readonly string[];
  /** From then on it is refused; absent: never. */
  expiresAt?: Instant;
}

/** The keys of the HTTP API. */
export interface ApiKeys {
  /**
   * Makes a key. It is answered this once and cannot be had again.
   * @throws PublicError `bad_request`: no name, no scope, a bound domain that is no name, an expiry that is past.
   */
  create(wanted: NewKey): { key: string; record: ApiKey };
  /** The key's record, when it exists and is neither revoked nor expired. Notes that it was used. */
  authenticate(key: string): ApiKey | undefined;
  /** All, oldest first; revoked ones too. */
  list(): ApiKey[];
  /**
   * Revokes for good, by identifier or by the characters that are shown of it. Revoking twice is no error.
   * @throws PublicError `not_found`; `bad_request` when several fit, or the configuration file declares it.
   */
  revoke(idOrPrefix: string): ApiKey;
  /** Makes the table agree with the configuration file; what left the file is revoked. */
  reconcile(declared: readonly DeclaredKey[]): void;
  /** Writes when keys were last used. Requests only note it in memory; call this once a minute and at the end. */
  flushLastUsed(): void;
}

const nameLengthMax = 100;

const recordColumns = {
  seq: apiKeys.seq,
  id: apiKeys.id,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  plan: apiKeys.plan,
  scopes: apiKeys.scopes,
  domains: apiKeys.domains,
  origin: apiKeys.origin,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: apiKeys.lastUsedAt,
};

export function createApiKeys({
  database,
  clock,
  ids,
  fillRandom,
}: {
  database: Database;
  clock: Clock;
  ids: IdFactory;
  fillRandom: FillRandom;
}): ApiKeys {
  const { query } = database;
  const byHash = query
    .select(recordColumns)
    .from(apiKeys)
    .where(and(eq(apiKeys.hash, sql.placeholder("hash")), isNull(apiKeys.revokedAt)))
    .prepare();
  const all = query.select(recordColumns).from(apiKeys).orderBy(asc(apiKeys.seq)).prepare();
  const used = new Map<number, Instant>();
  // Records by hash, so that a request costs 2 µs here instead of 6. A key that another process revoked
  // stops working at once all the same: its commit changes the version.
  const cached = new Map<string, ApiKey>();
  let cachedVersion: number | undefined;
  const forget = () => cached.clear();

  function findValid(key: string): ApiKey | undefined {
    const version = database.foreignVersion();
    if (version !== cachedVersion) forget();
    cachedVersion = version;
    const hash = Bun.SHA256.hash(key, "hex");
    const known = cached.get(hash);
    if (known !== undefined) return known;
    const record = byHash.get({ hash: hashKey(key) });
    // Unknown ones are not kept: anybody could make them by the million.
    if (record !== undefined) cached.set(hash, record);
    return record;
  }

  function findOne(idOrPrefix: string): ApiKey {
    const found = all.all().filter(({ id, prefix }) => id === idOrPrefix || prefix === idOrPrefix);
    const shown = visible(idOrPrefix, 100);
    if (found.length > 1) {
      const list = found.map(({ id }) => id).join(", ");
      throw badRequest(`Several API keys begin with ${shown}: name one by its id: ${list}`);
    }
    if (found[0] === undefined) throw notFound(`There is no API key ${shown}.`);
    return found[0];
  }

  return {
    create(wanted) {
      const content = readWanted(wanted, clock.now());
      const key = makeKey(fillRandom);
      const row = {
        ...content,
        id: ids.next("apiKey"),
        hash: hashKey(key),
        prefix: key.slice(0, shownLength),
        origin: "runtime" as const,
        createdAt: clock.now(),
      };
      const { hash: _, ...record } = query.insert(apiKeys).values(row).returning().get();
      return { key, record };
    },

    authenticate(key) {
      if (!isAcceptableKey(key)) return undefined;
      const record = findValid(key);
      if (record === undefined) return undefined;
      const now = clock.now();
      if (record.expiresAt !== null && now >= record.expiresAt) return undefined;
      used.set(record.seq, now);
      return record;
    },

    list: () => all.all(),

    revoke: (idOrPrefix) =>
      database.transaction(() => {
        const record = findOne(idOrPrefix);
        if (record.revokedAt !== null) return record;
        if (record.origin === "file") {
          const message = `The API key "${record.name}" is declared in the configuration file: take it out there and start again.`;
          throw badRequest(message);
        }
        const revokedAt = clock.now();
        query.update(apiKeys).set({ revokedAt }).where(eq(apiKeys.seq, record.seq)).run();
        database.afterCommit(forget);
        return { ...record, revokedAt };
      }),

    reconcile: (declared) =>
      database.transaction(() => {
        database.afterCommit(forget);
        reconcileKeys({ database, clock, ids }, declared);
      }),

    flushLastUsed() {
      if (used.size === 0) return;
      database.transaction(() => {
        for (const [seq, lastUsedAt] of used) {
          const older = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, lastUsedAt));
          query
            .update(apiKeys)
            .set({ lastUsedAt })
            .where(and(eq(apiKeys.seq, seq), older))
            .run();
        }
      });
      used.clear();
    },
  };
}

function readWanted(wanted: NewKey, now: Instant) {
  const { name, plan = defaultPlan, scopes = defaultScopes, domains = [], expiresAt = null } = wanted;
  const refuse = (message: string) => badRequest(message);
  if (name === "" || name.length > nameLengthMax || visible(name) !== name) {
    throw refuse(`The name of an API key is 1 to ${nameLengthMax} visible characters.`);
  }
  if (scopes.length === 0) throw refuse("An API key needs at least one scope.");
  if (expiresAt !== null && expiresAt <= now) throw refuse("The API key would have expired already.");
  const bound = domains.map((text) => {
    const result = normalizeName(text);
    if ("name" in result) return result.name;
    throw refuse(`"${visible(text, 100)}" is not a domain name: ${result.error}.`);
  });
  return { name, plan, scopes: [...new Set(scopes)], domains: [...new Set(bound)], expiresAt };
}
