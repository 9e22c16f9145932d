import { and, lte, max } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { columnsOf, hasValue, statement, value, valuesExcept } from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { ThreatSource } from "../../../platform/vocabulary/threats.ts";
import type { CertificateSighting } from "./origins.ts";
import { deletedThreats } from "./tables.ts";

type DeletedThreat = typeof deletedThreats.$inferInsert;

/** The part of a sighting that decides whether a deleted name is recorded again. */
interface SightingOfName {
  source: ThreatSource;
  seenAt: Instant;
  certificate?: CertificateSighting | undefined;
  /** Whether the source of the sighting reactivates resolved threats. */
  reactivates: boolean;
}

/** Maximum number of names, at 120 bytes each. The first deleted ones make room, and lists may record those again. */
const deletedThreatsMax = 1_000_000;

/** The names that lists must not record again. Must be used within a transaction. */
export function createDeletedThreats(database: Database) {
  const ofPair = and(hasValue(deletedThreats.protectedDomainSeq), hasValue(deletedThreats.domain));
  const find = statement(database, (query) =>
    query
      .select(columnsOf(deletedThreats, "threatId status closedAt deletedAt"))
      .from(deletedThreats)
      .where(ofPair),
  );
  const insert = statement(database, (query) =>
    query.insert(deletedThreats).values(valuesExcept(deletedThreats, "seq")),
  );
  const remove = statement(database, (query) => query.delete(deletedThreats).where(ofPair));
  const newest = statement(database, (query) =>
    query.select({ seq: max(deletedThreats.seq) }).from(deletedThreats),
  );
  const trim = statement(database, (query) =>
    query.delete(deletedThreats).where(lte(deletedThreats.seq, value(deletedThreats.seq))),
  );
  return {
    /**
     * Returns the former id of a name that stays deleted; undefined: it may be recorded, because it was not deleted, or
     * because of this sighting.
     */
    check(protectedDomainSeq: number, domain: string, sighting: SightingOfName): string | undefined {
      const deleted = find.get({ protectedDomainSeq, domain });
      if (deleted === undefined) return undefined;
      if (!isRecordedAgain(deleted, sighting)) return deleted.threatId;
      remove.run({ protectedDomainSeq, domain });
      return undefined;
    },
    add(threat: Omit<DeletedThreat, "seq">) {
      remove.run({ protectedDomainSeq: threat.protectedDomainSeq, domain: threat.domain });
      insert.run({ ...threat });
      trim.run({ seq: newest.get()!.seq! - deletedThreatsMax });
    },
  };
}

/**
 * Returns whether a sighting records a deleted name again. A page that a beacon reports is a live copy, regardless of
 * earlier decisions. Otherwise, a false positive stays one, and a resolved threat is back under the same conditions that
 * reactivate one: its source shows that the domain is in use, after the threat was resolved.
 */
function isRecordedAgain(
  { status, closedAt }: Pick<DeletedThreat, "status" | "closedAt">,
  { source, seenAt, certificate, reactivates }: SightingOfName,
): boolean {
  if (source === "beacon") return true;
  if (status !== "resolved" || !reactivates || seenAt <= closedAt) return false;
  // The certificates of the threat are deleted, and each is logged several times: only a new one shows anything.
  return certificate === undefined || (certificate.notBefore ?? 0) > closedAt;
}
