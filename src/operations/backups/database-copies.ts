import type { Needs } from "../../access/audit/needs.ts";
import { createLiveCopies, type LiveCopy } from "../../platform/database/backup.ts";
import { messageOf, PublicError } from "../../platform/lib/errors.ts";
import type { Actor } from "../../access/audit/actor.ts";

/** Copies of the database while it is in use, for a download. */
export interface DatabaseCopies {
  /**
   * Makes a consistent copy of the database and records it in the audit log.
   * @throws PublicError `bad_request` while another copy is being made.
   */
  create(options: { by: Actor }): Promise<LiveCopy>;
  /** Returns the outcome of the latest copy of this process; `error` is null if it was made. */
  latest(): { error: string | null } | undefined;
}

export function createDatabaseCopies({
  database,
  fillRandom,
  auditLog,
}: Needs<"auditLog" | "database" | "fillRandom">): DatabaseCopies {
  const copyDatabase = createLiveCopies({ database, fillRandom });
  let latest: { error: string | null } | undefined;
  return {
    async create({ by }) {
      try {
        const copy = await copyDatabase();
        await database.write(() => auditLog.record(by, "backup.make", null, { bytes: copy.bytes }));
        latest = { error: null };
        return copy;
      } catch (error) {
        // A second copy at the same time is rejected, which says nothing about the first.
        if (!(error instanceof PublicError)) latest = { error: messageOf(error) };
        throw error;
      }
    },
    latest: () => latest,
  };
}
