import { and, asc, desc, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { Actor } from "../access/audit/actor.ts";
import type { AuditLog } from "../access/audit/audit-log.ts";
import type { Database } from "../database/database.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { badRequest, notFound } from "../lib/errors.ts";
import type { FillRandom, IdFactory } from "../lib/ids.ts";
import { lazy } from "../lib/startup.ts";
import { visible } from "../lib/safe-text.ts";
import { makeAddress } from "./addresses.ts";
import type { HitStore } from "./hits.ts";
import { freeName, readMemo, readName } from "./names.ts";
import { honeytokenAddresses, honeytokens } from "./tables.ts";
import type { TokenAnswer } from "./values.ts";
import type { TokenKind } from "../vocabulary/traps.ts";

export type Honeytoken = typeof honeytokens.$inferSelect & {
  address: string;
  /** Those it had before that are still watched, newest first. */
  oldAddresses: string[];
};

export interface NewHoneytoken {
  kind: TokenKind;
  /** Default: the kind, with a number where that is taken. */
  name?: string;
  /** Where the bait lies. */
  memo?: string;
  /** Of kind `url` only; default: 404. */
  answer?: TokenAnswer;
  expiresAt?: Instant;
}

/** What the way in knows of a token. */
export interface LiveToken {
  id: string;
  kind: TokenKind;
  answer: TokenAnswer;
}

/** Baits: addresses that nobody has a reason to ask for. */
export interface Honeytokens {
  /** @throws PublicError `bad_request` */
  create(wanted: NewHoneytoken, by: Actor): Honeytoken;
  /** Oldest first. */
  list(): Honeytoken[];
  /** By identifier or name. @throws PublicError `not_found` */
  get(idOrName: string): Honeytoken;
  find(id: string): Honeytoken | undefined;
  setEnabled(idOrName: string, enabled: boolean, by: Actor): Honeytoken;
  /** Gives it a new address. @param watchOld whether visits to the old ones still count. */
  rotate(idOrName: string, options: { watchOld: boolean }, by: Actor): Honeytoken;
  /** With its hits. */
  remove(idOrName: string, by: Actor): Honeytoken;
  /** The token behind an address, when it is enabled and has not expired. */
  byAddress(address: string): LiveToken | undefined;
  /** @param publicUrl how visitors reach this server; without trailing slash. */
  url(token: Honeytoken, publicUrl: string): string;
}

const textLengthMax = 10_000;
const redirectLengthMax = 2_000;
/** So many old addresses of one token are watched at most. */
const oldAddressesMax = 20;

// The value in brackets: see `database/placeholders.ts` about what SQLite does with a bare one.
const liveStatement = `
  select id, kind, answer, expires_at as expiresAt
  from honeytoken_addresses join honeytokens on seq = token_seq
  where address = (select ?) and enabled = 1`;

export function createHoneytokens({
  database,
  clock,
  ids,
  fillRandom,
  hits,
  auditLog,
}: {
  database: Database;
  clock: Clock;
  ids: IdFactory;
  fillRandom: FillRandom;
  hits: Pick<HitStore, "removeOf">;
  auditLog: Pick<AuditLog, "record">;
}): Honeytokens {
  const { query, sqlite } = database;
  const all = lazy(() => query.select().from(honeytokens).orderBy(asc(honeytokens.seq)).prepare());
  const one = lazy(() =>
    query
      .select()
      .from(honeytokens)
      .where(or(eq(honeytokens.id, sql.placeholder("key")), eq(honeytokens.name, sql.placeholder("key"))))
      .prepare(),
  );
  const addressesOf = lazy(() =>
    query
      .select()
      .from(honeytokenAddresses)
      .where(eq(honeytokenAddresses.tokenSeq, sql.placeholder("seq")))
      .orderBy(desc(honeytokenAddresses.createdAt), desc(sql`rowid`))
      .prepare(),
  );
  const live = lazy(() =>
    sqlite.prepare<
      { id: string; kind: TokenKind; answer: string; expiresAt: Instant | null },
      [address: string]
    >(liveStatement),
  );

  function withAddresses(row: typeof honeytokens.$inferSelect): Honeytoken {
    const rows = addressesOf().all({ seq: row.seq });
    const address = rows.find(({ replacedAt }) => replacedAt === null)!.address;
    const old = rows.filter(({ replacedAt }) => replacedAt !== null);
    return { ...row, address, oldAddresses: old.map((replaced) => replaced.address) };
  }

  function find(key: string): Honeytoken | undefined {
    const row = one().get({ key });
    return row === undefined ? undefined : withAddresses(row);
  }

  function get(idOrName: string): Honeytoken {
    const token = find(idOrName);
    if (token !== undefined) return token;
    throw notFound(`There is no honeytoken ${visible(idOrName, 100)}.`);
  }

  function addAddress(tokenSeq: number): void {
    const address = makeAddress(fillRandom);
    query.insert(honeytokenAddresses).values({ address, tokenSeq, createdAt: clock.now() }).run();
  }

  return {
    create: (wanted, by) =>
      database.transaction(() => {
        const { kind, name, memo = "", answer = { kind: "not_found" }, expiresAt = null } = wanted;
        const names = all()
          .all()
          .map((token) => token.name);
        const chosen = name === undefined ? freeName(kind, names) : readName(name);
        if (names.includes(chosen)) throw badRequest(`There is a honeytoken ${chosen} already.`);
        if (expiresAt !== null && expiresAt <= clock.now())
          throw badRequest("The honeytoken would have expired already.");
        const id = ids.next("honeytoken");
        const content = { kind, name: chosen, memo: readMemo(memo), answer: readAnswer(kind, answer) };
        const { seq } = query
          .insert(honeytokens)
          .values({ ...content, id, enabled: true, expiresAt, createdAt: clock.now() })
          .returning({ seq: honeytokens.seq })
          .get();
        addAddress(seq);
        auditLog.record(by, "token.create", chosen, { id, kind });
        return get(id);
      }),
    list: () => all().all().map(withAddresses),
    get,
    find,
    setEnabled: (idOrName, enabled, by) =>
      database.transaction(() => {
        const { seq, id, name, enabled: before } = get(idOrName);
        query.update(honeytokens).set({ enabled }).where(eq(honeytokens.seq, seq)).run();
        if (enabled !== before) auditLog.record(by, enabled ? "token.enable" : "token.disable", name, { id });
        return get(id);
      }),
    rotate: (idOrName, { watchOld }, by) =>
      database.transaction(() => {
        const { seq, id, name, oldAddresses } = get(idOrName);
        const ofToken = eq(honeytokenAddresses.tokenSeq, seq);
        if (!watchOld) query.delete(honeytokenAddresses).where(ofToken).run();
        else {
          query
            .update(honeytokenAddresses)
            .set({ replacedAt: clock.now() })
            .where(and(ofToken, isNull(honeytokenAddresses.replacedAt)))
            .run();
          for (const address of oldAddresses.slice(oldAddressesMax - 1))
            query
              .delete(honeytokenAddresses)
              .where(and(eq(honeytokenAddresses.address, address), isNotNull(honeytokenAddresses.replacedAt)))
              .run();
        }
        addAddress(seq);
        auditLog.record(by, "token.rotate", name, { id, old_address_watched: watchOld });
        return get(id);
      }),
    remove: (idOrName, by) =>
      database.transaction(() => {
        const token = get(idOrName);
        query.delete(honeytokens).where(eq(honeytokens.seq, token.seq)).run();
        hits.removeOf(token.id);
        auditLog.record(by, "token.remove", token.name, { id: token.id });
        return token;
      }),
    byAddress(address) {
      const row = live().get(address);
      if (row === null || (row.expiresAt !== null && row.expiresAt <= clock.now())) return undefined;
      return { id: row.id, kind: row.kind, answer: JSON.parse(row.answer) as TokenAnswer };
    },
    url: (token, publicUrl) => `${publicUrl}/t/${token.address}${token.kind === "pixel" ? ".gif" : ""}`,
  };
}

function readAnswer(kind: TokenKind, answer: TokenAnswer): TokenAnswer {
  if (kind !== "url" && answer.kind !== "not_found")
    throw badRequest(`Only a honeytoken of kind url answers what one chooses, not one of kind ${kind}.`);
  switch (answer.kind) {
    case "not_found":
      return { kind: "not_found" };
    case "page": {
      const { title, text } = answer;
      if (title.length + text.length > textLengthMax)
        throw badRequest(`A page has ${textLengthMax} characters at most.`);
      return { kind: "page", title, text };
    }
    case "redirect": {
      const { url } = answer;
      const parsed = url.length <= redirectLengthMax && /^[\x21-\x7e]+$/.test(url) ? URL.parse(url) : null;
      if (parsed === null || !["http:", "https:"].includes(parsed.protocol))
        throw badRequest(`"${visible(url, 100)}" is not an http:// or https:// address to redirect to.`);
      return { kind: "redirect", url: parsed.href };
    }
  }
}
