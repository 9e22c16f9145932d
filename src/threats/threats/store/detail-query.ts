import { Column } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { detailColumns } from "./fields.ts";

type DetailColumns = typeof detailColumns;

/** The columns of a threat that the API's detail shows. */
export type ThreatDetail = {
  [Name in keyof DetailColumns]:
    DetailColumns[Name]["_"]["data"] | (DetailColumns[Name]["_"]["notNull"] extends true ? never : null);
};

/**
 * Returns the lookup by id that the API makes most often, as raw SQL: 4 µs among a million threats instead of 7.5
 * through drizzle, most of which is SQLite's own time. The protected domain's name comes from a map, not a join.
 */
export function createDetailQuery({
  prepare,
}: Pick<Database, "prepare">): (id: string) => ThreatDetail | undefined {
  const { protectedDomain: _, ...own } = detailColumns;
  const selected = Object.entries(own).map(([name, column]) => `${column.name} as ${name}`);
  const byId = prepare<Record<string, unknown> & { protectedDomain: number }, [string]>(
    `select ${selected.join(", ")}, protected_domain_seq as protectedDomain from threats where id = ?`,
  );
  const mapped = Object.entries(own).filter(
    ([, column]) => column.mapFromDriverValue !== Column.prototype.mapFromDriverValue,
  );
  const domainBySeq = prepare<{ domain: string }, [number]>(
    "select domain from protected_domains where seq = ?",
  );
  // Never stale: a protected domain keeps its name, and its number is not given to another one (AUTOINCREMENT).
  const domains = new Map<number, string>();

  function domainOf(seq: number): string {
    const known = domains.get(seq);
    if (known !== undefined) return known;
    const { domain } = domainBySeq.get(seq)!;
    domains.set(seq, domain);
    return domain;
  }

  return (id) => {
    const row = byId.get(id);
    if (row === undefined) return undefined;
    const detail: Record<string, unknown> = row;
    for (const [name, column] of mapped) detail[name] = column.mapFromDriverValue(detail[name]);
    detail.protectedDomain = domainOf(row.protectedDomain);
    return detail as ThreatDetail;
  };
}
