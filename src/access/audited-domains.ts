import type { Database } from "../database/database.ts";
import type { DeclaredDomain } from "../domains/declaration.ts";
import type { ProtectedDomain, ProtectedDomains } from "../domains/domains.ts";
import { configurationFile, type Actor } from "./audit/actor.ts";
import type { AuditDetail } from "./audit/actions.ts";
import { changesBetween, type AuditLog } from "./audit/audit-log.ts";

/** The protected domains, for those who administer them: each act is written to the audit log with who did it. */
export interface AuditedDomains extends Omit<ProtectedDomains, "add" | "change" | "remove"> {
  add(declared: DeclaredDomain, by: Actor): ProtectedDomain;
  change(domain: string, content: Omit<DeclaredDomain, "domain">, by: Actor): ProtectedDomain;
  remove(domain: string, by: Actor): "removed" | "disabled";
}

export function auditDomains({
  domains,
  auditLog,
  database,
}: {
  domains: ProtectedDomains;
  auditLog: AuditLog;
  database: Database;
}): AuditedDomains {
  return {
    ...domains,
    add: (declared, by) =>
      database.transaction(() => {
        const added = domains.add(declared);
        auditLog.record(by, "domain.add", added.domain, contentOf(added));
        return added;
      }),
    change: (text, content, by) =>
      database.transaction(() => {
        const before = domains.find(text);
        const changed = domains.change(text, content);
        if (before === undefined || !sameContent(before, changed))
          auditLog.record(by, "domain.change", changed.domain, contentOf(changed));
        return changed;
      }),
    remove: (text, by) =>
      database.transaction(() => {
        const domain = domains.find(text)?.domain ?? text;
        const outcome = domains.remove(text);
        auditLog.record(by, "domain.remove", domain, { outcome });
        return outcome;
      }),
    reconcile: (declared) =>
      database.transaction(() => {
        const before = domains.list();
        domains.reconcile(declared);
        for (const { was, is } of changesBetween(before, domains.list(), ({ domain }) => domain)) {
          if (is === undefined) continue;
          const { domain, enabled } = is;
          if (!enabled) auditLog.record(configurationFile, "domain.remove", domain, { outcome: "disabled" });
          else {
            const action = was?.enabled === true ? "domain.change" : "domain.add";
            auditLog.record(configurationFile, action, domain, contentOf(is));
          }
        }
      }),
  };
}

const contentOf = ({ keywords, allow }: ProtectedDomain): AuditDetail => ({ keywords, allow });

function sameContent(one: ProtectedDomain, other: ProtectedDomain): boolean {
  return JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));
}
