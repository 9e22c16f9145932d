import type { Database } from "../../platform/database/database.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { createDeletedThreats } from "../../threats/threats/store/deleted-threats.ts";
import type { Status } from "../../platform/vocabulary/threats.ts";

/** Status of the threats that a rule deletes. */
export type ClosedStatus = Exclude<Status, "active">;

/** Threats that have been closed for long. */
export type OldThreats = ReturnType<typeof createOldThreats>;

export interface Summary {
  count: number;
  oldest: Instant | null;
  newest: Instant | null;
}

/** Deleting a threat deletes up to 400 rows of history: with these, a transaction takes about 10 ms. */
const threatsPerStep = 25;
const sampleMax = 200;

/** `status <> 'active'` lets SQLite use the index of closed threats. */
const isOld = "status = ?1 and status <> 'active' and status_changed_at < ?2";

export function createOldThreats(database: Database) {
  const { prepare } = database;
  const deletedThreats = createDeletedThreats(database);
  const summary = prepare<Summary, [string, number]>(
    `select count(*) as count, min(status_changed_at) as oldest, max(status_changed_at) as newest
     from threats where ${isOld}`,
  );
  const first = prepare<{ id: string; domain: string }, [string, number, number]>(
    `select id, domain from threats where ${isOld} order by status_changed_at, seq limit ?3`,
  );
  const sampled = prepare<{ bytes: number | null }, [string, number]>(
    `select avg(
       600 + length(reasons) + length(severity_reasons) + length(whois)
       + coalesce((select length(facts) + 150 from enrichments where threat_seq = threats.seq), 0)
       + coalesce((select length(answer) from registration_responses where threat_seq = threats.seq), 0)
       + coalesce((select sum(60 + length(coalesce(before, '') || coalesce(after, '')))
                   from threat_history where threat_seq = threats.seq), 0)
       + coalesce((select sum(60 + length(text)) from threat_notes where threat_seq = threats.seq), 0)
     ) as bytes
     from (select seq from threats where ${isOld} limit ${sampleMax}) as old join threats using (seq)`,
  );
  const next = prepare<
    { seq: number; id: string; pair: number; domain: string; closedAt: number },
    [string, number]
  >(
    `select seq, id, protected_domain_seq as pair, domain, status_changed_at as closedAt
     from threats where ${isOld} order by status_changed_at, seq limit ${threatsPerStep}`,
  );
  const forget = createForgetting(database);
  const remove = prepare<unknown, [number]>("delete from threats where seq = ?1");
  return {
    /** Returns their number, and when the first and the last of them were closed. */
    summary: (status: ClosedStatus, before: Instant) => summary.get(status, before)!,

    /** Returns the names and ids of the first ones to be deleted. */
    first: (status: ClosedStatus, before: Instant, limit: number) => first.all(status, before, limit),

    /** Returns about how many bytes of the database a threat takes, from a sample. */
    bytesOfOne: (status: ClosedStatus, before: Instant) =>
      Math.round(sampled.get(status, before)?.bytes ?? 0),

    /**
     * Deletes some of them with all that belongs to them, but their screenshots, and keeps their names from being
     * recorded again. Returns their ids. Must run within a transaction.
     */
    deleteSome(status: ClosedStatus, before: Instant, now: Instant) {
      const found = next.all(status, before);
      forget(found, now);
      for (const { seq, id, pair, domain, closedAt } of found) {
        const name = { protectedDomainSeq: pair, domain };
        deletedThreats.add({ ...name, threatId: id, status, closedAt, deletedAt: now });
        remove.run(seq);
      }
      return found.map(({ id }) => id);
    },
  };
}

