import type { AuditDetail } from "../../access/audit/actions.ts";
import { configurationFile, type Actor } from "../../access/audit/actor.ts";
import type { Needs } from "../../access/audit/needs.ts";
import type { DetectionSettings } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Matcher } from "../../engines/detection/match/matcher.ts";
import { normalizeHostName } from "../../engines/detection/names/name.ts";
import { badRequest, notFound, PublicError } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import {
  type DeclaredDomain,
  type DomainContent,
  requireKeywords,
  validateAllow,
  validateDeclaration,
  validateKeywords,
} from "./declaration.ts";
import { createMatcherCache } from "./matcher-cache.ts";
import { createDomainStore, type DomainStore } from "./store.ts";
import type { ProtectedDomain } from "./tables.ts";

export type { ProtectedDomain };

/** The protected domains and their matcher. Changes are recorded in the audit log, in the same transaction. */
export interface ProtectedDomains {
  /** Returns all protected domains by name, including disabled ones. */
  list(): ProtectedDomain[];
  /** Finds one by its name in any form and case. */
  find(domain: string): ProtectedDomain | undefined;
  /**
   * Adds a domain, or enables a disabled one with the given content.
   * @throws DomainFieldError for an invalid value; PublicError `bad_request` when the domain is protected already.
   */
  add(declared: DeclaredDomain, options: { by: Actor }): ProtectedDomain;
  /**
   * Replaces the keywords, the allowed names, or both; absent ones stay as they are.
   * @throws DomainFieldError; PublicError `not_found`; `bad_request` when the configuration file declares the domain.
   */
  change(domain: string, content: Omit<DeclaredDomain, "domain">, options: { by: Actor }): ProtectedDomain;
  /**
   * Deletes a domain, or disables it when it has threats, because they refer to it.
   * @throws PublicError `not_found`; `bad_request` when the configuration file declares the domain.
   */
  remove(domain: string, options: { by: Actor }): "removed" | "disabled";
  /**
   * Makes the table match the configuration file, which validates and normalizes the declarations. Domains that are no
   * longer declared are disabled.
   */
  reconcile(declared: readonly DeclaredDomain[]): void;
  /** Returns the matcher for all enabled domains; rebuilt after a change, even by another process. */
  matcher(): Matcher;
  /**
   * Returns a function to call when a process other than the server has added names to the archive: it requests another
   * check of the archive for each domain that matches more names since. The first check may have missed the names.
   */
  watchWidenings(): () => void;
  /** Calls `listener` after each transaction of this process that changed a domain. */
  onChange(listener: () => void): void;
}

export function createProtectedDomains({
  database,
  clock,
  ids,
  log,
  auditLog,
  detection,
}: Needs<"auditLog" | "clock" | "database" | "ids" | "log"> & {
  detection: Pick<DetectionSettings, "minSimilarity">;
}): ProtectedDomains {
  const listeners: (() => void)[] = [];
  const store = createDomainStore({ database, clock, ids, onChange });
  const cache = createMatcherCache({ database, detection, log, list: store.list });

  function onChange(): void {
    cache.invalidate();
    for (const listener of listeners) listener();
  }

  function find(text: string): ProtectedDomain | undefined {
    const result = normalizeHostName(text);
    return "name" in result ? store.find(result.name) : undefined;
  }

  function get(text: string): ProtectedDomain {
    const present = find(text);
    if (present === undefined) throw notFound(`${visible(text, 100)} is not a protected domain`);
    return present;
  }

  return {
    list: store.list,
    find,

    add: (declared, { by }) =>
      database.transaction(() => {
        const content = validateDeclaration(declared);
        const { domain } = content;
        if (store.find(domain)?.enabled === true) throw badRequest(`${domain} is protected already`);
        const added = store.write(content, "runtime");
        auditLog.record(by, "domain.add", domain, contentOf(added));
        return added;
      }),

    change: (text, { keywords, allow }, { by }) =>
      database.transaction(() => {
        const present = get(text);
        const { domain } = present;
        if (!present.enabled) throw badRequest(`${domain} is no longer protected; add it again`);
        if (present.origin === "file") throw declaredInFile(domain, "change it there");
        const content = {
          keywords: keywords === undefined ? present.keywords : validateKeywords(keywords),
          allow: allow === undefined ? present.allow : validateAllow(allow),
        };
        if (hasContent(present, content)) return present;
        requireKeywords({ domain, keywords: content.keywords });
        const changed = store.write({ domain, ...content }, "runtime");
        auditLog.record(by, "domain.change", domain, contentOf(changed));
        return changed;
      }),

    remove: (text, { by }) =>
      database.transaction(() => {
        const { domain, seq, origin, enabled } = get(text);
        if (origin === "file" && enabled) throw declaredInFile(domain, "remove it there");
        const outcome = store.deleteUnreferenced(seq) ? "removed" : "disabled";
        if (outcome === "disabled") store.disable(domain);
        auditLog.record(by, "domain.remove", domain, { outcome });
        return outcome;
      }),

    reconcile: (declared) =>
      database.transaction(() => {
        const present = new Map(store.list().map((row) => [row.domain, row]));
        for (const { domain, keywords = [], allow = [] } of declared) {
          const content = { domain, keywords: [...keywords], allow: [...allow] };
          const row = present.get(domain);
          const isUnchanged = row?.enabled === true && row.origin === "file" && hasContent(row, content);
          if (isUnchanged) continue;
          const action = row?.enabled === true ? "domain.change" : "domain.add";
          auditLog.record(configurationFile, action, domain, contentOf(store.write(content, "file")));
        }
        const declaredNames = new Set(declared.map(({ domain }) => domain));
        for (const { domain, origin, enabled } of present.values()) {
          if (origin !== "file" || !enabled || declaredNames.has(domain)) continue;
          store.disable(domain);
          auditLog.record(configurationFile, "domain.remove", domain, { outcome: "disabled" });
        }
      }),

    matcher: cache.get,
    watchWidenings: () => watchWidenings(database, store),
    onChange: (listener) => void listeners.push(listener),
  };
}

function watchWidenings(database: Pick<Database, "transaction">, store: DomainStore): () => void {
  const before = new Map(store.list().map(({ seq, widenings }) => [seq, widenings]));
  return () => {
    const widened = store.list().filter(({ seq, widenings }) => before.get(seq) !== widenings);
    if (widened.length > 0) database.transaction(() => widened.forEach(({ seq }) => store.widen(seq)));
  };
}

function declaredInFile(domain: string, advice: string): PublicError {
  return badRequest(`${domain} is declared in the configuration file; ${advice}`);
}

function contentOf({ keywords, allow }: ProtectedDomain): AuditDetail {
  return { keywords, allow };
}

function hasContent(row: ProtectedDomain, declared: Omit<DomainContent, "domain">): boolean {
  return JSON.stringify([row.keywords, row.allow]) === JSON.stringify([declared.keywords, declared.allow]);
}
