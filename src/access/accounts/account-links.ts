import { and, desc, eq, isNull, lt } from "drizzle-orm";
import type { Needs } from "../../platform/database/needs.ts";
import { hasValue, statement } from "../../platform/database/statement.ts";
import { dayMs, type Instant } from "../../platform/lib/clock.ts";
import { badRequest } from "../../platform/lib/errors.ts";
import { randomText } from "../../platform/lib/ids.ts";
import { accountLinks } from "./tables.ts";

/** A link that was just created. The token is shown once and cannot be retrieved later. */
export interface NewLink {
  token: string;
  expiresAt: Instant;
}

export type LinkState = "valid" | "used" | "expired" | "replaced";

/** Links to choose a password with. Each works once; an account has at most one that works. */
export type AccountLinks = ReturnType<typeof createAccountLinks>;

const linkMs = 7 * dayMs;
const linkMsMin = 600_000;
const linkMsMax = 30 * dayMs;
/** An ended link is kept for this time, so that its page can say why it does not work. */
const keptMs = 90 * dayMs;
const tokenBytes = 32;
const tokenForm = /^[\w-]{43}$/;

export function createAccountLinks({
  database,
  clock,
  fillRandom,
}: Needs<"clock" | "database" | "fillRandom">) {
  const { query } = database;
  const byHash = statement(database, (q) => q.select().from(accountLinks).where(hasValue(accountLinks.hash)));
  const isOpen = and(isNull(accountLinks.usedAt), isNull(accountLinks.revokedAt));
  const revoke = (accountSeq: number) =>
    void query
      .update(accountLinks)
      .set({ revokedAt: clock.now() })
      .where(and(eq(accountLinks.accountSeq, accountSeq), isOpen))
      .run();

  return {
    /** Creates a link, and revokes the account's earlier one. @throws PublicError `bad_request` for the lifetime */
    create(accountSeq: number, lifetimeMs: number = linkMs): NewLink {
      if (lifetimeMs < linkMsMin || lifetimeMs > linkMsMax)
        throw badRequest("The lifetime of a link must be 10 minutes to 30 days.");
      return database.transaction(() => {
        const now = clock.now();
        revoke(accountSeq);
        query
          .delete(accountLinks)
          .where(lt(accountLinks.expiresAt, now - keptMs))
          .run();
        const token = randomText(fillRandom, tokenBytes);
        const expiresAt = now + lifetimeMs;
        query
          .insert(accountLinks)
          .values({ accountSeq, hash: hashOf(token), createdAt: now, expiresAt })
          .run();
        return { token, expiresAt };
      });
    },
    /** Returns undefined for a token that never existed, or was deleted long after its end. */
    find(token: string): { seq: number; accountSeq: number; state: LinkState } | undefined {
      const link = tokenForm.test(token) ? byHash.get({ hash: hashOf(token) }) : undefined;
      return link === undefined
        ? undefined
        : { seq: link.seq, accountSeq: link.accountSeq, state: stateOf(link, clock.now()) };
    },
    /** Returns the link of an account that works. */
    ofAccount(accountSeq: number): { createdAt: Instant; expiresAt: Instant } | undefined {
      const newest = query
        .select()
        .from(accountLinks)
        .where(and(eq(accountLinks.accountSeq, accountSeq), isOpen))
        .orderBy(desc(accountLinks.seq))
        .get();
      if (newest === undefined || stateOf(newest, clock.now()) !== "valid") return undefined;
      return { createdAt: newest.createdAt, expiresAt: newest.expiresAt };
    },
    markUsed: (seq: number) =>
      void query.update(accountLinks).set({ usedAt: clock.now() }).where(eq(accountLinks.seq, seq)).run(),
    /** Revokes the account's link that works, if there is one. */
    revoke,
  };
}

function stateOf(
  {
    usedAt,
    revokedAt,
    expiresAt,
  }: Pick<typeof accountLinks.$inferSelect, "usedAt" | "revokedAt" | "expiresAt">,
  now: Instant,
): LinkState {
  if (usedAt !== null) return "used";
  if (revokedAt !== null) return "replaced";
  return now >= expiresAt ? "expired" : "valid";
}

function hashOf(token: string): Buffer {
  return Buffer.from(Bun.SHA256.hash(token).buffer);
}
