import type { Settings } from "../../access/settings/settings.ts";
import type { Database } from "../../database/database.ts";
import type { Clock, Instant, Timer } from "../../lib/clock.ts";
import { logDropped, type Log } from "../../lib/log.ts";
import { siteStateAfter } from "../../threats/case/site-state.ts";
import type { SiteState } from "../../vocabulary/site.ts";
import type { Facts } from "./facts.ts";
import { siteStateOf, siteStateSince } from "./site-state.ts";

/**
 * Determines the state of the sites of threats that were checked before states were stored, the newest threats first.
 * Each batch and its progress are one transaction, so that a restart continues. These are no changes: the history and
 * those who poll for changes do not see them.
 */
export interface SiteStateBackfill {
  start(): void;
  stop(): Promise<void>;
}

/** Number of threats in a batch, which takes a few milliseconds. */
const batchThreats = 200;
/** A million threats take about five minutes. */
const pauseMs = 50;
const retryMs = 60_000;
const setting = "site_states_left";

interface Row {
  seq: number;
  clone_seen_at: Instant | null;
  looked_at: Instant | null;
  facts: string | null;
}

export function createSiteStateBackfill({
  clock,
  database,
  log,
  settings,
}: {
  clock: Clock;
  database: Database;
  log: Log;
  settings: Settings;
}): SiteStateBackfill {
  const { sqlite } = database;
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let stopped = true;

  /** Returns the highest row number that is left. */
  function left(): number {
    const stored = settings.get(setting);
    if (stored !== undefined) return Number(stored);
    return sqlite.query<{ last: number | null }, []>("select max(seq) as last from threats").get()!.last ?? 0;
  }

  function runBatch(): number {
    const to = left();
    const from = Math.max(0, to - batchThreats);
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
    settings.set(setting, String(from));
    return from;
  }

  async function step(): Promise<void> {
    try {
      const isDone = (await database.write(runBatch, { relaxed: true, patient: true })) === 0;
      if (!isDone) schedule(pauseMs);
    } catch (error) {
      logDropped(log, error, "lookup.site_states_delayed");
      schedule(retryMs);
    }
  }

  function schedule(delayMs: number): void {
    if (stopped) return;
    timer = clock.after(delayMs, () => void (running = step()));
  }

  return {
    start() {
      // A database in memory is new.
      if (!database.isShared || settings.get(setting) === "0") return;
      stopped = false;
      schedule(pauseMs);
    },
    async stop() {
      stopped = true;
      timer?.cancel();
      await running;
    },
  };
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
