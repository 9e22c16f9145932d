import { asc, eq, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import type { Matcher } from "../detection/match/matcher.ts";
import { normalizeName } from "../detection/names/name.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { badRequest, messageOf, notFound, PublicError } from "../lib/errors.ts";
import type { IdFactory } from "../lib/ids.ts";
import { visible } from "../lib/safe-text.ts";
import {
  type DeclaredDomain,
  type DomainContent,
  readAllow,
  readDeclaration,
  readKeywords,
} from "./declaration.ts";
import { protectedDomains } from "./tables.ts";

export type ProtectedDomain = typeof protectedDomains.$inferSelect;

/** The domains that are guarded, and the detection built for them. */
export interface ProtectedDomains {
  /** All, by name; disabled ones too. */
  list(): ProtectedDomain[];
  /** By name, in any form and case. */
  find(domain: string): ProtectedDomain | undefined;
  /**
   * Adds one at run time; a disabled one is enabled again.
   * @throws DomainFieldError: a value that cannot be taken; PublicError `bad_request`: there already.
   */
  add(declared: DeclaredDomain): ProtectedDomain;
  /**
   * Gives one other keywords and allowed names; absent: they stay as they are.
   * @throws DomainFieldError; PublicError `not_found`, `bad_request` for one that the configuration file declares.
   */
  change(domain: string, content: Omit<DeclaredDomain, "domain">): ProtectedDomain;
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

  function write(declared: DomainContent, origin: ProtectedDomain["origin"]): void {
    const now = clock.now();
    const content = { ...declared, origin, enabled: true, updatedAt: now };
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

  function known(text: string): ProtectedDomain {
    const present = find(text);
    if (present !== undefined) return present;
    throw notFound(`${visible(text, 100)} is not a protected domain`);
  }

  return {
    list: () => all.all(),
    find,

    add: (declared) =>
      database.transaction(() => {
        const content = readDeclaration(declared);
        const { domain } = content;
        const present = byName.get({ domain });
        if (present?.enabled === true) throw badRequest(`${domain} is protected already`);
        write(content, "runtime");
        return byName.get({ domain })!;
      }),

    change: (text, { keywords, allow }) =>
      database.transaction(() => {
        const present = known(text);
        const { domain } = present;
        if (!present.enabled) throw badRequest(`${domain} is not protected any more; add it again`);
        if (present.origin === "file") throw declaredInFile(domain, "change it there");
        const content = {
          keywords: keywords === undefined ? present.keywords : readKeywords(keywords),
          allow: allow === undefined ? present.allow : readAllow(allow),
        };
        if (!sameContent(present, content)) write({ domain, ...content }, "runtime");
        return byName.get({ domain })!;
      }),

    remove: (text) =>
      database.transaction(() => {
        const present = known(text);
        if (present.origin === "file" && present.enabled)
          throw declaredInFile(present.domain, "take it out there");
        if (!deleteUnreferenced(present.seq)) {
          disable(present.domain);
          return "disabled" as const;
        }
        database.afterCommit(forget);
        return "removed" as const;
      }),

    reconcile: (declared) =>
      database.transaction(() => {
        const wanted = declared.map(readDeclaration);
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
function loadDetection(): typeof import("../detection/match/matcher.ts") {
  return require("../detection/match/matcher.ts");
}

function declaredInFile(domain: string, instead: string): PublicError {
  return badRequest(`${domain} is declared in the configuration file; ${instead}`);
}

function sameContent(row: ProtectedDomain, declared: Omit<DomainContent, "domain">): boolean {
  return JSON.stringify([row.keywords, row.allow]) === JSON.stringify([declared.keywords, declared.allow]);
}
