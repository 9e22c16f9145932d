import { dayMs, startOfDay, toIsoTime, type Instant } from "../../../src/platform/lib/clock.ts";
import { createAddress } from "../../../src/response/traps/addresses.ts";
import { trapAddresses, traps } from "../../../src/response/traps/tables.ts";
import { trapVisits, trapVisitTotals } from "../../../src/response/traps/visits/tables.ts";
import {
  trapAuditAction,
  trapIdPrefix,
  type TrapKindName,
  type VisitClass,
} from "../../../src/platform/vocabulary/traps.ts";
import { analyst } from "../world/decisions.ts";
import { insertAll, type Draft } from "./draft.ts";
import samples from "./samples.json" with { type: "json" };
import { eventsKeptMs } from "./threats.ts";

const hourMs = 3_600_000;
const { beacons, browsers, honeytokens } = samples;
/** Maximum number of own visitors of a beacon, who are only counted. */
const ownVisitsMax = 90_000;

type Visit = Omit<typeof trapVisits.$inferInsert, "seq">;

/** Adds beacons with the visits that reported threats, and honeytokens with some visits. */
export function addTraps(draft: Draft): void {
  const visits: Visit[] = [];
  for (const [index, { domain, memo, name }] of beacons.entries()) {
    const { id } = addTrap(draft, {
      kind: "beacon",
      name,
      memo,
      domainSeq: draft.domainSeqs.get(domain) ?? null,
      details: { allow: [] },
      daysAgo: 91 - index,
    });
    visits.push(...beaconVisits(draft, { id, name, domain }));
  }
  for (const [index, { kind, memo, name, visits: count }] of honeytokens.entries()) {
    const trap = addTrap(draft, {
      kind: "honeytoken",
      name,
      memo,
      domainSeq: null,
      details: { kind, response: { kind: "not_found" } },
      daysAgo: 60 - 11 * index,
    });
    visits.push(...honeytokenVisits(draft, { ...trap, kind, name }, count, 60 - 11 * index));
  }
  writeVisits(draft, visits);
}

function addTrap(
  { changes, database, idAt, random, start }: Draft,
  {
    daysAgo,
    details,
    domainSeq,
    kind,
    memo,
    name,
  }: {
    daysAgo: number;
    details: unknown;
    domainSeq: number | null;
    kind: TrapKindName;
    memo: string;
    name: string;
  },
): { id: string; address: string } {
  const createdAt = startOfDay(start) - daysAgo * dayMs + 10 * hourMs;
  const id = idAt(createdAt).nextWithPrefix(trapIdPrefix(kind));
  const { seq } = database.query
    .insert(traps)
    .values({
      id,
      kind,
      name,
      protectedDomainSeq: domainSeq,
      details,
      memo,
      enabled: true,
      expiresAt: null,
      createdAt,
    })
    .returning({ seq: traps.seq })
    .get();
  const address = createAddress(random.fillRandom);
  insertAll(database, trapAddresses, [{ address, trapSeq: seq, createdAt, replacedAt: null }]);
  changes.push({
    at: createdAt,
    by: analyst,
    action: trapAuditAction(kind, "create"),
    subject: name,
    detail: { id },
  });
  return { id, address };
}

