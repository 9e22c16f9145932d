import {
  and,
  asc,
  count,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  or,
  sql,
  type SQL,
  exists,
} from "drizzle-orm";
import { recipientAction, type AuditAction } from "../../access/audit/actions.ts";
import type { Actor } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Needs } from "../../platform/database/needs.ts";
import { events } from "../../threats/events/tables.ts";
import { toIsoTime, type Instant } from "../../platform/lib/clock.ts";
import { badRequest, notFound } from "../../platform/lib/errors.ts";
import type { IdFactory } from "../../platform/lib/ids.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { ReplaySelection } from "../../platform/vocabulary/channels.ts";
import type { DeliveryLog } from "./delivery-log.ts";
import { subjectOf } from "../../access/entries/administration.ts";
import { deliveries, recipients, announcements } from "./store/tables.ts";
import { protectedDomains } from "../../threats/domains/tables.ts";
import type { EventFilter } from "../../threats/events/event-filter.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import { severities } from "../../platform/vocabulary/threats.ts";

export interface ReplayRequest {
  which: ReplaySelection;
  /** Identifier of the recipient; optional for `failed`. */
  recipient?: string;
  /** Only events from this time on. */
  since: Instant;
}

/** Sends events again, each with its identifier. Pending deliveries are left as they are. */
export type Replay = ReturnType<typeof createReplay>;

interface Target {
  id: string;
  seq: number;
  name: string;
  channel: string;
  events: readonly (typeof events.$inferSelect)["type"][];
  filter: (typeof recipients.$inferSelect)["filter"];
  /** Whether it is sent the events that it subscribes to, or only messages that are addressed to it. */
  isSentEvents: boolean;
}

const rowsPerStep = 500;
/** Events compared with a filter in one step: about 15 ms. */
const eventsPerStepMax = 5_000;

/** Result of one step: the number of deliveries, and where the next step begins; null: there is none. */
interface Step {
  taken: number;
  next: number | null;
}

interface ReplayDependencies extends Needs<"clock" | "database" | "ids"> {
  auditLog: AuditLog;
  log: DeliveryLog;
  /** Called after each commit that made deliveries due. */
  onDue: () => void;
  /** Channels whose recipients are sent the events that they subscribe to. */
  subscribingChannels: ReadonlySet<string>;
}

export function createReplay(dependencies: ReplayDependencies) {
  const { auditLog, clock, database, ids, log, onDue, subscribingChannels } = dependencies;
  const { query } = database;

  return {
    /** Sends one delivery again, with all its retries. @throws PublicError `not_found` */
    redeliver: (id: string, { by }: { by: Actor }) =>
      database.transaction(() => {
        const changed = query
          .update(deliveries)
          .set(pendingAgain(clock.now()))
          .where(eq(deliveries.id, id))
          .returning({ seq: deliveries.seq })
          .get();
        if (changed === undefined) throw notFound(`There is no delivery ${visible(id, 100)}.`);
        database.afterCommit(onDue);
        const delivery = log.get(id)!;
        const { channel, recipientName, eventId: event } = delivery;
        auditLog.record(by, recipientAction(channel, "redeliver"), id, { endpoint: recipientName, event });
        return delivery;
      }),

    /** Returns the number of deliveries that `run` would send. @throws PublicError like `run` */
    count(request: ReplayRequest) {
      const target = targetOf(query, request, subscribingChannels);
      if (request.which === "failed" || target === undefined)
        return query
          .select({ total: count() })
          .from(deliveries)
          .innerJoin(events, eq(events.seq, deliveries.eventSeq))
          .where(failedSince(query, target, request.since))
          .get()!.total;
      const where = subscribedSince(query, target, request);
      return query.select({ total: count() }).from(events).where(where).get()!.total;
    },

    /**
     * Makes deliveries due and returns their number.
     * @throws PublicError `not_found`; `bad_request` for a disabled recipient
     */
    async run(request: ReplayRequest, { by }: { by: Actor }) {
      const { which, since } = request;
      const target = targetOf(query, request, subscribingChannels);
      const step =
        which === "failed" || target === undefined
          ? (after: number) =>
              failedStep(query, { where: failedSince(query, target, since), after, now: clock.now() })
          : (after: number) =>
              eventStep(query, {
                recipientSeq: target.seq,
                where: subscribedSince(query, target, request),
                after,
                now: clock.now(),
                ids,
              });
      let sent = 0;
      let after = 0;
      for (;;) {
        const { taken, next } = await database.write(() => takeStep(after), {
          // Once begun, it goes on: a replay that ends in the middle would leave no audit entry.
          patient: after > 0,
        });
        sent += taken;
        if (next === null) return sent;
        after = next;
      }

      function takeStep(from: number): Step {
        const result = step(from);
        if (result.taken > 0) database.afterCommit(onDue);
        // In the transaction of the last step: an audit entry is only written for a complete replay.
        if (result.next === null) recordReplay(sent + result.taken);
        return result;
      }

      function recordReplay(total: number): void {
        const subject = target === undefined ? null : subjectOf(target);
        const from = since === 0 ? null : toIsoTime(since);
        auditLog.record(by, replayAction(target), subject, { which, since: from, deliveries: total });
      }
    },
  };
}

