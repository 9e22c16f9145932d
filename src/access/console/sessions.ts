import type { Database as Sqlite } from "bun:sqlite";
import { and, desc, eq, gte, lt, lte, or, sql } from "drizzle-orm";
import type { Database } from "../../database/database.ts";
import type { Clock, Instant } from "../../lib/clock.ts";
import { randomText, type FillRandom } from "../../lib/ids.ts";
import { consoleSessions } from "./tables.ts";

export type ConsoleSession = Omit<typeof consoleSessions.$inferSelect, "hash">;

/** Sign-ins to the web console. A token is only known to the browser that holds it in its cookie. */
export interface ConsoleSessions {
  start(from: { address: string | null; userAgent: string }): { token: string; session: ConsoleSession };
  /** The session of this token, when it still holds. Notes that it was used. */
  find(token: string): ConsoleSession | undefined;
  end(session: ConsoleSession): void;
  endAll(): void;
  /** Those that hold, latest first. */
  list(): ConsoleSession[];
}

const hourMs = 3_600_000;
/** A session that was not used for so long has ended. */
export const idleMsMax = 12 * hourMs;
/** And one that is so old in any case. */
export const sessionMsMax = 7 * 24 * hourMs;
/** More at once are not kept: the oldest end. There is one administrator. */
const sessionsMax = 100;
const notedEveryMs = 60_000;
const tokenBytes = 32;
const userAgentMax = 300;

export function createConsoleSessions({
  database,
  clock,
  fillRandom,
}: {
  database: Database;
  clock: Clock;
  fillRandom: FillRandom;
}): ConsoleSessions {
  const { query } = database;
  // All but the hash.
  const columns = {
    seq: consoleSessions.seq,
    address: consoleSessions.address,
    userAgent: consoleSessions.userAgent,
    createdAt: consoleSessions.createdAt,
    lastSeenAt: consoleSessions.lastSeenAt,
  };
  const byHash = query
    .select(columns)
    .from(consoleSessions)
    .where(eq(consoleSessions.hash, sql.placeholder("hash")))
    .prepare();

  function removeEnded(now: Instant): void {
    const ended = or(
      lt(consoleSessions.lastSeenAt, now - idleMsMax),
      lt(consoleSessions.createdAt, now - sessionMsMax),
    );
    query.delete(consoleSessions).where(ended).run();
    const kept = query.select(columns).from(consoleSessions).orderBy(desc(consoleSessions.seq)).all();
    const tooMany = kept[sessionsMax - 1];
    if (tooMany !== undefined)
      query.delete(consoleSessions).where(lte(consoleSessions.seq, tooMany.seq)).run();
  }

  return {
    start: ({ address, userAgent }) =>
      database.transaction(() => {
        const now = clock.now();
        removeEnded(now);
        const token = randomText(fillRandom, tokenBytes);
        const row = { address, userAgent: userAgent.slice(0, userAgentMax), createdAt: now, lastSeenAt: now };
        const session = query
          .insert(consoleSessions)
          .values({ ...row, hash: hashOf(token) })
          .returning(columns)
          .get();
        return { token, session };
      }),

    find(token) {
      const session = byHash.get({ hash: hashOf(token) });
      if (session === undefined) return undefined;
      const now = clock.now();
      const { seq, createdAt, lastSeenAt } = session;
      if (now - lastSeenAt > idleMsMax || now - createdAt > sessionMsMax) return undefined;
      if (now - lastSeenAt >= notedEveryMs)
        query.update(consoleSessions).set({ lastSeenAt: now }).where(eq(consoleSessions.seq, seq)).run();
      return session;
    },

    end: ({ seq }) => void query.delete(consoleSessions).where(eq(consoleSessions.seq, seq)).run(),
    endAll: () => void query.delete(consoleSessions).run(),

    list() {
      const now = clock.now();
      const holds = and(
        gte(consoleSessions.lastSeenAt, now - idleMsMax),
        gte(consoleSessions.createdAt, now - sessionMsMax),
      );
      return query
        .select(columns)
        .from(consoleSessions)
        .where(holds)
        .orderBy(desc(consoleSessions.lastSeenAt))
        .all();
    },
  };
}

/**
 * Ends all sessions of a database that nothing else has open: in one from the past those would hold again that
 * were ended since.
 */
export function endSessionsFromOutside(sqlite: Sqlite): void {
  sqlite.run("DELETE FROM console_sessions");
}

function hashOf(token: string): Buffer {
  return Buffer.from(Bun.SHA256.hash(token).buffer);
}
