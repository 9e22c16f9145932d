import { and, asc, desc, eq, type Placeholder, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import type { Database } from "../database/database.ts";
import { opaque } from "../database/placeholders.ts";
import { protectedDomains } from "../domains/tables.ts";
import { threatCounts, threats } from "./tables.ts";
import type { Severity, Status } from "./values.ts";

/** Which threats; absent or empty: no restriction. All of it has to hold. */
export interface ThreatFilter {
  /** A-label form. */
  protectedDomain?: string;
  status?: Status;
  severity?: Severity;
  /** Only those of these protected domains (A-label form). */
  within?: readonly string[];
}

const listedColumns = {
  seq: threats.seq,
  id: threats.id,
  domain: threats.domain,
  protectedDomain: protectedDomains.domain,
  type: threats.type,
  status: threats.status,
  severity: threats.severity,
  similarity: threats.similarity,
  source: threats.source,
  firstSeen: threats.firstSeen,
  screenshotToken: threats.screenshotToken,
};

const detailColumns = {
  ...listedColumns,
  reasons: threats.reasons,
  severityReasons: threats.severityReasons,
  createdAt: threats.createdAt,
  statusChangedAt: threats.statusChangedAt,
  ipAddress: threats.ipAddress,
  registrar: threats.registrar,
  whois: threats.whois,
};

export type ThreatQueries = ReturnType<typeof createThreatQueries>;
export type ListedThreat = ReturnType<ThreatQueries["list"]>["threats"][number];
export type Threat = NonNullable<ReturnType<ThreatQueries["get"]>>;

export function createThreatQueries({ query }: Database) {
  const byId = query
    .select(detailColumns)
    .from(threats)
    .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
    .where(eq(threats.id, opaque("id")))
    .prepare();
  const domainSeqs = query
    .select({ seq: protectedDomains.seq })
    .from(protectedDomains)
    .where(sql`${protectedDomains.domain} in (select value from json_each(${sql.placeholder("domains")}))`)
    .prepare();

  // One prepared pair of queries for each combination of filters; 8 of them and 8 for each number of domains.
  const prepared = new Map<string, ReturnType<typeof prepareList>>();

  function prepareList(domains: number, filter: ThreatFilter) {
    const page = pageOfSeqs(domains, filter);
    const rows = query
      .select(listedColumns)
      .from(threats)
      .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
      .where(sql`${threats.seq} in (select seq from ${page})`)
      .orderBy(desc(threats.firstSeen), desc(threats.seq))
      .prepare();
    const counted = query
      .select({ total: sql<number>`coalesce(sum(${threatCounts.total}), 0)` })
      .from(threatCounts)
      .where(
        and(
          sql`${threatCounts.protectedDomainSeq} in ${domains === 0 ? [0] : domainPlaceholders(domains)}`,
          ...valueConditions(threatCounts, filter),
        ),
      )
      .prepare();
    return { rows, counted };
  }

  /** The keys of one page: a walk along the one index that holds this combination in the list's order. */
  function pageOfSeqs(domains: number, filter: ThreatFilter) {
    const part = (domainIs?: SQL) =>
      query
        .select({ seq: threats.seq, firstSeen: threats.firstSeen })
        .from(threats)
        .where(and(domainIs, ...valueConditions(threats, filter)));
    const [first, second, ...others] = domainPlaceholders(domains).map((placeholder) =>
      part(eq(threats.protectedDomainSeq, placeholder)),
    );
    // Of several domains each is read in order and merged; an IN list would sort all of their threats.
    const source =
      first === undefined ? part() : second === undefined ? first : unionAll(first, second, ...others);
    return source
      .orderBy(sql`first_seen desc`, sql`seq desc`)
      .limit(opaque("limit") as unknown as Placeholder)
      .offset(opaque("offset") as unknown as Placeholder);
  }

  return {
    get: (id: string) => byId.get({ id }),

    list(filter: ThreatFilter, { page, perPage }: { page: number; perPage: number }) {
      const names = namedDomains(filter);
      const seqs =
        names === undefined ? [] : domainSeqs.all({ domains: JSON.stringify(names) }).map((row) => row.seq);
      if (names !== undefined && seqs.length === 0) return { threats: [], total: 0 };
      const key = `${seqs.length} ${filter.status !== undefined} ${filter.severity !== undefined}`;
      const queries = prepared.get(key) ?? prepareList(seqs.length, filter);
      prepared.set(key, queries);

      const values = { status: filter.status, severity: filter.severity, ...domainValues(seqs) };
      const { total } = queries.counted.get(values)!;
      const offset = (page - 1) * perPage;
      if (offset >= total) return { threats: [], total };
      return { threats: queries.rows.all({ ...values, limit: perPage, offset }), total };
    },

    totals: () =>
      query
        .select({ status: threatCounts.status, severity: threatCounts.severity, total: threatCounts.total })
        .from(threatCounts)
        .where(eq(threatCounts.protectedDomainSeq, 0))
        .orderBy(asc(threatCounts.status), asc(threatCounts.severity))
        .all(),
  };
}

/** The protected domains a filter names; undefined: it names none, so all are meant. */
function namedDomains({ protectedDomain, within = [] }: ThreatFilter): readonly string[] | undefined {
  if (protectedDomain === undefined) return within.length === 0 ? undefined : within;
  return within.length === 0 || within.includes(protectedDomain) ? [protectedDomain] : [];
}

function valueConditions(table: typeof threats | typeof threatCounts, filter: ThreatFilter): SQL[] {
  const conditions: SQL[] = [];
  if (filter.status !== undefined) conditions.push(eq(table.status, opaque("status")));
  if (filter.severity !== undefined) conditions.push(eq(table.severity, opaque("severity")));
  return conditions;
}

function domainPlaceholders(count: number) {
  return Array.from({ length: count }, (_, index) => opaque(`domain${index}`));
}

function domainValues(seqs: readonly number[]): Record<string, number> {
  return Object.fromEntries(seqs.map((seq, index) => [`domain${index}`, seq]));
}
