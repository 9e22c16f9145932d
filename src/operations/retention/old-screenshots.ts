import type { Database } from "../../platform/database/database.ts";
import type { Instant } from "../../platform/lib/clock.ts";

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
  const isOld = `status <> 'active' and ${taken} < ? and (facts ->> '$.screenshot.deletedAt') is null`;
  const end = prepare<{ seq: number | null }, [number]>(
    `select max(seq) as seq from (select threat_seq as seq from enrichments where threat_seq > ?
     order by threat_seq limit ${threatsPerPage})`,
  );
  const page = prepare<OldScreenshot, [number, number, number]>(
    `select threat_seq as threatSeq, id, domain, ${taken} as at
     from enrichments join threats on threats.seq = threat_seq
     where threat_seq > ? and threat_seq <= ? and ${isOld}`,
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
     * Returns those of the next threats, and the position to continue from; undefined: there are no more threats.
     * @param after position; 0 begins
     */
    page(after: number, before: Instant): { found: OldScreenshot[]; next: number | undefined } {
      const last = end.get(after)?.seq ?? null;
      if (last === null) return { found: [], next: undefined };
      return { found: page.all(after, last, before), next: last };
    },

    /**
     * Marks them as deleted, except those that were renewed meanwhile. Returns their ids. Must run within a
     * transaction.
     */
    mark: (found: readonly OldScreenshot[], before: Instant, now: Instant) =>
      found.filter(({ threatSeq }) => mark.get(now, threatSeq, before) !== undefined).map(({ id }) => id),

    /** Returns when the screenshot of a threat was deleted; null: it was not; undefined: there is no such threat. */
    deletedAt: (threatId: string) => state.get(threatId)?.deletedAt,
  };
}