/** Returns undefined for all recipients. */
function targetOf(
  query: Query,
  { which, recipient: id }: ReplayRequest,
  subscribingChannels: ReadonlySet<string>,
): Target | undefined {
  if (id === undefined) {
    if (which === "failed") return undefined;
    throw badRequest("name the endpoint that the events are to be sent to");
  }
  const row = query.select().from(recipients).where(eq(recipients.id, id)).get();
  if (row === undefined) throw notFound(`There is no endpoint ${visible(id, 100)}.`);
  if (!row.enabled) throw badRequest(`${row.name} is disabled; enable it first`);
  return { ...row, isSentEvents: subscribingChannels.has(row.channel) };
}

/** A replay to the recipients of all channels is recorded as one to webhooks, the name that it has always had. */
function replayAction(target: Target | undefined): AuditAction {
  return target === undefined ? "webhook.replay" : recipientAction(target.channel, "replay");
}

type Query = Database["query"];

const pendingAgain = (now: Instant) => ({
  status: "pending" as const,
  attempts: 0,
  nextAttemptAt: now,
  completedAt: null,
});

/** Condition on deliveries, joined with their events. */
function failedSince(query: Query, target: Target | undefined, since: Instant): SQL | undefined {
  const enabled = query.select({ seq: recipients.seq }).from(recipients).where(eq(recipients.enabled, true));
  return and(
    target === undefined
      ? inArray(deliveries.recipientSeq, enabled)
      : eq(deliveries.recipientSeq, target.seq),
    eq(deliveries.status, "failed"),
    gte(events.createdAt, since),
  );
}

/** Condition on dispatched events; the others will be dispatched and need no replay. */
function subscribedSince(
  query: Query,
  { seq, events: types, filter, isSentEvents }: Target,
  { which, since }: ReplayRequest,
): SQL | undefined {
  const delivered = query
    .select({ one: sql`1` })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.eventSeq, events.seq),
        eq(deliveries.recipientSeq, seq),
        which === "all" ? eq(deliveries.status, "pending") : undefined,
      ),
    );
  return and(
    gte(events.createdAt, since),
    isNotNull(events.dispatchedAt),
    isSentEvents
      ? or(isNull(events.recipientSeq), eq(events.recipientSeq, seq))
      : eq(events.recipientSeq, seq),
    filter === null ? undefined : filterCondition(query, filter, seq),
    types.length === 0 ? undefined : inArray(events.type, [...types]),
    sql`not exists ${delivered}`,
  );
}

/** Makes the next failed deliveries pending again. */
function failedStep(
  query: Query,
  { where, after, now }: { where: SQL | undefined; after: number; now: Instant },
): Step {
  const seqs = query
    .select({ seq: deliveries.seq })
    .from(deliveries)
    .innerJoin(events, eq(events.seq, deliveries.eventSeq))
    .where(and(where, gt(deliveries.seq, after)))
    .orderBy(asc(deliveries.seq))
    .limit(rowsPerStep)
    .all()
    .map(({ seq }) => seq);
  if (seqs.length > 0)
    query.update(deliveries).set(pendingAgain(now)).where(inArray(deliveries.seq, seqs)).run();
  return { taken: seqs.length, next: seqs.length < rowsPerStep ? null : seqs.at(-1)! };
}

/** Creates deliveries of the next events, or makes existing ones pending again. */
function eventStep(
  query: Query,
  {
    recipientSeq,
    where,
    after,
    now,
    ids,
  }: { recipientSeq: number; where: SQL | undefined; after: number; now: Instant; ids: IdFactory },
): Step {
  const end = query
    .select({ seq: events.seq })
    .from(events)
    .where(gt(events.seq, after))
    .orderBy(asc(events.seq))
    .limit(1)
    .offset(eventsPerStepMax - 1)
    .get()?.seq;
  const seqs = query
    .select({ seq: events.seq })
    .from(events)
    .where(and(where, gt(events.seq, after), end === undefined ? undefined : lte(events.seq, end)))
    .orderBy(asc(events.seq))
    .limit(rowsPerStep)
    .all()
    .map(({ seq }) => seq);
  for (const eventSeq of seqs) {
    query
      .insert(deliveries)
      .values({ ...pendingAgain(now), id: ids.next("delivery"), eventSeq, recipientSeq, createdAt: now })
      .onConflictDoUpdate({
        target: [deliveries.eventSeq, deliveries.recipientSeq],
        set: pendingAgain(now),
        setWhere: ne(deliveries.status, "pending"),
      })
      .run();
  }
  const next = seqs.length < rowsPerStep ? end : seqs.at(-1);
  return { taken: seqs.length, next: next ?? null };
}

/**
 * Returns what `matchesEvent` decides, as a condition on events: there may be a million of them. Events of threats that
 * were announced to the recipient match, too. An event that announces a threat late stands for its `threat.created`.
 */
function filterCondition(query: Database["query"], filter: EventFilter, recipientSeq: number): SQL {
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