/** Returns one visit for each threat that a beacon reported, and some of saved copies. */
function beaconVisits(
  { events, random, start, threats }: Draft,
  { domain, id, name }: { domain: string; id: string; name: string },
): Visit[] {
  const reported = threats
    .filter(({ protectedDomain, source }) => source === "beacon" && protectedDomain === domain)
    .map((threat): Visit => {
      const page = threat.checks.find(({ facts }) => facts.page !== undefined)?.facts.page;
      const visit = visitBy(random.below(250) + 1, random.below(browsers.length), threat.createdAt);
      const url = page?.finalUrl ?? `https://${threat.domain}/`;
      const row: Visit = {
        ...visit,
        trapId: id,
        class: "foreign",
        host: threat.domain,
        url,
        count: 1 + random.below(6),
        threatId: threat.id,
      };
      if (threat.createdAt >= start - eventsKeptMs)
        events.push({
          type: "beacon.triggered",
          at: threat.createdAt,
          data: {
            beacon: { id, name, protected_domain: domain },
            hit: {
              hostname: threat.domain,
              url,
              referrer: null,
              ip_address: row.ipAddress ?? null,
              user_agent: row.userAgent ?? null,
              at: toIsoTime(threat.createdAt),
            },
            threat: { id: threat.id },
          },
          onRecorded: (eventId) => void (row.eventId = eventId),
        });
      return row;
    });
  const saved = Array.from({ length: 4 }, (_, index): Visit => {
    const at = start - (11 + 17 * index) * dayMs - random.below(dayMs);
    const place = index % 2 === 0 ? "local_file" : "web_archive";
    return {
      ...visitBy(random.below(250) + 1, 0, at),
      trapId: id,
      class: place,
      host: place === "web_archive" ? "web.archive.org" : null,
      url:
        place === "web_archive"
          ? `https://web.archive.org/web/https://${domain}/`
          : "file:///C:/Temp/page.html",
      count: 1,
    };
  });
  return [...reported, ...saved];
}

function honeytokenVisits(
  { events, random, start }: Draft,
  { address, id, kind, name }: { address: string; id: string; kind: string; name: string },
  count: number,
  daysAgo: number,
): Visit[] {
  return Array.from({ length: count }, (_, index): Visit => {
    const at = start - Math.floor(((index + 0.5) * (daysAgo - 1) * dayMs) / count) - random.below(hourMs);
    const row: Visit = {
      ...visitBy(random.below(250) + 1, 1 + (index % 2), at),
      trapId: id,
      class: "visit",
      host: null,
      url: `/t/${address}${kind === "document" ? ".gif" : ""}`,
      method: "GET",
      headers: [["user-agent", browsers[1 + (index % 2)]!]],
      count: 1,
    };
    if (at >= start - eventsKeptMs)
      events.push({
        type: "token.accessed",
        at,
        data: {
          token: { id, name, kind },
          access: {
            ip_address: row.ipAddress ?? null,
            user_agent: row.userAgent ?? null,
            referrer: null,
            at: toIsoTime(at),
          },
        },
        onRecorded: (eventId) => void (row.eventId = eventId),
      });
    return row;
  });
}

function visitBy(number: number, browser: number, at: Instant) {
  return {
    visitor: new Bun.CryptoHasher("sha256").update(`${number} ${at}`).digest("hex").slice(0, 32),
    referrer: null,
    claimedUrl: null,
    ipAddress: `198.51.100.${number}`,
    userAgent: browsers[browser]!,
    method: null as string | null,
    headers: [] as [string, string][],
    firstAt: at,
    lastAt: at,
    eventId: null as string | null,
    threatId: null as string | null,
  };
}

/** Writes the visits once their events have identifiers, and their totals now. */
function writeVisits({ afterEvents, database, random, start }: Draft, visits: readonly Visit[]): void {
  const totals = new Map<string, { class: VisitClass; lastAt: Instant; total: number; trapId: string }>();
  for (const { class: visitClass, count, lastAt, trapId } of visits) {
    const key = `${trapId} ${visitClass}`;
    const known = totals.get(key) ?? { trapId, class: visitClass, total: 0, lastAt };
    totals.set(key, { ...known, total: known.total + count, lastAt: Math.max(known.lastAt, lastAt) });
  }
  const own = [...new Set(visits.filter((visit) => visit.class === "foreign").map(({ trapId }) => trapId))];
  insertAll(database, trapVisitTotals, [
    ...totals.values(),
    ...own.map((trapId) => ({
      trapId,
      class: "own" as const,
      total: random.below(ownVisitsMax),
      lastAt: start - 4_000,
    })),
  ]);
  afterEvents.push(() =>
    insertAll(
      database,
      trapVisits,
      visits.toSorted((a, b) => a.firstAt - b.firstAt),
    ),
  );
}
