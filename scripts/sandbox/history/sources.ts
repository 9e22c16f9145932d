import { eq, inArray } from "drizzle-orm";
import { dayMs, startOfDay, toIsoTime, type Instant } from "../../../src/platform/lib/clock.ts";
import { scans } from "../../../src/intake/scans/tables.ts";
import { sourceActivity } from "../../../src/intake/sources/activity/tables.ts";
import { listImports } from "../../../src/intake/sources/imports/tables.ts";
import { threats as threatTable } from "../../../src/threats/threats/store/tables.ts";
import type { ScanTrigger } from "../../../src/platform/vocabulary/scans.ts";
import type { ThreatSource } from "../../../src/platform/vocabulary/threats.ts";
import { analyst, automation, timer } from "../world/decisions.ts";
import { feedName, worldDomains } from "../../../src/sandbox/world/samples.ts";
import { insertAll, type Draft, type StoredThreat } from "./draft.ts";
import samples from "./samples.json" with { type: "json" };
import { eventsKeptMs } from "./threats.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const historyDays = 90;
/** Time of the nightly scan. */
const nightlyMs = 3 * hourMs + 17 * minuteMs;
const namesPerDomain = 5_240;

/** Adds scans, imports, and the names of each source by day. Every threat is from what its source did at that time. */
export function addSources(draft: Draft): void {
  const scanned = addScans(draft);
  const imported = addImports(draft);
  addActivity(draft, { imported, scanned });
}

type ScanRow = typeof scans.$inferInsert & { startedAt: Instant; completedAt: Instant };

/** Number of names that were scanned on each day, and the end of its last scan. */
type ScannedNames = Map<Instant, { names: number; lastAt: Instant }>;

function addScans(draft: Draft): ScannedNames {
  const { changes, database, events, idAt, random, start, threats } = draft;
  const found = threats.filter(({ source }) => source === "scan");
  const knownBefore = (at: Instant, domains: readonly string[]) =>
    found.filter((threat) => threat.createdAt < at && domains.includes(threat.protectedDomain)).length;
  const nightly = Array.from({ length: historyDays }, (_, index) => {
    const startedAt = startOfDay(start) - index * dayMs + nightlyMs;
    return { startedAt, trigger: "schedule" as ScanTrigger, domains: [...worldDomains], threat: undefined };
  }).filter(({ startedAt }) => startedAt < start - hourMs && startedAt > start - historyDays * dayMs);
  const others = found.map((threat) => {
    const startedAt = threat.createdAt - 20_000 - random.below(90_000);
    const hour = new Date(startedAt).getUTCHours();
    const trigger: ScanTrigger = hour >= 7 && hour < 18 ? "console" : "cli";
    return { startedAt, trigger, domains: [threat.protectedDomain as string], threat };
  });
  const planned = [...nightly, ...others].sort((a, b) => a.startedAt - b.startedAt);
  const rows = planned.map(({ domains, startedAt, threat, trigger }): ScanRow => {
    const candidates = namesPerDomain * domains.length;
    const lastsMs = 150_000 * domains.length + random.below(40_000);
    const again = knownBefore(startedAt, domains);
    return {
      id: idAt(startedAt).next("scan"),
      trigger,
      protectedDomains: domains,
      status: "completed",
      cancelRequested: false,
      startedAt,
      completedAt: Math.min(startedAt + lastsMs, start - 1_000),
      planned: candidates,
      candidates,
      resolving: again + (threat === undefined ? 0 : 1) + 9 * domains.length,
      unknown: random.below(12),
      threatsFound: again + (threat === undefined ? 0 : 1),
      threatsCreated: threat === undefined ? 0 : 1,
      failure: null,
      error: null,
    };
  });
  insertAll(database, scans, rows);
  const seqs = new Map(
    database.query
      .select({ id: scans.id, seq: scans.seq })
      .from(scans)
      .all()
      .map(({ id, seq }) => [id, seq]),
  );
  for (const [index, row] of rows.entries()) {
    const { threat, trigger } = planned[index]!;
    const { id, protectedDomains, startedAt } = row;
    if (threat !== undefined)
      database.query
        .update(threatTable)
        .set({ scanSeq: seqs.get(id)! })
        .where(eq(threatTable.seq, threat.seq))
        .run();
    if (trigger !== "schedule")
      changes.push({
        at: startedAt,
        by: trigger === "console" ? analyst : timer,
        action: "scan.start",
        subject: id,
        detail: { domains: protectedDomains, limit: null },
      });
    if (startedAt < start - eventsKeptMs) continue;
    const shared = { id, protected_domains: protectedDomains, trigger, started_at: toIsoTime(startedAt) };
    events.push({ type: "scan.started", at: startedAt, data: { scan: { ...shared, status: "running" } } });
    events.push({
      type: "scan.completed",
      at: row.completedAt,
      data: {
        scan: {
          ...shared,
          status: "completed",
          completed_at: toIsoTime(row.completedAt),
          candidates: row.candidates!,
          resolving: row.resolving!,
          threats_found: row.threatsFound!,
          threats_created: row.threatsCreated!,
        },
      },
    });
  }
  const names: ScannedNames = new Map();
  for (const { candidates, completedAt } of rows) {
    const day = startOfDay(completedAt);
    names.set(day, { names: (names.get(day)?.names ?? 0) + candidates!, lastAt: completedAt });
  }
  return names;
}

