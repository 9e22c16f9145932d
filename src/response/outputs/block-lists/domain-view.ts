import type { Database } from "../../../platform/database/database.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import { ownNamesOf, type OwnNames } from "./coverage.ts";

/** The protected domains as lists need them. The object is another one after each change, and only then. */
export interface DomainView {
  own: OwnNames;
  nameOf: ReadonlyMap<number, string>;
}

/** Returns a function that returns the current view, whichever process changed the domains. */
export function createDomainView({
  database,
  domains,
}: {
  database: Pick<Database, "foreignVersion">;
  domains: Pick<ProtectedDomains, "list" | "onChange">;
}): () => DomainView {
  let cached: { view: DomainView; content: string; foreignVersion: number } | undefined;
  domains.onChange(() => {
    if (cached !== undefined) cached.foreignVersion = -1;
  });
  return () => {
    const foreignVersion = database.foreignVersion();
    if (cached?.foreignVersion === foreignVersion) return cached.view;
    const rows = domains.list();
    // Most commits of other processes do not change the domains.
    const content = JSON.stringify(rows.map(({ seq, domain, allow }) => [seq, domain, allow]));
    if (cached?.content === content) cached.foreignVersion = foreignVersion;
    else {
      const view = { own: ownNamesOf(rows), nameOf: new Map(rows.map(({ seq, domain }) => [seq, domain])) };
      cached = { view, content, foreignVersion };
    }
    return cached.view;
  };
}
