import { and, desc, eq, lt, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import {
  columnsOf,
  countValue,
  hasValue,
  opaqueValue,
  statement,
} from "../../../platform/database/statement.ts";
import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import { protectedDomains } from "../../domains/tables.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Severity, Status } from "../../../platform/vocabulary/threats.ts";
import { listColumns } from "./fields.ts";
import { threatListBlockCounts, threatListBlocks, threatCounts, threats } from "./tables.ts";

/** Conditions that all have to hold; absent or empty: no restriction. */
export interface ThreatFilter {
  /** A-label form. */
  protectedDomain?: string;
  status?: Status;
  severity?: Severity;
  /** Only threats to these protected domains (A-label form). */
  within?: readonly string[];
}

export type ListQuery = ReturnType<typeof createListQuery>;
export type ListedThreat = ReturnType<ListQuery["list"]>["threats"][number];

/** A page of a list, from 1. */
export interface PageOfList {
  page: number;
  perPage: number;
}

/** Maximum number of rows that a page may follow to be read row by row. */
const nearStartMax = 200;
/** Maximum number of combinations whose queries are kept: queries for hundreds of domains take megabytes. */
const preparedMax = 32;
/** Maximum number of queries that are merged at once. SQLite permits 500. */
const mergedMax = 400;
/** A page that follows more rows is found through the blocks of the list, which takes as long as passing over this number. */
const withoutBlocksMax = 10_000;

/**
 * Returns pages of threats, newest `firstSeen` first and ties by id, descending, with the exact total. A page in the
 * middle of the list takes as long as its beginning, because the blocks of the list hold the number of threats before it.
 */
export function createListQuery(database: Database, { blocksFrom = withoutBlocksMax } = {}) {
  const seqOfDomain = statement(database, (query) =>
    query
      .select({ seq: protectedDomains.seq })
      .from(protectedDomains)
      .where(hasValue(protectedDomains.domain)),
  );
  // One set of queries for each of the latest combinations of filters: 4, and 4 for each number of domains.
  const prepared = new BoundedMap<string, ReturnType<typeof prepareList>>(preparedMax);

  function queriesOf(filter: ThreatFilter) {
    const names = namedDomains(filter);
    const seqs = names === undefined ? [] : names.flatMap((domain) => seqOfDomain.get({ domain })?.seq ?? []);
    if (names !== undefined && seqs.length === 0) return undefined;
    const values = { status: filter.status, severity: filter.severity, ...domainValues(seqs) };
    const key = `${seqs.length} ${filter.status !== undefined} ${filter.severity !== undefined}`;
    const queries = prepared.getOrCreate(key, () => prepareList(database, seqs.length, filter));
    return { queries, values, total: queries.total.get(values)!.total };
  }

  /** Returns the threats of one page, with the exact total. */
  function list(filter: ThreatFilter, { page, perPage }: PageOfList) {
    const found = queriesOf(filter);
    if (found === undefined) return { threats: [], total: 0 };
    const { queries, values, total } = found;
    const before = (page - 1) * perPage;
    if (before >= total) return { threats: [], total };
    const limit = Math.min(perPage, total - before);
    if (before <= nearStartMax && queries.nearStart !== undefined)
      return { threats: queries.nearStart.rows.all({ ...values, limit, offset: before }), total };
    if (before <= blocksFrom)
      return { threats: queries.fromStart.all({ ...values, ...part(limit, before) }), total };
    const { end, offset } = locate(queries.blocks.all(values), before);
    const place = { endFirstSeen: end.firstSeen, endSeq: end.seq, ...part(limit, offset) };
    return { threats: queries.fromBlock.all({ ...values, ...place }), total };
  }

  /** Returns the keys (`seq`) of the threats of one page, with the exact total; undefined: it is not near the start. */
  function keysNearStart(filter: ThreatFilter, { page, perPage }: PageOfList) {
    const offset = (page - 1) * perPage;
    if (offset > nearStartMax) return undefined;
    const found = queriesOf(filter);
    const keys = found?.queries.nearStart?.keys.all({ ...found.values, limit: perPage, offset });
    return keys && { seqs: keys.map(({ seq }) => seq), total: found!.total };
  }

  return { list, keysNearStart };
}

/** Returns the values of the page that follows `offset` rows: each group of merged keys is read up to its end. */
function part(limit: number, offset: number) {
  return { limit, offset, reach: offset + limit };
}

/** Start of a block, with the number of its threats that match. */
interface Block {
  firstSeen: Instant;
  seq: number;
  total: number;
}

/**
 * Finds the block in which the page after `before` matches starts. Returns the end of the block, which is the start of the
 * next newer one, and the number of matches between that end and the page.
 * @param blocks newest first
 */
function locate(
  blocks: readonly Block[],
  before: number,
): { end: Pick<Block, "firstSeen" | "seq">; offset: number } {
  let end = { firstSeen: Number.MAX_SAFE_INTEGER, seq: 0 };
  let offset = before;
  for (const block of blocks) {
    if (offset < block.total) break;
    offset -= block.total;
    end = block;
  }
  return { end, offset };
}

function prepareList(database: Database, domains: number, filter: ThreatFilter) {
  const rows = (selectKeys: typeof keysFromStart) =>
    statement(database, (query) =>
      query
        .select(listColumns)
        .from(threats)
        .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
        .where(
          and(
            sql`${threats.seq} in (select seq from (${pageOf(selectKeys(domains, filter))}))`,
            ...valueConditions(threats, filter),
          ),
        )
        .orderBy(desc(threats.firstSeen), desc(threats.seq)),
    );
  const total = statement(database, (query) =>
    query
      .select({ total: sql<number>`coalesce(sum(${threatCounts.total}), 0)` })
      .from(threatCounts)
      .where(
        and(
          sql`${threatCounts.protectedDomainSeq} in ${countedDomains(domains)}`,
          ...valueConditions(threatCounts, filter),
        ),
      ),
  );
  // The threats of several domains have to be merged first, wherever the page is.
  const nearStart = domains <= 1 ? prepareNearStart(database, domains, filter) : undefined;
  const blocks = prepareBlocks(database, domains, filter);
  return { total, blocks, nearStart, fromStart: rows(keysFromStart), fromBlock: rows(keysFromBlock) };
}

/** Returns the query for the blocks of the list, newest first, with the number of their threats that match. */
function prepareBlocks(database: Database, domains: number, filter: ThreatFilter) {
  const isWholeList = domains === 0 && filter.status === undefined && filter.severity === undefined;
  // An eighth of the time: one row of each block, instead of one for each status and severity in it.
  if (isWholeList) {
    return statement(database, (query) =>
      query
        .select(columnsOf(threatListBlocks, "firstSeen seq total"))
        .from(threatListBlocks)
        .orderBy(desc(threatListBlocks.firstSeen), desc(threatListBlocks.seq)),
    );
  }
  return statement(database, (query) =>
    query
      .select({
        firstSeen: threatListBlockCounts.firstSeen,
        seq: threatListBlockCounts.seq,
        total: sql<number>`sum(${threatListBlockCounts.total})`,
      })
      .from(threatListBlockCounts)
      .where(
        and(
          sql`${threatListBlockCounts.protectedDomainSeq} in ${countedDomains(domains)}`,
          ...valueConditions(threatListBlockCounts, filter),
        ),
      )
      .groupBy(threatListBlockCounts.firstSeen, threatListBlockCounts.seq)
      .orderBy(desc(threatListBlockCounts.firstSeen), desc(threatListBlockCounts.seq)),
  );
}

/** Reads rows along the index: for a page that few rows precede, 7 µs of 40 faster than selecting keys first. */
function prepareNearStart(database: Database, domains: number, filter: ThreatFilter) {
  const nameOfDomain = sql<string>`(select domain from ${protectedDomains} where seq = ${threats.protectedDomainSeq})`;
  const columns = { ...listColumns, protectedDomain: nameOfDomain.as("protected_domain") };
  const domainIs = domainPlaceholders(domains).map((seq) => eq(threats.protectedDomainSeq, seq));
  const matches = and(...domainIs, ...valueConditions(threats, filter));
  const newestFirst = [desc(threats.firstSeen), desc(threats.seq)];
  const [limit, offset] = [countValue("limit"), countValue("offset")];
  return {
    rows: statement(database, (query) =>
      query
        .select(columns)
        .from(threats)
        .where(matches)
        .orderBy(...newestFirst)
        .limit(limit)
        .offset(offset),
    ),
    keys: statement(database, (query) =>
      query
        .select({ seq: threats.seq })
        .from(threats)
        .where(matches)
        .orderBy(...newestFirst)
        .limit(limit)
        .offset(offset),
    ),
  };
}

/** Selects the keys of the matches that also meet a condition, along the one index that holds this combination of filters. */
function keysWhere(...conditions: (SQL | undefined)[]): SQL {
  return sql`select seq, first_seen from ${threats} where ${and(...conditions) ?? sql`true`}`;
}

/** Returns queries for the keys of all matches, which have to be merged. */
function keysFromStart(domains: number, filter: ThreatFilter): SQL[] {
  return ofEachDomain(domains).map((domainIs) => keysWhere(domainIs, ...valueConditions(threats, filter)));
}

/** Returns the same for the matches before the end of a block. */
function keysFromBlock(domains: number, filter: ThreatFilter): SQL[] {
  const [firstSeen, seq] = [
    opaqueValue(threats.firstSeen, "endFirstSeen"),
    opaqueValue(threats.seq, "endSeq"),
  ];
  // Two ranges instead of a comparison of both columns, for which SQLite would read all threats of the same time.
  const ranges = [
    and(eq(threats.firstSeen, firstSeen), lt(threats.seq, seq)),
    lt(threats.firstSeen, firstSeen),
  ];
  return ofEachDomain(domains).flatMap((domainIs) =>
    ranges.map((range) => keysWhere(domainIs, ...valueConditions(threats, filter), range)),
  );
}

/** Merges keys and selects one page of them. */
function pageOf(keys: readonly SQL[]): SQL {
  const groups = Array.from({ length: Math.ceil(keys.length / mergedMax) }, (_, index) =>
    inOrder(keys.slice(index * mergedMax, (index + 1) * mergedMax)),
  );
  const merged =
    groups.length === 1
      ? groups[0]!
      : inOrder(groups.map((group) => sql`select * from (${group} limit ${countValue("reach")})`));
  return sql`${merged} limit ${countValue("limit")} offset ${countValue("offset")}`;
}

/** Merges keys in the order of the list. An IN list of domains would sort all of their threats. */
function inOrder(keys: readonly SQL[]): SQL {
  return sql`${sql.join([...keys], sql` union all `)} order by first_seen desc, seq desc`;
}

/** Returns the protected domains that a filter names; undefined: it names none, so all are meant. */
function namedDomains({ protectedDomain, within = [] }: ThreatFilter): readonly string[] | undefined {
  if (protectedDomain === undefined) return within.length === 0 ? undefined : within;
  return within.length === 0 || within.includes(protectedDomain) ? [protectedDomain] : [];
}

function valueConditions(
  table: typeof threats | typeof threatCounts | typeof threatListBlockCounts,
  filter: ThreatFilter,
): SQL[] {
  const conditions: SQL[] = [];
  if (filter.status !== undefined) conditions.push(eq(table.status, opaqueValue(table.status)));
  if (filter.severity !== undefined) conditions.push(eq(table.severity, opaqueValue(table.severity)));
  return conditions;
}

/** Returns a condition for each domain that a filter names; without any, one that always holds. */
function ofEachDomain(domains: number): (SQL | undefined)[] {
  if (domains === 0) return [undefined];
  return domainPlaceholders(domains).map((seq) => eq(threats.protectedDomainSeq, seq));
}

/** Returns the domains whose counts add up to the matches. Domain 0 stands for all domains. */
function countedDomains(domains: number): (SQL | number)[] {
  return domains === 0 ? [0] : domainPlaceholders(domains);
}

function domainPlaceholders(count: number): SQL[] {
  return Array.from({ length: count }, (_, index) =>
    opaqueValue(threats.protectedDomainSeq, `domain${index}`),
  );
}

function domainValues(seqs: readonly number[]): Record<string, number> {
  return Object.fromEntries(seqs.map((seq, index) => [`domain${index}`, seq]));
}
