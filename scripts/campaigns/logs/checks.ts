import type { Database } from "bun:sqlite";
import { parseRange, rootOf } from "../../../src/engines/certificate-transparency/trees/compact-range.ts";
import type { Check } from "../report.ts";
import type { LogServerReport } from "./messages.ts";
import type { Planted } from "./world.ts";

interface LogRow {
  position: number;
  verified_range: Uint8Array | null;
  entries: number;
  names: number;
  skipped: number;
  malformed: number;
  errors: number;
  bytes: number;
  mismatch: string | null;
}

interface ThreatRow {
  id: string;
  domain: string;
  source: string;
}

type ServedLog = LogServerReport["logs"][number];

/** Returns whether the log is read and verified to its end. */
export function isFollowed(database: Database, log: ServedLog): boolean {
  return wrongState(rowOf(database, log), log) === undefined;
}

/** Checks the database that the campaign left against the logs and what was planted in them. */
export function checkLogs({
  database,
  logs,
  planted,
  liars,
}: {
  database: Database;
  logs: readonly ServedLog[];
  planted: readonly Planted[];
  /** Names of the logs that contradicted what they signed. Entries after their last verified position are read again. */
  liars: ReadonlySet<string>;
}): { checks: Check[]; totals: [string, string | number][] } {
  const rows = logs.map((log) => ({ log, row: rowOf(database, log) }));
  const sum = (count: (row: LogRow) => number) =>
    rows.reduce((total, { row }) => total + (row === null ? 0 : count(row)), 0);
  const integrity = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  return {
    checks: [
      {
        guarantee: "the file passes integrity_check",
        violations: integrity.map((row) => row.integrity_check).filter((text) => text !== "ok"),
      },
      {
        guarantee: "every log is verified at its end, with the root that it signed",
        violations: rows.flatMap(({ log, row }) => wrongState(row, log) ?? []),
      },
      {
        guarantee: "no entry is skipped, and each entry of a truthful log is counted once",
        violations: rows.flatMap(({ log, row }) => {
          const isRight = (entries: number) =>
            entries === log.size || (entries > log.size && liars.has(log.name));
          return row === null || (isRight(row.entries) && row.skipped === 0)
            ? []
            : [`${log.name}: ${row.entries} of ${log.size} entries, ${row.skipped} skipped`];
        }),
      },
      ...ofThreats(database, planted),
    ],
    totals: [
      ["names", sum(({ names }) => names)],
      ["malformed entries", sum(({ malformed }) => malformed)],
      ["errors of logs", sum(({ errors }) => errors)],
      ["MB of entries", (sum(({ bytes }) => bytes) / 1e6).toFixed(0)],
    ],
  };
}

function ofThreats(database: Database, planted: readonly Planted[]): Check[] {
  const threats = database.query<ThreatRow, []>("SELECT id, domain, source FROM threats").all();
  const events = database
    .query<{ type: string; body: string }, []>("SELECT type, body FROM events")
    .all()
    .map(({ type, body }) => ({ type, id: threatOf(body) }));
  const certificates = database
    .query<{ id: string; serial: string; is_verified: number }, []>(
      "SELECT t.id, c.serial, c.is_verified FROM threat_certificates c JOIN threats t ON t.seq = c.threat_seq",
    )
    .all();
  const threatsOf = Map.groupBy(threats, ({ domain }) => domain);
  const createdOf = Map.groupBy(
    events.filter(({ type }) => type === "threat.created"),
    ({ id }) => id,
  );
  const certificatesOf = Map.groupBy(certificates, ({ id }) => id);
  const names = new Set(planted.map(({ name }) => name));
  const once = (of: (threat: ThreatRow, plant: Planted) => string | undefined) =>
    planted.flatMap((plant) => {
      const [threat] = threatsOf.get(plant.name) ?? [];
      return (threat && of(threat, plant)) ?? [];
    });
  return [
    {
      guarantee: "every planted look-alike is one threat",
      violations: planted.flatMap(({ name }) => {
        const count = threatsOf.get(name)?.length ?? 0;
        return count === 1 ? [] : [`${name}: ${count} threats`];
      }),
    },
    {
      guarantee: "there are no other threats",
      violations: threats.filter(({ domain }) => !names.has(domain)).map(({ domain }) => domain),
    },
    {
      guarantee: "every threat has the source certificate_transparency",
      violations: once(({ domain, source }) =>
        source === "certificate_transparency" ? undefined : `${domain}: ${source}`,
      ),
    },
    {
      guarantee: "every threat has one threat.created event, and there are no other events about it",
      violations: [
        ...once(({ id, domain }) => {
          const count = createdOf.get(id)?.length ?? 0;
          return count === 1 ? undefined : `${domain}: ${count} events`;
        }),
        ...events
          .filter(({ type }) => type.startsWith("threat.") && type !== "threat.created")
          .map(({ type, id }) => `${type} of ${id}`),
      ],
    },
    {
      guarantee: "every threat has one certificate, with the planted serial number, verified",
      violations: once(({ id, domain }, { serial }) => {
        const found = certificatesOf.get(id) ?? [];
        const isRight = found.length === 1 && found[0]!.serial === serial && found[0]!.is_verified === 1;
        return isRight ? undefined : `${domain}: ${JSON.stringify(found)}`;
      }),
    },
  ];
}

function threatOf(body: string): string {
  return (JSON.parse(body) as { data: { threat?: { id: string } } }).data.threat?.id ?? "";
}

function rowOf(database: Database, { logId }: ServedLog): LogRow | null {
  return database.query<LogRow, [string]>("SELECT * FROM certificate_logs WHERE log_id = ?").get(logId);
}

function wrongState(row: LogRow | null, { name, size, root }: ServedLog): string | undefined {
  if (row === null) return `${name}: never followed`;
  if (row.mismatch !== null) return `${name}: ${row.mismatch}`;
  const range = row.verified_range === null ? undefined : parseRange(row.verified_range);
  if (row.position !== size || range?.size !== size) {
    return `${name}: position ${row.position}, verified ${range?.size ?? "nothing"} of ${size} entries`;
  }
  return Buffer.from(rootOf(range)).toString("hex") === root ? undefined : `${name}: another root`;
}