/** Returns a function that deletes the rows about threats that no foreign key deletes with them. */
function createForgetting({
  prepare,
}: Pick<Database, "prepare">): (found: readonly { seq: number; id: string }[], now: Instant) => void {
  // Announcements have no index by threat. There are few recipients, and each is one search.
  const recipients = prepare<{ recipient: number; subscription: number }>(
    `select seq as recipient, 0 as subscription from recipients
     union all select recipient_seq, seq from subscriptions`,
  );
  const announced = prepare<unknown, [number, number, string]>(
    `delete from announcements where recipient_seq = ?1 and subscription_seq = ?2
     and threat_seq in (select value from json_each(?3))`,
  );
  const incidents = prepare<unknown, [number, string]>(
    `delete from open_incidents where subscription_seq = ?1
     and threat_seq in (select value from json_each(?2))`,
  );
  const queued = prepare<unknown, [string]>(
    "delete from queued_changes where threat_seq in (select value from json_each(?1))",
  );
  // The visit stays until its own retention ends.
  const visits = prepare<unknown, [string]>(
    "update trap_visits set threat_id = null where threat_id in (select value from json_each(?1))",
  );
  // The site can no longer be followed. The reports stay as a record of what was sent.
  const takedowns = prepare<unknown, [number, string]>(
    `update takedowns set closed_at = ?1 where down_at is null and closed_at is null
     and threat_seq in (select value from json_each(?2))`,
  );
  return (found, now) => {
    if (found.length === 0) return;
    const seqs = JSON.stringify(found.map(({ seq }) => seq));
    for (const { recipient, subscription } of recipients.all()) {
      announced.run(recipient, subscription, seqs);
      if (subscription !== 0) incidents.run(subscription, seqs);
    }
    queued.run(seqs);
    takedowns.run(now, seqs);
    visits.run(JSON.stringify(found.map(({ id }) => id)));
  };
}

/** A screenshot of a closed threat. */
export interface OldScreenshot {
  threatSeq: number;
  id: string;
  domain: string;
  at: Instant;
}

/** Screenshots of closed threats that were taken long ago. */
export type OldScreenshots = ReturnType<typeof createOldScreenshots>;

/** Facts are JSON: reading this many takes about 10 ms. */
const threatsPerPage = 1_000;

export function createOldScreenshots({ prepare }: Pick<Database, "prepare">) {
  const taken = "(facts ->> '$.screenshot.at')";
  const isOldScreenshot = `status <> 'active' and ${taken} < ? and (facts ->> '$.screenshot.deletedAt') is null`;
  const end = prepare<{ seq: number | null }, [number]>(
    `select max(seq) as seq from (select threat_seq as seq from enrichments where threat_seq > ?
     order by threat_seq limit ${threatsPerPage})`,
  );
  const page = prepare<OldScreenshot, [number, number, number]>(
    `select threat_seq as threatSeq, id, domain, ${taken} as at
     from enrichments join threats on threats.seq = threat_seq
     where threat_seq > ? and threat_seq <= ? and ${isOldScreenshot}`,
  );
  const mark = prepare<{ threat_seq: number }, [number, number, number]>(
    `update enrichments set facts = json_set(facts, '$.screenshot.deletedAt', ?)
     where threat_seq = ? and ${taken} < ?
       and (select status from threats where seq = threat_seq) <> 'active'
     returning threat_seq`,
  );
  const state = prepare<{ deletedAt: number | null }, [string]>(
    `select facts ->> '$.screenshot.deletedAt' as deletedAt
     from threats left join enrichments on threat_seq = threats.seq where id = ?`,
  );
  return {
    /**
     * Returns old screenshots of the next threats, and the position to continue from; undefined: there are no more threats.
     * @param after position; 0 begins
     */
    page(after: number, before: Instant): { found: OldScreenshot[]; next: number | undefined } {
      const last = end.get(after)?.seq ?? null;
      if (last === null) return { found: [], next: undefined };
      return { found: page.all(after, last, before), next: last };
    },

    /**
     * Marks them as deleted, except if they were renewed since. Returns their ids. Must run within a
     * transaction.
     */
    mark: (found: readonly OldScreenshot[], before: Instant, now: Instant) =>
      found.filter(({ threatSeq }) => mark.get(now, threatSeq, before) !== undefined).map(({ id }) => id),

    /** Returns when the screenshot of a threat was deleted; null: it was not; undefined: there is no such threat. */
    deletedAt: (threatId: string) => state.get(threatId)?.deletedAt,
  };
}
