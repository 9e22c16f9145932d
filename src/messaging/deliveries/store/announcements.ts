import type { Database } from "../../../platform/database/database.ts";

/** A threat about which a recipient was sent something, and the subscription whose filter matched. */
export interface Announcement {
  recipientSeq: number;
  /** 0: the filter of the recipient itself. */
  subscriptionSeq: number;
  threatSeq: number;
}

/** Remembers which threats were announced to whom, so that each is announced once, however often a filter matches. */
export type Announcements = ReturnType<typeof createAnnouncements>;

export function createAnnouncements({ prepare }: Pick<Database, "prepare">) {
  const insert = prepare<unknown, [number, number, number]>(
    "insert or ignore into announcements (recipient_seq, subscription_seq, threat_seq) values (?, ?, ?)",
  );
  const find = prepare<unknown, [number, number, number]>(
    "select 1 from announcements where recipient_seq = ? and subscription_seq = ? and threat_seq = ?",
  );
  return {
    /** Returns whether the threat had not been announced. Joins the caller's transaction. */
    add: ({ recipientSeq, subscriptionSeq, threatSeq }: Announcement) =>
      insert.run(recipientSeq, subscriptionSeq, threatSeq) > 0,
    has: ({ recipientSeq, subscriptionSeq, threatSeq }: Announcement) =>
      find.get(recipientSeq, subscriptionSeq, threatSeq) !== undefined,
  };
}

/** Rows deleted per transaction, so that other writers get their turn. */
const removalRowsMax = 5_000;

/** Deletes what was announced to a recipient, or for one subscription only, in several transactions. */
export async function deleteAnnouncements(
  { prepare, write }: Pick<Database, "prepare" | "write">,
  { recipientSeq, subscriptionSeq = null }: { recipientSeq: number; subscriptionSeq?: number | null },
): Promise<void> {
  const remove = prepare<unknown, [number, number | null]>(
    `delete from announcements where (recipient_seq, subscription_seq, threat_seq) in (
       select recipient_seq, subscription_seq, threat_seq from announcements
       where recipient_seq = ?1 and subscription_seq = coalesce(?2, subscription_seq) limit ${removalRowsMax})`,
  );
  const removeBatch = () => remove.run(recipientSeq, subscriptionSeq);
  while ((await write(removeBatch, { patient: true })) > 0);
}
