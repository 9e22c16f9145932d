import { and, eq, exists, inArray, or, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { protectedDomains } from "../../../threats/domains/tables.ts";
import type { EventFilter } from "../../../threats/events/event-filter.ts";
import { events } from "../../../threats/events/tables.ts";
import { threats } from "../../../threats/threats/store/tables.ts";
import { severities } from "../../../platform/vocabulary/threats.ts";
import { announcements } from "./tables.ts";

/**
 * Returns what `matchesEvent` decides, as a condition on events: there may be a million of them. Events of threats that
 * were announced to the recipient match, too. An event that announces a threat late stands for its `threat.created`.
 */
export function filterCondition(query: Database["query"], filter: EventFilter, recipientSeq: number): SQL {
  const { minSeverity, types, sources, verifiedOnly } = filter;
  const domains = sql`(select value from json_each(${JSON.stringify(filter.protectedDomains)}))`;
  const hasDomains = filter.protectedDomains.length > 0;
  const threat = sql`(${events.body} ->> '$.data.threat.id')`;
  const one = { one: sql`1` };
  const matching = query
    .select(one)
    .from(threats)
    .innerJoin(protectedDomains, eq(protectedDomains.seq, threats.protectedDomainSeq))
    .where(
      and(
        sql`${threats.id} = ${threat}`,
        inArray(threats.severity, severities.slice(0, severities.indexOf(minSeverity) + 1)),
        types.length === 0 ? undefined : inArray(threats.type, [...types]),
        sources.length === 0 ? undefined : inArray(threats.source, [...sources]),
        verifiedOnly ? eq(threats.verified, true) : undefined,
        hasDomains ? sql`${protectedDomains.domain} in ${domains}` : undefined,
      ),
    );
  const announced = query
    .select(one)
    .from(announcements)
    .innerJoin(threats, eq(threats.seq, announcements.threatSeq))
    .where(
      and(
        sql`${threats.id} = ${threat}`,
        eq(announcements.recipientSeq, recipientSeq),
        eq(announcements.subscriptionSeq, 0),
      ),
    );
  const late = sql`select 1 from ${events} as late where late.body ->> '$.data.threat.id' = ${threat}
    and late.recipient_seq = ${recipientSeq} and late.type = 'threat.created'`;
  return sql`case
    when ${events.type} = 'threat.created' then ${events.recipientSeq} is not null
      or (${or(exists(matching), exists(announced))} and not exists (${late}))
    when ${events.type} like 'threat.%' then ${or(exists(matching), exists(announced))}
    when ${!hasDomains} then true
    when ${events.type} like 'scan.%' then exists (
      select 1 from json_each(${events.body}, '$.data.scan.protected_domains') where value in ${domains})
    else coalesce(${events.body} ->> '$.data.beacon.protected_domain' in ${domains}, false)
  end`;
}
