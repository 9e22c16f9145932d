import { and, eq, inArray } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { accounts } from "../../access/accounts/tables.ts";
import { hasValue, statement } from "../../platform/database/statement.ts";
import { protectedDomains } from "../domains/tables.ts";
import { foundColumns } from "../threats/store/fields.ts";
import { threats } from "../threats/store/tables.ts";
import { rowOfSeq, type Columns } from "./columns/columns.ts";
import { addRow, createRowSet, type RowSet } from "./arrays/row-set.ts";
import type { SearchFilter } from "./filter.ts";

/** Returns a function that looks up the account that a filter names; null: it names nobody. */
export function createAssigneeSeqs(database: Database) {
  const find = statement(database, (q) =>
    q.select({ seq: accounts.seq }).from(accounts).where(hasValue(accounts.name)),
  );
  return ({ assignee: name }: SearchFilter): number | null | undefined =>
    typeof name === "string" ? find.get({ name: name.toLowerCase() })?.seq : name;
}

/** Returns functions that look up the numbers of the protected domains that a filter names. */
export function createDomainSeqs(database: Database) {
  const find = statement(database, (q) =>
    q.select({ seq: protectedDomains.seq }).from(protectedDomains).where(hasValue(protectedDomains.domain)),
  );

  function seqOfDomain({ protectedDomain: domain }: SearchFilter): number | undefined {
    return domain === undefined ? undefined : find.get({ domain })?.seq;
  }

  /** Undefined: of all protected domains. */
  function domainsWithin({ within = [] }: SearchFilter): Uint8Array | undefined {
    if (within.length === 0) return undefined;
    const seqs = within.flatMap((protectedDomain) => seqOfDomain({ protectedDomain }) ?? []);
    const marked = new Uint8Array(Math.max(0, ...seqs) + 1);
    for (const seq of seqs) marked[seq] = 1;
    return marked;
  }

  const names = statement(database, (q) =>
    q.select({ seq: protectedDomains.seq, domain: protectedDomains.domain }).from(protectedDomains),
  );
  const domainNames = () => names.all();

  /** Returns the same function as `seqOfDomain`, for many filters: it has read all protected domains. */
  function seqsOfDomains(): typeof seqOfDomain {
    const seqs = new Map(domainNames().map(({ seq, domain }) => [domain, seq]));
    return ({ protectedDomain: domain }) => (domain === undefined ? undefined : seqs.get(domain));
  }

  return { seqOfDomain, seqsOfDomains, domainsWithin, domainNames };
}

/**
 * Returns a function that returns the rows of the threats that one import or scan created; undefined: the filter names
 * none. The database has an index of them, so the column store need not hold a field that few searches use.
 */
export function createRunRows({ query }: Database) {
  return (columns: Columns, { importSeq, scanSeq }: SearchFilter): RowSet | undefined => {
    if (importSeq === undefined && scanSeq === undefined) return undefined;
    const conditions = [
      ...(importSeq === undefined ? [] : [eq(threats.importSeq, importSeq)]),
      ...(scanSeq === undefined ? [] : [eq(threats.scanSeq, scanSeq)]),
    ];
    const found = createRowSet(columns.count);
    for (const { seq } of query
      .select({ seq: threats.seq })
      .from(threats)
      .where(and(...conditions))
      .all()) {
      const row = rowOfSeq(columns, seq);
      if (row !== undefined) addRow(found, row);
    }
    return found;
  };
}

/** Returns a function that reads threats by `seq`, in the order given; deleted ones are left out. */
export function createLoader({ query }: Database) {
  return (seqs: readonly number[]) => {
    const loaded = query
      .select(foundColumns)
      .from(threats)
      .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
      .where(inArray(threats.seq, [...seqs]))
      .all();
    const bySeq = new Map(loaded.map((threat) => [threat.seq, threat]));
    return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
  };
}

export type FoundThreat = ReturnType<ReturnType<typeof createLoader>>[number];

/** Returns a function that finds the row of a threat; undefined if there is no such threat. */
export function createRowLookup({ query }: Database) {
  return (columns: Columns, id: string): number | undefined => {
    const threat = query.select({ seq: threats.seq }).from(threats).where(eq(threats.id, id)).get();
    return threat && rowOfSeq(columns, threat.seq);
  };
}