const { imports: importNames } = samples;

/** Lets some threats of feeds be from imports of files. Returns their `seq`. */
function addImports({ changes, database, random, threats }: Draft): ReadonlySet<number> {
  const chosen = threats.filter(({ source }) => source === "feed").filter((_, index) => index % 7 === 3);
  for (const [index, { createdAt, seq }] of chosen.entries()) {
    const received = 400 + random.below(9_000);
    const startedAt = createdAt - 900;
    const name = `${importNames[index % importNames.length]}-${toIsoTime(startedAt).slice(0, 10)}.csv`;
    const bytes = received * 31;
    const { seq: importSeq } = database.query
      .insert(listImports)
      .values({
        name,
        format: "csv",
        column: "domain",
        state: "completed",
        bytesTotal: bytes,
        bytes,
        lines: received + 1,
        received,
        firstInvalid: [],
        matched: 1,
        created: 1,
        startedAt,
        completedAt: createdAt + 1_200,
      })
      .returning({ seq: listImports.seq })
      .get();
    database.query
      .update(threatTable)
      .set({ importSeq })
      .where(inArray(threatTable.seq, [seq]))
      .run();
    changes.push({
      at: startedAt,
      by: analyst,
      action: "feed.import",
      subject: name,
      detail: { import: importSeq },
    });
  }
  return new Set(chosen.map(({ seq }) => seq));
}

interface Origin {
  kind: string;
  name: string;
  namesOn: (day: Instant) => number;
  includes: (threat: StoredThreat) => boolean;
  /** Share of names that cannot be names, in thousandths. */
  invalid: number;
}

/** Number of names in the list that the feed delivers every day. */
const namesPerList = 256;
/** Age of the latest names of a source that delivers all the time. */
const lastNamesMs = 4 * minuteMs;

/** Adds the names of each origin by day, and over all time. The new threats are those on record. */
function addActivity(
  { database, random, start, threats }: Draft,
  { imported, scanned }: { imported: ReadonlySet<number>; scanned: ScannedNames },
): void {
  const today = startOfDay(start);
  const isFrom = (source: ThreatSource) => (threat: StoredThreat) => threat.source === source;
  const varied = (perDay: number) => Math.round(perDay * (0.8 + random.below(400) / 1_000));
  const origins: Origin[] = [
    {
      kind: "feed",
      name: feedName,
      // The list of today has not been read yet.
      namesOn: (day) => (day === today ? 0 : namesPerList),
      includes: (threat) => threat.source === "feed" && !imported.has(threat.seq),
      invalid: 0,
    },
    {
      kind: "certificate logs",
      name: "certificate logs",
      namesOn: () => varied(9_300_000),
      includes: isFrom("certificate_transparency"),
      invalid: 0,
    },
    {
      kind: "submission",
      name: automation.name!,
      namesOn: () => varied(140),
      includes: isFrom("submission"),
      invalid: 0,
    },
    {
      kind: "scan",
      name: "scans",
      namesOn: (day) => scanned.get(day)?.names ?? 0,
      includes: isFrom("scan"),
      invalid: 0,
    },
    { kind: "beacon", name: "beacons", namesOn: () => 0, includes: isFrom("beacon"), invalid: 0 },
    {
      kind: "import",
      name: "imports",
      namesOn: () => 0,
      includes: ({ seq }) => imported.has(seq),
      invalid: 0,
    },
  ];
  for (const { includes, invalid, kind, name, namesOn } of origins) {
    const created = Map.groupBy(threats.filter(includes), ({ createdAt }) => startOfDay(createdAt));
    const days = Array.from({ length: historyDays + 1 }, (_, index) => today - (historyDays - index) * dayMs);
    const rows = days.flatMap((day) => {
      const found = created.get(day) ?? [];
      const share = day === today ? (start - today) / dayMs : 1;
      const names = Math.max(found.length, Math.round(namesOn(day) * (kind === "scan" ? 1 : share)));
      if (names === 0) return [];
      const isRare = kind === "beacon" || kind === "import";
      const lastAt =
        kind === "scan"
          ? scanned.get(day)!.lastAt
          : isRare
            ? 0
            : Math.min(start - lastNamesMs, day + dayMs - 7 * minuteMs);
      return [
        {
          kind,
          name,
          day,
          names,
          invalid: Math.floor((names * invalid) / 1_000),
          matched: found.length + (names > 100 ? random.below(4) : 0),
          created: found.length,
          lastAt: Math.max(lastAt, found.at(-1)?.createdAt ?? 0),
        },
      ];
    });
    const last = rows.at(-1);
    if (last === undefined) continue;
    const sum = (key: "names" | "invalid" | "matched" | "created") =>
      rows.reduce((total, row) => total + row[key], 0);
    const total = {
      kind,
      name,
      day: 0,
      names: sum("names"),
      invalid: sum("invalid"),
      matched: sum("matched"),
      created: sum("created"),
      lastAt: last.lastAt,
    };
    insertAll(database, sourceActivity, [...rows, total]);
  }
}
