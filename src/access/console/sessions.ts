import type { Database as Sqlite } from "bun:sqlite";
import { and, desc, eq, getTableColumns, gte, lt, lte, ne, or } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import type { Needs } from "../../platform/database/needs.ts";
import { hasValue, statement } from "../../platform/database/statement.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { randomText } from "../../platform/lib/ids.ts";
import { logDropped } from "../../platform/lib/log.ts";
import { consoleSessions } from "./tables.ts";

export type ConsoleSession = Omit<typeof consoleSessions.$inferSelect, "hash">;

/** Sessions of the web console. Only the browser's cookie contains a session's token. */
export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;

const hourMs = 3_600_000;
/** A session expires after this time without a request. */
export const idleMsMax = 12 * hourMs;
/** A session expires after this time in any case. */
export const sessionMsMax = 7 * 24 * hourMs;
/** Maximum number of sessions of one account; its oldest are ended first, never sessions of other accounts. */
const sessionsPerAccountMax = 50;
/** How often a session's time of last use is written. */
const lastSeenIntervalMs = 60_000;
const tokenBytes = 32;
const userAgentCharactersMax = 300;

const { hash: _, ...columns } = getTableColumns(consoleSessions);

export function createConsoleSessions({
  database,
  clock,
  fillRandom,
  log,
}: Needs<"clock" | "database" | "fillRandom" | "log">) {
  const { query } = database;
  /** Sessions whose time of last use is being written. */
  const touching = new Set<number>();
  const byHash = statement(database, (q) =>
    q.select(columns).from(consoleSessions).where(hasValue(consoleSessions.hash)),
  );

  /** Deletes expired sessions, and the account's oldest so that there is room for another one. */
  function makeRoom(accountSeq: number, now: Instant): void {
    const isExpired = or(
      lt(consoleSessions.lastSeenAt, now - idleMsMax),
      lt(consoleSessions.createdAt, now - sessionMsMax),
    );
    query.delete(consoleSessions).where(isExpired).run();
    const isOwn = eq(consoleSessions.accountSeq, accountSeq);
    const own = query
      .select(columns)
      .from(consoleSessions)
      .where(isOwn)
      .orderBy(desc(consoleSessions.seq))
      .all();
    const excess = own[sessionsPerAccountMax - 1];
    if (excess === undefined) return;
    query
      .delete(consoleSessions)
      .where(and(isOwn, lte(consoleSessions.seq, excess.seq)))
      .run();
  }

  /** Reading a page does not wait for this write. */
  function touch(seq: number, now: Instant): void {
    touching.add(seq);
    database
      .write(
        () =>
          query.update(consoleSessions).set({ lastSeenAt: now }).where(eq(consoleSessions.seq, seq)).run(),
        { relaxed: true, patient: true },
      )
      .catch((error: unknown) => logDropped(log, error, "console.session_use_not_stored"))
      .finally(() => touching.delete(seq));
  }

  return {
    start: ({
      accountSeq,
      address,
      userAgent,
    }: Pick<ConsoleSession, "accountSeq" | "address" | "userAgent">) =>
      database.transaction(() => {
        const now = clock.now();
        makeRoom(accountSeq, now);
        const token = randomText(fillRandom, tokenBytes);
        const session = query
          .insert(consoleSessions)
          .values({
            hash: hashOf(token),
            accountSeq,
            address,
            userAgent: userAgent.slice(0, userAgentCharactersMax),
            createdAt: now,
            lastSeenAt: now,
          })
          .returning(columns)
          .get();
        return { token, session };
      }),

    /** Returns the session with this token unless it has expired, and notes when it was last seen. */
    find(token: string): ConsoleSession | undefined {
      const session = byHash.get({ hash: hashOf(token) });
      if (session === undefined) return undefined;
      const now = clock.now();
      const { seq, createdAt, lastSeenAt } = session;
      if (now - lastSeenAt > idleMsMax || now - createdAt > sessionMsMax) return undefined;
      if (now - lastSeenAt >= lastSeenIntervalMs && !touching.has(seq)) touch(seq, now);
      return session;
    },

    end: ({ seq }: Pick<ConsoleSession, "seq">) =>
      void query.delete(consoleSessions).where(eq(consoleSessions.seq, seq)).run(),
    /** Ends the sessions of an account, except one if it is given, and returns how many it ended. */
    endAllOf(accountSeq: number, exceptSeq = -1): number {
      const isOther = and(eq(consoleSessions.accountSeq, accountSeq), ne(consoleSessions.seq, exceptSeq));
      const ended = query.delete(consoleSessions).where(isOther).returning({ seq: consoleSessions.seq });
      return ended.all().length;
    },

    /** Returns the active sessions, of one account or of all, most recently seen first. */
    list: (accountSeq?: number): ConsoleSession[] => listActive(database, clock.now(), accountSeq),
  };
}

function listActive({ query }: Database, now: Instant, accountSeq: number | undefined): ConsoleSession[] {
  const isActive = and(
    accountSeq === undefined ? undefined : eq(consoleSessions.accountSeq, accountSeq),
    gte(consoleSessions.lastSeenAt, now - idleMsMax),
    gte(consoleSessions.createdAt, now - sessionMsMax),
  );
  return query
    .select(columns)
    .from(consoleSessions)
    .where(isActive)
    .orderBy(desc(consoleSessions.lastSeenAt))
    .all();
}

/**
 * Deletes all sessions, and revokes the links to choose a password with, over a plain connection to a database file that is
 * not in use: after a restore, what has ended or was used since the backup would work again.
 */
export function deleteAllSessions(sqlite: Sqlite): void {
  sqlite.run("DELETE FROM console_sessions");
  // Backups of earlier versions have no accounts.
  const tables = sqlite.query("SELECT 1 FROM sqlite_master WHERE name = 'account_links'").all();
  if (tables.length === 0) return;
  sqlite.run("UPDATE account_links SET revoked_at = created_at WHERE used_at IS NULL AND revoked_at IS NULL");
}

function hashOf(token: string): Buffer {
  return Buffer.from(Bun.SHA256.hash(token).buffer);
}
