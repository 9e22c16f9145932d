import type { Database } from "bun:sqlite";
import type { Check } from "../report.ts";
import type { Ledger } from "./clients.ts";
import type { Receiver } from "./receivers.ts";

interface EventRow {
  seq: number;
  id: string;
  type: string;
  body: string;
}

interface EventBody {
  id: string;
  data: { threat: { id: string; domain: string; status?: string }; previous_status?: string };
}

/** Attempts are recorded in milliseconds, rounded. */
const roundingMs = 2;

/** Checks the database that a campaign left, and what the receivers got, against what the clients know. */
export function checkInvariants({
  database,
  ledger,
  receivers,
  feedPath,
  retryDelayMs,
  importFailures,
}: {
  database: Database;
  ledger: Ledger;
  receivers: Record<string, Receiver>;
  feedPath: string;
  retryDelayMs: number;
  importFailures: readonly string[];
}): Check[] {
  const events = database.query<EventRow, []>("SELECT seq, id, type, body FROM events ORDER BY seq").all();
  const threats = database
    .query<{ id: string; domain: string; status: string }, []>("SELECT id, domain, status FROM threats")
    .all();
  return [
    ...ofTheFile(database),
    ...ofThreats({ database, threats, ledger, feedPath, importFailures }),
    ...ofEvents(events, threats),
    ...ofDeliveries({ database, events, receivers, retryDelayMs }),
    { guarantee: "every call is accepted, or rejected with Retry-After", violations: ledger.unexpected },
  ];
}

function ofTheFile(database: Database): Check[] {
  const texts = (sql: string) =>
    database
      .query<Record<string, unknown>, []>(sql)
      .all()
      .map((row) => JSON.stringify(row));
  return [
    {
      guarantee: "the file passes integrity_check",
      violations: texts("PRAGMA integrity_check").filter((row) => row !== '{"integrity_check":"ok"}'),
    },
    { guarantee: "every reference exists", violations: texts("PRAGMA foreign_key_check") },
    {
      guarantee: "the counts of threats are those of the rows",
      violations: texts(
        `SELECT c.protected_domain_seq AS domain, c.status, c.severity, c.total,
           (SELECT count(*) FROM threats t WHERE t.status = c.status AND t.severity = c.severity
            AND c.protected_domain_seq IN (0, t.protected_domain_seq)) AS counted
         FROM threat_counts c WHERE c.total != counted`,
      ),
    },
    {
      guarantee: "no event waits for its deliveries",
      violations: texts("SELECT id FROM events WHERE dispatched_at IS NULL"),
    },
    {
      guarantee: "each recipient has one delivery of each event",
      violations: texts(
        `SELECT e.id, r.name, count(d.seq) AS deliveries FROM events e CROSS JOIN recipients r
         LEFT JOIN deliveries d ON d.event_seq = e.seq AND d.recipient_seq = r.seq
         GROUP BY e.seq, r.seq HAVING count(d.seq) != 1`,
      ),
    },
    {
      guarantee: "no delivery is pending at the end",
      violations: texts("SELECT id, attempts FROM deliveries WHERE status = 'pending'"),
    },
    {
      guarantee: "each delivery has as many attempts as it counts",
      violations: texts(
        `SELECT d.id, d.attempts, count(a.seq) AS recorded FROM deliveries d
         LEFT JOIN delivery_attempts a ON a.delivery_seq = d.seq GROUP BY d.seq HAVING recorded != d.attempts`,
      ),
    },
  ];
}

function ofThreats({
  database,
  threats,
  ledger,
  feedPath,
  importFailures,
}: {
  database: Database;
  threats: readonly { id: string; domain: string; status: string }[];
  ledger: Ledger;
  feedPath: string;
  importFailures: readonly string[];
}): Check[] {
  const byId = new Map(threats.map((threat) => [threat.id, threat]));
  const recorded = new Set(threats.map(({ domain }) => domain));
  const lostSubmissions = [...ledger.created]
    .filter(([domain, id]) => byId.get(id)?.domain !== domain)
    .map(([domain, id]) => `${domain} (${id})`);
  const lostChanges = [...ledger.statuses].flatMap(([id, possible]) => {
    const status = byId.get(id)?.status;
    return status !== undefined && possible.has(status)
      ? []
      : [`${id}: ${status}, not ${[...possible].join(" or ")}`];
  });
  const { lines, completed } = database
    .query<{ lines: number; completed: number }, [string]>(
      "SELECT lines, completed_at IS NOT NULL AS completed FROM feed_files WHERE path = ?",
    )
    .get(feedPath) ?? { lines: 0, completed: 0 };
  const imported = [...ledger.sent].filter((name) => name.startsWith("example-bank-import"));
  return [
    { guarantee: "no acknowledged submission is lost", violations: lostSubmissions },
    { guarantee: "no acknowledged change of status is lost", violations: lostChanges },
    {
      guarantee: "each line of the feed is recorded",
      violations: [...ledger.fed].filter((name) => !recorded.has(name)),
    },
    {
      guarantee: "no line of the feed is read twice or skipped",
      violations:
        lines === ledger.fed.size && completed === 1
          ? []
          : [`${lines} lines read of ${ledger.fed.size}, completed: ${completed}`],
    },
    {
      guarantee: "each imported look-alike is recorded",
      violations: [...importFailures, ...imported.filter((name) => !recorded.has(name))],
    },
    {
      guarantee: "no name is recorded that nobody sent, such as a torn line",
      violations: threats.filter(({ domain }) => !ledger.sent.has(domain)).map(({ domain }) => domain),
    },
  ];
}

