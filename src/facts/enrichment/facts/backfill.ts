import type { Settings } from "../../../access/settings/settings.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { type Timer, dayMs, type Instant } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { severityOf } from "../../../threats/threats/severity/severity.ts";
import type { SimilarityReason } from "../../../threats/threats/severity/similarity-reasons.ts";
import type { Severity, ThreatType } from "../../../platform/vocabulary/threats.ts";
import { severityFactsOf, type Facts } from "./facts.ts";
import { siteStateAfter } from "../../../threats/threats/case/site-state.ts";
import type { SiteState } from "../../../platform/vocabulary/site.ts";
import { siteStateOf, siteStateSince } from "./site-state.ts";

/** Completes threats that an earlier version recorded, in the background, the newest ones first. */
export type Backfill = ReturnType<typeof createBackfill>;

export interface BackfillDependencies extends Needs<"clock" | "database" | "log"> {
  settings: Settings;
}

/** Number of threats in a batch, which takes a few milliseconds. */
const batchThreats = 200;
/** A million threats take about five minutes. */
const pauseMs = 50;
const retryMs = 60_000;

/** Each batch and its progress are one transaction, so that a restart continues. */
function createBackfill(
  { clock, database, log, settings }: BackfillDependencies,
  {
    setting,
    delayed,
    complete,
  }: {
    /** Setting that keeps the highest row number that is left. */
    setting: "severities_left" | "site_states_left";
    /** Event of the log for a batch that has to be tried again. */
    delayed: "lookup.severities_delayed" | "lookup.site_states_delayed";
    /** Completes the threats whose row numbers are above `from` and up to `to`, within a transaction. */
    complete: (from: number, to: number) => void;
  },
) {
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let stopped = true;

  function left(): number {
    const stored = settings.get(setting);
    if (stored !== undefined) return Number(stored);
    const last = database.prepare<{ last: number | null }>("select max(seq) as last from threats");
    return last.get()!.last ?? 0;
  }

  function runBatch(): number {
    const to = left();
    const from = Math.max(0, to - batchThreats);
    complete(from, to);
    settings.set(setting, String(from));
    return from;
  }

  async function step(): Promise<void> {
    try {
      const isDone = (await database.write(runBatch, { relaxed: true, patient: true })) === 0;
      if (!isDone) schedule(pauseMs);
    } catch (error) {
      logDropped(log, error, delayed);
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

interface SeverityRow {
  seq: number;
  domain: string;
  protectedDomain: string;
  type: ThreatType;
  similarity: number;
  reasons: string;
  severity: Severity;
  clone_seen_at: Instant | null;
  facts: string | null;
}

/**
 * Rates the threats whose names a version before 0.5.0 rated, by their names and stored facts. Those who poll for changes
 * see the severities that differ. There is no escalation and no entry in the history: nothing happened to these threats.
 */
export function createSeverityBackfill(dependencies: BackfillDependencies): Backfill {
  const { clock, database } = dependencies;
  const between = database.prepare<SeverityRow, [number, number]>(
    `select t.seq, t.domain, p.domain as protectedDomain, type, similarity, reasons, severity, clone_seen_at, facts
     from threats t join protected_domains p on p.seq = protected_domain_seq left join enrichments on threat_seq = t.seq
     where t.seq > ? and t.seq <= ?
       and (severity_reasons like '%"deceives_%' or severity_reasons like '%"resembles_protected_name"%')`,
  );
  const update = database.prepare<unknown, [Severity, string, Instant, number]>(
    `update threats set severity = ?1, severity_reasons = ?2,
       changed_at = iif(severity = ?1, changed_at, max(changed_at + 1, ?3)) where seq = ?4`,
  );

  function complete(from: number, to: number): void {
    const now = clock.now();
    for (const { clone_seen_at: cloneSeenAt, facts, reasons, ...row } of between.all(from, to)) {
      const scored = severityOf(
        { ...row, reasons: JSON.parse(reasons) as SimilarityReason[] },
        {
          facts: facts === null ? undefined : severityFactsOf(JSON.parse(facts) as Facts, now),
          cloneSeenDays: cloneSeenAt === null ? undefined : Math.floor((now - cloneSeenAt) / dayMs),
        },
      );
      update.run(scored.severity, JSON.stringify(scored.reasons), now, row.seq);
    }
  }

  return createBackfill(dependencies, {
    setting: "severities_left",
    delayed: "lookup.severities_delayed",
    complete,
  });
}

interface SiteRow {
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
  const between = database.prepare<SiteRow, [number, number]>(
    `select seq, clone_seen_at, looked_at, facts from threats left join enrichments on threat_seq = seq
     where seq > ? and seq <= ? and site_state is null and (looked_at is not null or clone_seen_at is not null)`,
  );
  const update = database.prepare<unknown, [SiteState, Instant, number]>(
    "update threats set site_state = ?, site_state_at = ? where seq = ?",
  );

  function complete(from: number, to: number): void {
    const now = clock.now();
    for (const row of between.all(from, to)) {
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

function stateOf(row: SiteRow, now: Instant): { state: SiteState; since: Instant } | null {
  const facts = row.facts === null ? noFacts : (JSON.parse(row.facts) as Facts);
  const state = siteStateAfter(
    { siteState: null, cloneSeenAt: row.clone_seen_at },
    { found: siteStateOf(facts, now), exists: facts.existence?.exists ?? "unknown", now },
  );
  if (state === null) return null;
  return { state, since: siteStateSince(facts, state) ?? row.clone_seen_at ?? row.looked_at ?? now };
}
