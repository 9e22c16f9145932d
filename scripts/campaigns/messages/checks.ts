import type { Database } from "bun:sqlite";
import type { Notice } from "../../../src/messaging/content/notice.ts";
import type { Check } from "../report.ts";
import type { Accepted } from "./receivers.ts";

interface ThreatRow {
  id: string;
  seq: number;
  domain: string;
  severity: string;
  verified: 0 | 1;
  status: string;
}

type Matches = (threat: ThreatRow) => boolean;
const matching: Record<string, Matches> = {
  verified: ({ verified }) => verified === 1,
  severe: ({ severity }) => severity === "high",
  chat: () => true,
  hostile: ({ verified }) => verified === 1,
  mail: ({ verified }) => verified === 1,
  ntfy: ({ severity }) => severity === "high",
  pager: ({ severity }) => severity === "high",
};
/** Keys by which a service knows a message. */
const keyOf: Record<string, (notice: Notice) => string> = {
  chat: ({ id }) => id,
  hostile: ({ id }) => id,
  mail: ({ id }) => id,
  ntfy: ({ title }) => title,
  pager: ({ id, threat }) => threat?.id ?? id,
};

/** Checks the database that a campaign left, and what the services accepted, against each other. */
export function checkMessages({
  database,
  endpoints,
  channels,
  killTimes,
}: {
  database: Database;
  endpoints: Record<string, Accepted>;
  channels: Record<string, Accepted>;
  /** In monotonic milliseconds. */
  killTimes: readonly number[];
}): { checks: Check[]; duplicates: number } {
  const threats = database
    .query<ThreatRow, []>(
      `SELECT t.id, t.seq, t.domain, t.severity, t.verified, t.status FROM threats t
       JOIN protected_domains d ON d.seq = t.protected_domain_seq WHERE d.domain = 'example-bank.com'`,
    )
    .all();
  const checks: Check[] = [...ofDatabase(database)];
  for (const [name, accepted] of Object.entries(endpoints))
    checks.push(ofEndpoint(name, accepted, threats.filter(matching[name]!)));
  let duplicates = 0;
  for (const [name, accepted] of Object.entries(channels)) {
    const notices = messagesOf(database, name);
    checks.push(ofSubscription(database, name, notices, threats.filter(matching[name]!)));
    const received = ofReceived({ name, accepted, notices, killTimes });
    checks.push(received.check);
    duplicates += received.duplicates;
  }
  return { checks, duplicates };
}

function messagesOf(database: Database, channel: string): Notice[] {
  return database
    .query<{ body: string }, [string]>(
      `SELECT e.body FROM events e JOIN recipients r ON r.seq = e.recipient_seq
       WHERE e.type = 'message' AND r.name = ? ORDER BY e.seq`,
    )
    .all(channel)
    .map(({ body }) => JSON.parse(body) as Notice);
}

function ofDatabase(database: Database): Check[] {
  const texts = (query: string) =>
    database
      .query<Record<string, unknown>, []>(query)
      .all()
      .map((row) => JSON.stringify(row));
  return [
    {
      guarantee: "the database is intact",
      violations: [
        ...texts("PRAGMA integrity_check").filter((text) => text !== '{"integrity_check":"ok"}'),
        ...texts("PRAGMA foreign_key_check"),
      ],
    },
    {
      guarantee: "nothing waits in the outbox or for a message",
      violations: [
        ...texts("SELECT id FROM events WHERE dispatched_at IS NULL"),
        ...texts("SELECT seq, threat_seq FROM threat_escalations"),
        ...texts("SELECT seq, subscription_seq, threat_seq FROM queued_changes"),
      ],
    },
    {
      guarantee: "every delivery succeeded",
      violations: texts("SELECT id, status, attempts FROM deliveries WHERE status != 'succeeded'"),
    },
  ];
}

/** Each threat that matches the filter of an endpoint must have been sent as one event. */
function ofEndpoint(name: string, { messages }: Accepted, threats: readonly ThreatRow[]): Check {
  const events = new Map<string, Set<string>>();
  const violations: string[] = [];
  for (const [event, { contents }] of messages) {
    if (contents.size !== 1) violations.push(`${event} was sent with ${contents.size} contents`);
    const body = JSON.parse([...contents][0]!) as { data: { threat: { id: string } } };
    const { id } = body.data.threat;
    events.set(id, (events.get(id) ?? new Set()).add(event));
  }
  for (const { id, domain } of threats)
    if (!events.has(id)) violations.push(`${domain} (${id}) was not sent`);
  for (const [id, own] of events)
    if (own.size > 1) violations.push(`${id} was sent as ${own.size} events: ${[...own].join(", ")}`);
  return { guarantee: `endpoint ${name}: each matching threat is one event`, violations };
}

/** Each threat that matches the filter of a subscription must be counted in one of its messages. */
function ofSubscription(
  database: Database,
  name: string,
  notices: readonly Notice[],
  threats: readonly ThreatRow[],
): Check {
  const announced = new Set(
    database
      .query<{ seq: number }, [string]>(
        `SELECT a.threat_seq AS seq FROM announcements a JOIN recipients r ON r.seq = a.recipient_seq
         WHERE r.name = ?`,
      )
      .all(name)
      .map(({ seq }) => seq),
  );
  const counted = notices.reduce(
    (sum, { threat, items, more }) => sum + (threat === null ? items.length + more : 1),
    0,
  );
  const named = notices.flatMap(({ threat }) => (threat === null ? [] : [threat.id]));
  const violations = threats
    .filter(({ seq }) => !announced.has(seq))
    .map(
      ({ id, domain, severity, verified }) => `${domain} (${id}, ${severity}, ${verified}): not announced`,
    );
  if (counted !== announced.size)
    violations.push(`the messages count ${counted} threats, and ${announced.size} were announced`);
  if (new Set(named).size !== named.length) violations.push("a threat has two messages of its own");
  return { guarantee: `channel ${name}: each matching threat is in one message`, violations };
}

/** Each message must have arrived, more than once only if the server was killed between the arrivals. */
function ofReceived({
  name,
  accepted: { messages },
  notices,
  killTimes,
}: {
  name: string;
  accepted: Accepted;
  notices: readonly Notice[];
  killTimes: readonly number[];
}): { check: Check; duplicates: number } {
  const expected = Map.groupBy(notices, keyOf[name]!);
  const violations: string[] = [];
  let duplicates = 0;
  for (const [key, same] of expected) {
    const { times, contents } = messages.get(key) ?? { times: [], contents: new Set() };
    if (times.length < same.length) violations.push(`${key} arrived ${times.length} times`);
    if (contents.size > same.length) violations.push(`${key} arrived with ${contents.size} contents`);
    const more = Math.max(0, times.length - same.length);
    duplicates += more;
    const killedBetween = times.filter(
      (time, index) => index > 0 && killTimes.some((kill) => kill > times[index - 1]! && kill < time),
    ).length;
    if (more > killedBetween)
      violations.push(`${key} arrived ${times.length} times, with ${killedBetween} kills in between`);
  }
  for (const key of messages.keys())
    if (!expected.has(key)) violations.push(`${key} arrived and is not on record`);
  return { check: { guarantee: `channel ${name}: each message arrives once`, violations }, duplicates };
}
