import { asc, eq, sql } from "drizzle-orm";
import { sqliteErrorCode } from "../../platform/database/files/errors.ts";
import type { Needs } from "../../platform/database/needs.ts";
import { hasValue, statement } from "../../platform/database/statement.ts";
import type { DomainContent } from "./declaration.ts";
import { protectedDomains, type ProtectedDomain } from "./tables.ts";

/** The rows of the protected domains. Names are A-labels. */
export type DomainStore = ReturnType<typeof createDomainStore>;

/** @param options.onChange called after each transaction that changed a domain */
export function createDomainStore({
  database,
  clock,
  ids,
  onChange,
}: Needs<"clock" | "database" | "ids"> & { onChange: () => void }) {
  const { query } = database;
  const all = statement(database, (q) =>
    q.select().from(protectedDomains).orderBy(asc(protectedDomains.domain)),
  );
  const byName = statement(database, (q) =>
    q.select().from(protectedDomains).where(hasValue(protectedDomains.domain)),
  );

  return {
    /** Returns all domains by name, including disabled ones. */
    list: (): ProtectedDomain[] => all.all(),
    find: (domain: string): ProtectedDomain | undefined => byName.get({ domain }),

    /** Inserts a domain, or replaces its content and enables it. */
    write(declared: DomainContent, origin: ProtectedDomain["origin"]): ProtectedDomain {
      const now = clock.now();
      const present = byName.get({ domain: declared.domain });
      const widenings = (present?.widenings ?? 0) + (isWider(declared, present) ? 1 : 0);
      const content = { ...declared, origin, enabled: true, widenings, updatedAt: now };
      database.afterCommit(onChange);
      return query
        .insert(protectedDomains)
        .values({ ...content, id: ids.next("protectedDomain"), createdAt: now })
        .onConflictDoUpdate({ target: protectedDomains.domain, set: content })
        .returning()
        .get();
    },

    /** Counts a widening, although the content is the same. */
    widen(seq: number) {
      query
        .update(protectedDomains)
        .set({ widenings: sql`${protectedDomains.widenings} + 1` })
        .where(eq(protectedDomains.seq, seq))
        .run();
      database.afterCommit(onChange);
    },

    disable(domain: string) {
      query
        .update(protectedDomains)
        .set({ enabled: false, updatedAt: clock.now() })
        .where(eq(protectedDomains.domain, domain))
        .run();
      database.afterCommit(onChange);
    },

    /** Returns false, and deletes nothing, when a threat refers to the domain. */
    deleteUnreferenced(seq: number): boolean {
      try {
        query.delete(protectedDomains).where(eq(protectedDomains.seq, seq)).run();
      } catch (error) {
        if (sqliteErrorCode(error) === "SQLITE_CONSTRAINT_FOREIGNKEY") return false;
        throw error;
      }
      database.afterCommit(onChange);
      return true;
    },
  };
}

/** Returns whether names may match that did not match before. */
function isWider({ keywords, allow }: DomainContent, before: ProtectedDomain | undefined): boolean {
  return (
    before?.enabled !== true ||
    keywords.some((word) => !before.keywords.includes(word)) ||
    before.allow.some((name) => !allow.includes(name))
  );
}
