import { asc, count, eq, inArray, or, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { badRequest, notFound } from "../lib/errors.ts";
import type { IdFactory } from "../lib/ids.ts";
import { visible } from "../lib/safe-text.ts";
import { deliveries, webhookEndpoints } from "./tables.ts";

/** A receiver of events, with its secrets: never to be shown as it is. */
export type Endpoint = typeof webhookEndpoints.$inferSelect;

export type EndpointRow = Omit<
  typeof webhookEndpoints.$inferInsert,
  "id" | "consecutiveFailures" | "createdAt" | "updatedAt"
>;

/** The table of endpoints; what may be written into it is for others to judge. */
export interface EndpointStore {
  /** By name. */
  list(): Endpoint[];
  /** By identifier or name. */
  find(idOrName: string): Endpoint | undefined;
  /** Like `find`. @throws PublicError `not_found` */
  get(idOrName: string): Endpoint;
  /** @throws PublicError `bad_request`: too many */
  insert(row: EndpointRow): Endpoint;
  /** Writes only where something changes. */
  update(endpoint: Endpoint, values: Partial<Endpoint>): Endpoint;
  /** With its deliveries; in several transactions. */
  remove(endpoint: Endpoint): void;
  /** Calls `listener` after each change made by this process. */
  onChanged(listener: () => void): void;
}

/** So that one event never makes more deliveries than fit into one short transaction. */
const endpointsMax = 2_000;
const removalRowsMax = 5_000;

export function createEndpointStore({
  database,
  clock,
  ids,
}: {
  database: Database;
  clock: Clock;
  ids: IdFactory;
}): EndpointStore {
  const { query } = database;
  const listeners: (() => void)[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const all = query.select().from(webhookEndpoints).orderBy(asc(webhookEndpoints.name)).prepare();
  const one = query
    .select()
    .from(webhookEndpoints)
    .where(
      or(eq(webhookEndpoints.id, sql.placeholder("key")), eq(webhookEndpoints.name, sql.placeholder("key"))),
    )
    .prepare();

  const find = (key: string) => one.get({ key });

  function get(key: string): Endpoint {
    const endpoint = find(key);
    if (endpoint === undefined) throw notFound(`there is no endpoint ${visible(key, 100)}`);
    return endpoint;
  }

  function insert(row: EndpointRow): Endpoint {
    if (query.select({ total: count() }).from(webhookEndpoints).get()!.total >= endpointsMax)
      throw badRequest(`there are ${endpointsMax} endpoints already; remove one first`);
    const now = clock.now();
    const id = ids.next("endpoint");
    query
      .insert(webhookEndpoints)
      .values({ ...row, id, consecutiveFailures: 0, createdAt: now, updatedAt: now })
      .run();
    database.afterCommit(notify);
    return get(id);
  }

  function update(endpoint: Endpoint, values: Partial<Endpoint>): Endpoint {
    const changed = Object.entries(values).some(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(endpoint[name as keyof Endpoint]),
    );
    if (!changed) return endpoint;
    query
      .update(webhookEndpoints)
      .set({ ...values, updatedAt: clock.now() })
      .where(eq(webhookEndpoints.seq, endpoint.seq))
      .run();
    database.afterCommit(notify);
    return get(endpoint.id);
  }

  return {
    list: () => all.all(),
    find,
    get,
    insert,
    update,
    remove(endpoint) {
      const batch = query
        .select({ seq: deliveries.seq })
        .from(deliveries)
        .where(eq(deliveries.endpointSeq, endpoint.seq))
        .limit(removalRowsMax);
      const removeBatch = () =>
        query
          .delete(deliveries)
          .where(inArray(deliveries.seq, batch))
          .returning({ seq: deliveries.seq })
          .all();
      // In batches, so that others get their turn at the write lock.
      while (removeBatch().length > 0);
      query.delete(webhookEndpoints).where(eq(webhookEndpoints.seq, endpoint.seq)).run();
      database.afterCommit(notify);
    },
    onChanged: (listener) => void listeners.push(listener),
  };
}

/** The secrets that sign at `now`, the present one first. */
export function signingSecrets(endpoint: Endpoint, now: Instant): string[] {
  const { secret, previousSecret, previousSecretUntil } = endpoint;
  return previousSecret !== null && previousSecretUntil !== null && now < previousSecretUntil
    ? [secret, previousSecret]
    : [secret];
}
