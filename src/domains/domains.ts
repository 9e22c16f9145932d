import { asc, eq, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import type { Matcher } from "../detection/matcher.ts";
import { normalizeName } from "../detection/name.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { PublicError, messageOf } from "../lib/errors.ts";
import type { IdFactory } from "../lib/ids.ts";
import { protectedDomains } from "./tables.ts";

export type ProtectedDomain = typeof protectedDomains.$inferSelect;

/** A protected domain as the configuration file or a person declares it; names in any form. */
export interface DeclaredDomain {
  domain: string;
  keywords?: readonly string[];
  /** Names of one's own that are never threats, with all below them. */
  allow?: readonly string[];
}

/** The domains that are guarded, and the detection built for them. */
export interface ProtectedDomains {
  /** All, by name; disabled ones too. */
  list(): ProtectedDomain[];
  /** By name, in any form and case. */
  find(domain: string): ProtectedDomain | undefined;
  /**
   * Adds one at run time; a disabled one is enabled again.
   * @throws PublicError `bad_request`: not a name, or there already.
   */
  add(declared: DeclaredDomain): ProtectedDomain;
  /**
   * Takes one away. One that has threats is disabled instead, for they refer to it.
   * @throws PublicError `not_found`; `bad_request` for one that the configuration file declares.
   */
  remove(domain: string): "removed" | "disabled";
  /** Makes the table agree with the configuration file; what left the file is disabled. */
  reconcile(declared: readonly DeclaredDomain[]): void;
  /** The matcher for all enabled domains; built anew after a change, also one by another process. */
  matcher(): Matcher;
}

export function createProtectedDomains({
  database,
  clock,
  ids,
  log,
  minSimilarity,
}: {
  database: Database;
  clock: Clock;
  ids: IdFactory;
  log: Log;
  /** `detection.min_similarity`. */
  minSimilarity: number;
}): ProtectedDomains {
  const { query } = database;
  const all = query.select().from(protectedDomains).orderBy(asc(protectedDomains.domain)).prepare();
  const byName = query
    .select()
    .from(protectedDomains)
    .where(eq(protectedDomains.domain, sql.placeholder("domain")))
    .prepare();
  /** Remarks in the log already: one line for each, not one for each change of the domains. */
  let logged = new Set<string>();
  let cached: { matcher: Matcher; content: string; foreignVersion: number } | undefined;

  function write(declared: DeclaredDomain, origin: ProtectedDomain["origin"]): void {
    const now = clock.now();
    const content = { ...normalizeDeclared(declared), origin, enabled: true, updatedAt: now };
    query
      .insert(protectedDomains)
      .values({ ...content, id: ids.next("protectedDomain"), createdAt: now })
      .onConflictDoUpdate({ target: protectedDomains.domain, set: content })
      .run();
    database.afterCommit(forget);
  }

  function disable(domain: string): void {
    query
      .update(protectedDomains)
      .set({ enabled: false, updatedAt: clock.now() })
      .where(eq(protectedDomains.domain, domain))
      .run();
    database.afterCommit(forget);
  }

  /** Answers whether it could be deleted: SQLite refuses while a threat refers to it. */
  function deleteUnreferenced(seq: number): boolean {
    try {
      query.delete(protectedDomains).where(eq(protectedDomains.seq, seq)).run();
      return true;
    } catch (error) {
      if (/FOREIGN KEY/i.test(messageOf(error) + messageOf((error as Error).cause))) return false;
      throw error;
    }
  }

  function forget(): void {
    if (cached !== undefined) cached.foreignVersion = -1;
  }

  function logRemarks(matcher: Matcher): void {
    const before = logged;
    logged = new Set();
    for (const remark of matcher.remarks()) {
      const key = JSON.stringify(remark);
      logged.add(key);
      if (!before.has(key)) log.info(remark, "a brand word is not looked for everywhere");
    }
  }

  const find = (text: string) => {
    const result = normalizeName(text);
    return "name" in result ? byName.get({ domain: result.name }) : undefined;
  };

  return {
    list: () => all.all(),
    find,

    add: (declared) =>
      database.transaction(() => {
        const { domain } = normalizeDeclared(declared);
        const present = byName.get({ domain });
        if (present?.enabled === true) throw new PublicError("bad_request", `${domain} is protected already`);
        write(declared, "runtime");
        return byName.get({ domain })!;
      }),

    remove: (text) =>
      database.transaction(() => {
        const present = find(text);
        if (present === undefined)
          throw new PublicError("not_found", `${text.slice(0, 100)} is not a protected domain`);
        if (present.origin === "file" && present.enabled) {
          throw new PublicError(
            "bad_request",
            `${present.domain} is declared in the configuration file; take it out there`,
          );
        }
        if (!deleteUnreferenced(present.seq)) {
          disable(present.domain);
          return "disabled" as const;
        }
        database.afterCommit(forget);
        return "removed" as const;
      }),

    reconcile: (declared) =>
      database.transaction(() => {
        const wanted = declared.map(normalizeDeclared);
        const present = all.all();
        for (const one of wanted) {
          const row = present.find(({ domain }) => domain === one.domain);
          if (row === undefined || !row.enabled || row.origin !== "file" || !sameContent(row, one))
            write(one, "file");
        }
        for (const row of present) {
          const declaredStill = wanted.some(({ domain }) => domain === row.domain);
          if (row.origin === "file" && row.enabled && !declaredStill) disable(row.domain);
        }
      }),

    matcher() {
      const foreignVersion = database.foreignVersion();
      if (cached?.foreignVersion === foreignVersion) return cached.matcher;
      const enabled = all.all().filter((row) => row.enabled);
      // Most commits of other processes leave the domains alone, and a matcher takes time to build.
      const content = JSON.stringify(enabled.map(({ domain, keywords, allow }) => [domain, keywords, allow]));
      const isUnchanged = cached?.content === content;
      const matcher = isUnchanged
        ? cached!.matcher
        : loadDetection().createMatcher(enabled, { minSimilarity });
      if (!isUnchanged) logRemarks(matcher);
      cached = { matcher, content, foreignVersion };
      return matcher;
    },
  };
}

/** Only when a first name is to be judged: its word lists take 20 ms, for which no start should wait. */
function loadDetection(): typeof import("../detection/matcher.ts") {
  return require("../detection/matcher.ts");
}

function normalizeDeclared({ domain, keywords = [], allow = [] }: DeclaredDomain) {
  return { domain: normalized(domain), keywords: [...keywords], allow: allow.map(normalized) };
}

function normalized(text: string): string {
  const result = normalizeName(text);
  if ("name" in result) return result.name;
  throw new PublicError("bad_request", `"${text.slice(0, 100)}" is not a domain name: ${result.error}`);
}

function sameContent(row: ProtectedDomain, declared: ReturnType<typeof normalizeDeclared>): boolean {
  return JSON.stringify([row.keywords, row.allow]) === JSON.stringify([declared.keywords, declared.allow]);
}
