import type { Database } from "../../../platform/database/database.ts";

/** Threats with a message of their own in a service that is to be sent the end of each. */
export type Incidents = ReturnType<typeof createIncidents>;

export function createIncidents({ prepare }: Pick<Database, "prepare">) {
  const find = prepare<unknown, [number, number]>(
    "select 1 from open_incidents where subscription_seq = ? and threat_seq = ?",
  );
  const insert = prepare<unknown, [number, number]>(
    "insert or ignore into open_incidents (subscription_seq, threat_seq) values (?, ?)",
  );
  const remove = prepare<unknown, [number, number]>(
    "delete from open_incidents where subscription_seq = ? and threat_seq = ?",
  );
  return {
    has: (subscriptionSeq: number, threatSeq: number) => find.get(subscriptionSeq, threatSeq) !== undefined,
    /** Joins the caller's transaction, like `close`. */
    open: (subscriptionSeq: number, threatSeq: number) => void insert.run(subscriptionSeq, threatSeq),
    close: (subscriptionSeq: number, threatSeq: number) => void remove.run(subscriptionSeq, threatSeq),
  };
}
