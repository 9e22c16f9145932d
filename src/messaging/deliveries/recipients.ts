import { and, asc, count, eq, inArray, or } from "drizzle-orm";
import { differs } from "../../access/entries/administration.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Needs } from "../../platform/database/needs.ts";
import { hasValue, statement } from "../../platform/database/statement.ts";
import { matchesEverything, type EventFilter } from "../../threats/events/event-filter.ts";
import { badRequest, FieldError, notFound } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { Channel } from "./channel.ts";
import { checkConcurrency, checkEvents, checkName, checkRate, checkFilter } from "./rules/recipient-rules.ts";
import { deleteAnnouncements } from "./store/announcements.ts";
import { deliveries, recipients } from "./store/tables.ts";

/** A receiver of events. Its target holds secrets, so it must not be shown as a whole. */
export type Recipient = typeof recipients.$inferSelect;

/** Settings that people and the configuration file can change. */
export interface RecipientSettings {
  target: unknown;
  /** Empty for all. */
  events: readonly string[];
  /** Default: null, for all. */
  filter?: EventFilter | null;
  concurrency: number | null;
  ratePerSecond: number | null;
}

export interface NewRecipient
  extends RecipientSettings, Pick<Recipient, "id" | "name" | "channel" | "origin" | "enabled"> {
  disabledReason?: Recipient["disabledReason"];
  disabledAt?: Recipient["disabledAt"];
}

/** Recipients of all channels, as they are stored. `RecipientAdministration` also records changes in the audit log. */
export type Recipients = ReturnType<typeof createRecipients>;

/** Limits the deliveries of one event to what fits into one short transaction. */
const recipientsMax = 2_000;
/** Deliveries deleted per transaction, so that other writers get their turn. */
const removalRowsMax = 1_000;
/** Once begun, a removal continues after the database was locked. */
const untilDone = { patient: true };

