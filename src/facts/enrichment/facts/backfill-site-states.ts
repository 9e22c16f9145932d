import type { Instant } from "../../../platform/lib/clock.ts";
import { siteStateAfter } from "../../../threats/threats/case/site-state.ts";
import type { SiteState } from "../../../platform/vocabulary/site.ts";
import { createBackfill, type Backfill, type BackfillDependencies } from "./backfill.ts";
import type { Facts } from "./facts.ts";
import { siteStateOf, siteStateSince } from "./site-state.ts";

interface Row {
  seq: number;
  clone_seen_at: Instant | null;
  looked_at: Instant | null;
  facts: string | null;
}

/**
 * Determines the state of the sites of threats that were checked before states were stored. These are no changes: the
 * history and those who poll for changes do not see them.
 */
export function createSiteStateBackfill(dependencies: BackfillDependencies): Backfill {
  const { clock, database } = dependencies;
  const { sqlite } = database;

  function complete(from: number, to: number): void {
    const now = clock.now();
    const rows = sqlite
      .query<Row, [number, number]>(
        `select seq, clone_seen_at, looked_at, facts from threats left join enrichments on threat_seq = seq
         where seq > ? and seq <= ? and site_state is null and (looked_at is not null or clone_seen_at is not null)`,
      )
      .all(from, to);
    const update = sqlite.query<unknown, [SiteState, Instant, number]>(
      "update threats set site_state = ?, site_state_at = ? where seq = ?",
    );
    for (const row of rows) {
      const found = stateOf(row, now);
      if (found !== null) update.run(found.state, found.since, row.seq);
    }
  }

  return createBackfill(dependencies, {
    setting: "site_states_left",
    delayed: "lookup.site_states_delayed",
    complete,
  });
}

const noFacts: Facts = { unknown: {} };

function stateOf(row: Row, now: Instant): { state: SiteState; since: Instant } | null {
  const facts = row.facts === null ? noFacts : (JSON.parse(row.facts) as Facts);
  const state = siteStateAfter(
    { siteState: null, cloneSeenAt: row.clone_seen_at },
    { found: siteStateOf(facts, now), exists: facts.existence?.exists ?? "unknown", now },
  );
  if (state === null) return null;
  return { state, since: siteStateSince(facts, state) ?? row.clone_seen_at ?? row.looked_at ?? now };
}