function ofEvents(
  events: readonly EventRow[],
  threats: readonly { id: string; domain: string; status: string }[],
): Check[] {
  const creations = new Map<string, number>();
  const statuses = new Map<string, string>();
  const brokenChains: string[] = [];
  for (const { id, type, body } of events) {
    const { threat, previous_status: previous } = (JSON.parse(body) as EventBody).data;
    if (type === "threat.created") {
      creations.set(threat.id, (creations.get(threat.id) ?? 0) + 1);
      if (!statuses.has(threat.id)) statuses.set(threat.id, "active");
      continue;
    }
    const before = statuses.get(threat.id);
    // A resolution emits both threat.updated and threat.resolved, with the same change.
    const isSecondOfPair = type === "threat.resolved" && threat.status === before;
    if (previous !== before && !isSecondOfPair)
      brokenChains.push(`${id} ${type} of ${threat.id}: from ${previous}, but it was ${before}`);
    statuses.set(threat.id, threat.status!);
  }
  const unfinished = threats
    .filter(({ id, status }) => statuses.get(id) !== status)
    .map(({ id, status }) => `${id} is ${status}, its events end with ${statuses.get(id)}`);
  return [
    {
      guarantee: "threat.created exists exactly once for each threat",
      violations: threats
        .filter(({ id }) => creations.get(id) !== 1)
        .map(({ id, domain }) => `${id} ${domain}: ${creations.get(id) ?? 0}`),
    },
    {
      guarantee: "the events of a threat form an unbroken chain",
      violations: [...brokenChains, ...unfinished],
    },
  ];
}

function ofDeliveries({
  database,
  events,
  receivers,
  retryDelayMs,
}: {
  database: Database;
  events: readonly EventRow[];
  receivers: Record<string, Receiver>;
  retryDelayMs: number;
}): Check[] {
  const bodies = new Map(events.map(({ id, body }) => [id, body]));
  const missed: string[] = [];
  const unknown: string[] = [];
  const changed: string[] = [];
  for (const [name, { received }] of Object.entries(receivers)) {
    for (const { id } of events) if ((received.get(id)?.accepted ?? 0) === 0) missed.push(`${id} at ${name}`);
    for (const [id, receipt] of received) {
      if (!bodies.has(id)) unknown.push(`${id} at ${name}`);
      else if (receipt.bodies.size !== 1 || !receipt.bodies.has(bodies.get(id)!))
        changed.push(`${id} at ${name}`);
    }
  }
  const unfounded = database
    .query<{ event: string; name: string }, []>(
      `SELECT e.id AS event, r.name FROM deliveries d JOIN events e ON e.seq = d.event_seq
       JOIN recipients r ON r.seq = d.recipient_seq WHERE d.status = 'succeeded'`,
    )
    .all()
    .filter(({ event, name }) => (receivers[name]?.received.get(event)?.accepted ?? 0) === 0)
    .map(({ event, name }) => `${event} at ${name}`);
  const early = database
    .query<{ id: string; waited: number }, [number]>(
      `SELECT d.id, next.started_at - a.started_at - a.duration_ms AS waited
       FROM delivery_attempts a JOIN deliveries d ON d.seq = a.delivery_seq
       JOIN delivery_attempts next ON next.seq = (SELECT min(seq) FROM delivery_attempts
         WHERE delivery_seq = a.delivery_seq AND seq > a.seq)
       WHERE waited < ?`,
    )
    .all(retryDelayMs - roundingMs)
    .map(({ id, waited }) => `${id}: after ${waited} ms`);
  return [
    { guarantee: "every event reached every receiver", violations: missed },
    { guarantee: "nothing was received that is not on record", violations: unknown },
    { guarantee: "an event that is sent again is the same, byte by byte", violations: changed },
    { guarantee: "nothing is marked as delivered without a 2xx response", violations: unfounded },
    { guarantee: "no retry comes before its time", violations: early },
  ];
}
