import type { Database } from "../../../platform/database/database.ts";

/** Deliveries of one recipient that failed for good, by cause. */
export interface FailedDeliveries {
  recipientId: string;
  recipientName: string;
  /** Kind of the recipient's channel. */
  channel: string;
  /** Whether the recipient is enabled, so that they can be sent again. */
  enabled: boolean;
  /** Number of deliveries, up to `failedCountedMax`. */
  total: number;
  /** Whether there are more than `total`. */
  more: boolean;
  /** Deliveries that wait for their next attempt, up to `failedCountedMax` and one more. */
  queued: number;
  /** The newest of them that the causes were counted of. */
  examined: number;
  /** The most frequent cause first. */
  causes: readonly FailureCause[];
}

/** Outcome of the last attempt that some deliveries have in common. */
export interface FailureCause {
  total: number;
  /** One of the channel's failure codes. */
  failure: string;
  /** Readable reason. */
  error: string;
  /** Null if there was no response. */
  statusCode: number | null;
  /** Start of the response, escaped for display; null if the responses differ. */
  response: string | null;
}

/** Says which deliveries failed for good, and why. */
export type FailureSummary = ReturnType<typeof createFailureSummary>;

/** Maximum number of failed deliveries that are counted per recipient. */
export const failedCountedMax = 10_000;
/** Maximum number of failed deliveries whose last attempts are read, for all recipients together. */
const examinedMax = 1_000;
const recipientsMax = 5;
const causesMax = 5;
const responseCharactersMax = 80;

type RecipientRow = Omit<FailedDeliveries, "enabled" | "more" | "examined" | "causes"> & {
  seq: number;
  enabled: number;
};

export function createFailureSummary({ prepare }: Pick<Database, "prepare">) {
  const counted = prepare<RecipientRow, [{ channels: string | null; recipient: string | null }]>(
    `select seq, id as recipientId, name as recipientName, channel, enabled,
       (select count(*) from (select 1 from deliveries
          where recipient_seq = recipients.seq and status = 'failed' limit ${failedCountedMax + 1})) as total,
       (select count(*) from (select 1 from deliveries
          where recipient_seq = recipients.seq and status = 'pending' limit ${failedCountedMax + 1})) as queued
     from recipients
     where ($recipient is null or id = $recipient)
       and ($channels is null or channel in (select value from json_each($channels)))
       and total > 0
     order by total desc, name limit ${recipientsMax}`,
  );
  const causes = prepare<FailureCause, [{ seq: number; limit: number }]>(
    `select count(*) as total, failure, error, status_code as statusCode,
       case when min(response) = max(response) then min(response) end as response
     from (
       select coalesce(failure, 'unknown') as failure, coalesce(error, failure, 'unknown') as error, status_code,
         substr(answer, 1, ${responseCharactersMax}) as response
       from (select seq from deliveries where recipient_seq = $seq and status = 'failed'
             order by seq desc limit $limit) as newest
       join delivery_attempts on delivery_attempts.seq =
         (select max(seq) from delivery_attempts where delivery_seq = newest.seq))
     group by failure, error, status_code order by total desc limit ${causesMax}`,
  );
  return {
    /** Returns the recipients with failed deliveries, those with most of them first, at most `recipientsMax`. */
    of({ channels, recipient }: { channels?: readonly string[]; recipient?: string }): FailedDeliveries[] {
      const rows = counted.all({
        channels: channels === undefined ? null : JSON.stringify(channels),
        recipient: recipient ?? null,
      });
      const limit = Math.floor(examinedMax / Math.max(1, rows.length));
      return rows.map(({ seq, enabled, total, ...row }) => ({
        ...row,
        enabled: enabled === 1,
        total: Math.min(total, failedCountedMax),
        more: total > failedCountedMax,
        examined: Math.min(total, limit),
        causes: causes.all({ seq, limit }),
      }));
    },
  };
}
