import type { Database } from "../../database/database.ts";

/** A threat about which a recipient was sent something, and the subscription whose filter matched. */
export interface Announcement {
  recipientSeq: number;
  /** 0: the filter of the recipient itself. */
  subscriptionSeq: number;
  threatSeq: number;
}

/** Remembers which threats were announced to whom, so that each is announced once, however often a filter matches. */
export interface Announcements {
  /** Returns whether the threat had not been announced. Joins the caller's transaction. */
  add(announcement: Announcement): boolean;
  has(announcement: Announcement): boolean;
}

export function createAnnouncements({ sqlite }: Pick<Database, "sqlite">): Announcements {
  const insert = sqlite.prepare<unknown, [number, number, number]>(
    "insert or ignore into announcements (recipient_seq, subscription_seq, threat_seq) values (?, ?, ?)",
  );
  const find = sqlite.prepare<unknown, [number, number, number]>(
    "select 1 from announcements where recipient_seq = ? and subscription_seq = ? and threat_seq = ?",
  );
  return {
    add: ({ recipientSeq, subscriptionSeq, threatSeq }) =>
      insert.run(recipientSeq, subscriptionSeq, threatSeq).changes > 0,
    has: ({ recipientSeq, subscriptionSeq, threatSeq }) =>
      find.get(recipientSeq, subscriptionSeq, threatSeq) !== null,
  };
}