export function createRecipients({
  channels,
  clock,
  database,
}: Needs<"clock" | "database"> & { channels: ReadonlyMap<string, Channel> }) {
  const { query } = database;
  const listeners: (() => void)[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const reads = prepareReads(database);
  const idPrefixes = [...channels.values()].map((channel) => channel.recipients.idPrefix);

  /** Writes values that need no validation. A call that changes nothing writes nothing. */
  function update(recipient: Recipient, values: Partial<Recipient>): Recipient {
    if (!differs(recipient, values)) return recipient;
    query
      .update(recipients)
      .set({ ...values, updatedAt: clock.now() })
      .where(eq(recipients.seq, recipient.seq))
      .run();
    database.afterCommit(notify);
    return reads.one.get({ channel: values.channel ?? recipient.channel, key: recipient.id })!;
  }

  const channelOf = (kind: string): Channel => {
    const channel = channels.get(kind);
    if (channel === undefined) throw new Error(`no channel ${kind}`);
    return channel;
  };

  return {
    /** Returns the recipients of a channel, sorted by name. */
    list: (channel: string) => reads.ofChannel.all({ channel }),
    /** Returns the recipients of all channels, sorted by name. */
    listAll: () => reads.all.all(),
    /** Returns a recipient of any channel. @throws PublicError `not_found` */
    get(key: string) {
      const recipient = reads.any.get({ key });
      if (recipient === undefined) throw notFound(`There is no endpoint ${visible(key, 100)}.`);
      return recipient;
    },
    find: (channel: string, key: string) => reads.one.get({ channel, key }),
    isTaken: (name: string) => reads.named.get({ name }) !== undefined,

    /** @throws PublicError `bad_request` with what to change */
    insert({ target, events, filter, concurrency, ratePerSecond, ...given }: NewRecipient): Recipient {
      const { id, name, channel } = given;
      checkName(name, idPrefixes);
      const checked = {
        target: channelOf(channel).validate(target),
        events: checkEvents(events),
        filter: toStoredFilter(filter),
        concurrency: checkConcurrency(concurrency),
        ratePerSecond: checkRate(ratePerSecond),
      };
      if (reads.named.get({ name }) !== undefined)
        throw new FieldError("name", `the name ${visible(name, 100)} is already taken`);
      if (query.select({ total: count() }).from(recipients).get()!.total >= recipientsMax)
        throw badRequest(`there are already ${recipientsMax} endpoints; delete one first`);
      const now = clock.now();
      query
        .insert(recipients)
        .values({ ...given, ...checked, consecutiveFailures: 0, createdAt: now, updatedAt: now })
        .run();
      database.afterCommit(notify);
      return reads.one.get({ channel, key: id })!;
    },

    /** @throws PublicError `bad_request` with what to change */
    change: (recipient: Recipient, settings: Partial<RecipientSettings>) =>
      update(recipient, checkSettings(channelOf(recipient.channel), settings)),

    update,

    /**
     * Deletes a recipient with its deliveries, in several transactions.
     * @param record called in the last of them, which deletes the recipient
     */
    async remove(recipient: Recipient, record: () => void) {
      await deleteDeliveries(database, recipient);
      await deleteAnnouncements(database, { recipientSeq: recipient.seq });
      await database.write(() => {
        query.delete(recipients).where(eq(recipients.seq, recipient.seq)).run();
        record();
        database.afterCommit(notify);
      }, untilDone);
    },

    /** Calls `listener` after each commit of this process that changed a recipient. */
    onChanged: (listener: () => void) => void listeners.push(listener),
  };
}

/** Returns the given settings in their normal form. @throws PublicError `bad_request` */
function checkSettings(
  channel: Channel,
  { target, events, filter, concurrency, ratePerSecond }: Partial<RecipientSettings>,
): Partial<Recipient> {
  return {
    ...(target === undefined ? {} : { target: channel.validate(target) }),
    ...(events === undefined ? {} : { events: checkEvents(events) }),
    ...(filter === undefined ? {} : { filter: toStoredFilter(filter) }),
    ...(concurrency === undefined ? {} : { concurrency: checkConcurrency(concurrency) }),
    ...(ratePerSecond === undefined ? {} : { ratePerSecond: checkRate(ratePerSecond) }),
  };
}

/** Returns null for a filter that matches everything. @throws PublicError `bad_request` */
function toStoredFilter(filter: EventFilter | null | undefined): EventFilter | null {
  return filter === undefined || filter === null || matchesEverything(filter) ? null : checkFilter(filter);
}

function prepareReads(database: Database) {
  const inChannel = hasValue(recipients.channel);
  const hasKey = or(hasValue(recipients.id, "key"), hasValue(recipients.name, "key"));
  const all = statement(database, (builder) =>
    builder.select().from(recipients).orderBy(asc(recipients.name)),
  );
  const ofChannel = statement(database, (builder) =>
    builder.select().from(recipients).where(inChannel).orderBy(asc(recipients.name)),
  );
  const any = statement(database, (builder) => builder.select().from(recipients).where(hasKey));
  const one = statement(database, (builder) =>
    builder.select().from(recipients).where(and(inChannel, hasKey)),
  );
  const named = statement(database, (builder) =>
    builder.select({ seq: recipients.seq }).from(recipients).where(hasValue(recipients.name)),
  );
  return { all, any, named, ofChannel, one };
}

/** Deletes all deliveries to a recipient, in several transactions. */
async function deleteDeliveries(database: Database, { seq }: Recipient): Promise<void> {
  const remove = statement(database, (query) => {
    const batch = query
      .select({ seq: deliveries.seq })
      .from(deliveries)
      .where(eq(deliveries.recipientSeq, seq))
      .limit(removalRowsMax);
    return query.delete(deliveries).where(inArray(deliveries.seq, batch));
  });
  while ((await database.write(() => remove.run(), untilDone)) > 0);
}
