import type { Database } from "../../../platform/database/database.ts";

/** Reads the log of changed and deleted threats, which holds the latest 100,000 changes (`threatChangeLog`). */
export function createChangeLog({ prepare }: Pick<Database, "prepare">) {
  const bounds = prepare<{ first: number | null; last: number | null }>(
    "select min(version) as first, max(version) as last from (select min(version) as version from threat_change_log union all select max(version) from threat_change_log)",
  );
  const after = prepare<{ version: number; threatSeq: number }, [number, number]>(
    "select version, threat_seq as threatSeq from threat_change_log where version > ? order by version limit ?",
  );
  return {
    /** Returns the version of the first and of the last change in the log; null: it is empty. */
    bounds: () => bounds.get()!,
    /** Returns at most `limit` changes after a version, oldest first. */
    after: (version: number, limit: number) => after.all(version, limit),
  };
}
