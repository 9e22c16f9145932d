import type { Settings } from "../../access/settings/settings.ts";
import type { Database } from "../../database/database.ts";
import { dayMs, type Clock, type Instant } from "../../lib/clock.ts";
import { logDropped, type Log } from "../../lib/log.ts";
import { every, type Schedule } from "../../lib/schedule.ts";
import type { Lookups } from "../../lookups/lookups.ts";
import { markKinds, type MarkKind } from "./facts.ts";
import { siteMarksOf, type SiteMarks } from "./site-marks.ts";

/**
 * Looks up what the protected domains' own sites have, such as addresses: an attacker can point a name there or copy the
 * page, so these are no reason to join threats.
 */
export interface Originals {
  start(): void;
  stop(): Promise<void>;
  /** Looks up the domains that are due. */
  run(): Promise<void>;
}

const everyMinute = "* * * * *";
const failedAgeMs = dayMs - 3_600_000;
/** Addresses of a large site change all the time. */
const valuesMax = 64;
/** The page lookup stops at the protected domain, so it gets a name that does not exist (RFC 6761). */
const noDomain = "original.invalid";

interface Stored {
  checkedAt: Instant;
  marks: SiteMarks;
}

export function createOriginals({
  clock,
  database,
  enabledLookups,
  log,
  lookups,
  settings,
}: {
  clock: Clock;
  database: Database;
  enabledLookups: { names: boolean };
  log: Log;
  lookups: Pick<Lookups, "existence" | "page">;
  settings: Settings;
}): Originals {
  const enabled = database.sqlite.prepare<{ seq: number; domain: string }, []>(
    "select seq, domain from protected_domains where enabled order by seq",
  );
  let schedule: Schedule | undefined;
  let running: Promise<void> | undefined;
  let aborting = new AbortController();

  async function lookUp(domain: string): Promise<SiteMarks | undefined> {
    const existence = await lookups.existence(domain, { signal: aborting.signal });
    if (existence.exists !== "yes" || aborting.signal.aborted) return undefined;
    const result = await lookups.page(
      { name: domain, address: domain, protectedDomain: noDomain, brandNames: [] },
      { signal: aborting.signal },
    );
    const page = result.ok ? result.page : undefined;
    const { parked: _parked, sinkholed: _sinkholed, ...records } = existence;
    const marks = siteMarksOf({
      existence: { ...records, exists: "yes" },
      ...(page === undefined ? {} : { page: { ...page, asksForPassword: true } }),
      unknown: {},
    });
    return marks;
  }

  async function check(seq: number, domain: string): Promise<void> {
    const name = `original_marks:${seq}` as const;
    const stored = storedOf(settings.get(name));
    if (stored !== undefined && clock.now() - stored.checkedAt < dayMs) return;
    const found = await lookUp(domain);
    if (aborting.signal.aborted) return;
    const now = clock.now();
    const value: Stored = {
      checkedAt: found === undefined ? now - failedAgeMs : now,
      marks: merged(found, stored?.marks),
    };
    await database.write(() => settings.set(name, JSON.stringify(value)), { relaxed: true, patient: true });
  }

  async function run(): Promise<void> {
    if (!enabledLookups.names) return;
    try {
      for (const { domain, seq } of enabled.all()) if (!aborting.signal.aborted) await check(seq, domain);
    } catch (error) {
      if (!aborting.signal.aborted) logDropped(log, error, "lookup.new_threats_delayed");
    }
  }

  return {
    start() {
      // The sandbox's clock would run each minute of a month that it skips.
      if (!database.isShared) return;
      aborting = new AbortController();
      schedule = every({
        clock,
        pattern: everyMinute,
        run: () => void (running ??= run().finally(() => (running = undefined))),
      });
    },
    async stop() {
      schedule?.stop();
      aborting.abort();
      await running;
    },
    run,
  };
}

function storedOf(text: string | undefined): Stored | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Stored);
}

/** Returns the present values and earlier ones. Sorted, so that nothing changes if they come in another order. */
function merged(found: SiteMarks | undefined, before: SiteMarks | undefined): SiteMarks {
  const valuesOf = (kind: MarkKind) =>
    [...new Set([...(found?.[kind] ?? []), ...(before?.[kind] ?? [])])].slice(0, valuesMax).toSorted();
  return Object.fromEntries(markKinds.map((kind) => [kind, valuesOf(kind)])) as SiteMarks;
}
