import { and, asc, count, eq, gt, gte, inArray, isNotNull, ne, sql, type SQL } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { events } from "../events/tables.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { badRequest } from "../lib/errors.ts";
import type { IdFactory } from "../lib/ids.ts";
import type { Endpoint } from "./endpoint-store.ts";
import type { Endpoints } from "./endpoints.ts";
import { deliveries } from "./tables.ts";

/** What is to be sent again. */
export interface ReplayRequest {
  /**
   * - `failed`: deliveries that were given up, of one endpoint or of all
   * - `missed`: events of which the endpoint was never sent anything: it was disabled, or not there yet
   * - `all`: every event that it subscribes to, delivered or not
   */
  which: "failed" | "missed" | "all";
  /** Identifier or name; may be absent for `failed` only. */
  endpoint?: string;
  /** Events from this moment on. */
  since: Instant;
}

/** Sends events again, each with the identifier it has always had. What is pending already is left alone. */
export interface Replay {
  /** How many deliveries `run` would make. @throws PublicError */
  count(request: ReplayRequest): number;
  /** Answers how many were made due. @throws PublicError `not_found`; `bad_request` for a disabled endpoint */
  run(request: ReplayRequest): Promise<number>;
}

const rowsPerStep = 500;

export function createReplay({
  clock,
  database,
  endpoints,
  ids,
  onDue,
}: {
  clock: Clock;
  database: Database;
  endpoints: Endpoints;
  ids: IdFactory;
  /** Told when deliveries became due. */
  onDue: () => void;
}): Replay {
  const { query } = database;
  const again = () => ({
    status: "pending" as const,
    attempts: 0,
    nextAttemptAt: clock.now(),
    completedAt: null,
  });

  function targetOf({ which, endpoint: key }: ReplayRequest): Endpoint | undefined {
    if (key === undefined) {
      if (which === "failed") return undefined;
      throw badRequest("name the endpoint that is to be sent the events");
    }
    const endpoint = endpoints.get(key);
    if (!endpoint.enabled) throw badRequest(`${endpoint.name} is disabled; enable it first`);
    return endpoint;
  }

  const failedSince = (target: Endpoint | undefined, since: Instant): SQL =>
    and(
      inArray(
        deliveries.endpointSeq,
        target === undefined
          ? endpoints.list().flatMap(({ seq, enabled }) => (enabled ? [seq] : []))
          : [target.seq],
      ),
      eq(deliveries.status, "failed"),
      gte(events.createdAt, since),
    )!;

  /** Events that have been dispatched; those that have not will be, and need no replay. */
  const subscribedSince = ({ seq, events: types }: Endpoint, { which, since }: ReplayRequest): SQL => {
    const delivered = query
      .select({ one: sql`1` })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.eventSeq, events.seq),
          eq(deliveries.endpointSeq, seq),
          which === "all" ? eq(deliveries.status, "pending") : undefined,
        ),
      );
    return and(
      gte(events.createdAt, since),
      isNotNull(events.dispatchedAt),
      types.length === 0 ? undefined : inArray(events.type, types),
      sql`not exists ${delivered}`,
    )!;
  };

  function failedStep(where: SQL, after: number): number[] {
    const seqs = query
      .select({ seq: deliveries.seq })
      .from(deliveries)
      .innerJoin(events, eq(events.seq, deliveries.eventSeq))
      .where(and(where, gt(deliveries.seq, after)))
      .orderBy(asc(deliveries.seq))
      .limit(rowsPerStep)
      .all()
      .map(({ seq }) => seq);
    if (seqs.length > 0) query.update(deliveries).set(again()).where(inArray(deliveries.seq, seqs)).run();
    return seqs;
  }

  function eventStep(endpointSeq: number, where: SQL, after: number): number[] {
    const seqs = query
      .select({ seq: events.seq })
      .from(events)
      .where(and(where, gt(events.seq, after)))
      .orderBy(asc(events.seq))
      .limit(rowsPerStep)
      .all()
      .map(({ seq }) => seq);
    const createdAt = clock.now();
    for (const eventSeq of seqs) {
      query
        .insert(deliveries)
        .values({ ...again(), id: ids.next("delivery"), eventSeq, endpointSeq, createdAt })
        .onConflictDoUpdate({
          target: [deliveries.eventSeq, deliveries.endpointSeq],
          set: again(),
          setWhere: ne(deliveries.status, "pending"),
        })
        .run();
    }
    return seqs;
  }

  return {
    count(request) {
      const target = targetOf(request);
      if (request.which === "failed" || target === undefined)
        return query
          .select({ total: count() })
          .from(deliveries)
          .innerJoin(events, eq(events.seq, deliveries.eventSeq))
          .where(failedSince(target, request.since))
          .get()!.total;
      return query.select({ total: count() }).from(events).where(subscribedSince(target, request)).get()!
        .total;
    },

    async run(request) {
      const target = targetOf(request);
      const step =
        request.which === "failed" || target === undefined
          ? (after: number) => failedStep(failedSince(target, request.since), after)
          : (after: number) => eventStep(target.seq, subscribedSince(target, request), after);
      let made = 0;
      let after = 0;
      for (;;) {
        const seqs = database.transaction(() => {
          const taken = step(after);
          if (taken.length > 0) database.afterCommit(onDue);
          return taken;
        });
        made += seqs.length;
        if (seqs.length < rowsPerStep) return made;
        after = seqs.at(-1)!;
        // Others get their turn at the event loop and at the write lock.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
