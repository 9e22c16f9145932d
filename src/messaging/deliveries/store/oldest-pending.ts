import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";

/** Returns a function that finds the oldest pending delivery of each enabled recipient by an index. */
export function createOldestPending({ sqlite }: Pick<Database, "sqlite">) {
  return () =>
    sqlite
      .query<{ recipient: string; createdAt: Instant | null }, []>(
        `select name as recipient, (select created_at from deliveries where seq = (select min(seq) from deliveries
           where recipient_seq = recipients.seq and status = 'pending')) as createdAt
         from recipients where enabled = 1 order by name`,
      )
      .all();
}
