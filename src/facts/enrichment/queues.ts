import type { Database } from "../../platform/database/database.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { newRanks, ranks } from "./plan.ts";
import type { Due, Subject } from "./store.ts";

/** Threats that wait for a lookup that takes longer than a check. */
export interface LookupQueue {
  /** `undefined` removes the threat from the queue. */
  save(threat: Pick<Subject, "domain" | "threatSeq">, wanted: Due | undefined): void;
  /** Returns row numbers that are due, the most urgent first; may include those in progress. */
  due(now: Instant, limit: number): number[];
}

/** The queues of the lookups that a check asks for. */
export type LookupQueues = ReturnType<typeof createLookupQueues>;

type Place = Pick<Due, "failures"> & { threatSeq: number; rank: number | null; dueAt: Instant | null };

const noPlace = { rank: null, dueAt: null, failures: 0 };
const ranksInOrder = Object.values(ranks).sort((a, b) => a - b);

export function createLookupQueues(database: Pick<Database, "prepare">) {
  return {
    registration: createRegistrationQueue(database),
    network: createNetworkQueue(database),
    screenshot: createScreenshotQueue(database),
  };
}

/** Prepares the statements of a queue whose threats wait for one and the same service. */
function preparePlaces({ prepare }: Pick<Database, "prepare">, lookup: "network" | "screenshot") {
  const set = prepare<unknown, [Place]>(
    `update enrichments set ${lookup}_rank = $rank, ${lookup}_due_at = $dueAt, ${lookup}_failures = $failures
     where threat_seq = $threatSeq`,
  );
  const dueOf = prepare<{ seq: number }, [{ rank: number; now: Instant; limit: number }]>(
    `select threat_seq as seq from enrichments where ${lookup}_rank = $rank and ${lookup}_due_at <= $now
     order by ${lookup}_due_at limit $limit`,
  );
  const save: LookupQueue["save"] = ({ threatSeq }, wanted) =>
    void set.run({ threatSeq, ...noPlace, ...wanted });
  const dueWith = (rank: number, now: Instant, limit: number) =>
    dueOf.all({ rank, now, limit }).map(({ seq }) => seq);
  return { save, dueWith };
}

/** Returns row numbers rank by rank, up to the limit. */
function inOrder(limit: number, dueWith: (rank: number, limit: number) => number[]): number[] {
  const found: number[] = [];
  for (const rank of ranksInOrder) {
    if (found.length >= limit) break;
    found.push(...dueWith(rank, limit - found.length));
  }
  return found;
}

function createNetworkQueue(database: Pick<Database, "prepare">): LookupQueue {
  const { dueWith, save } = preparePlaces(database, "network");
  return { save, due: (now, limit) => inOrder(limit, (rank, left) => dueWith(rank, now, left)) };
}

function createScreenshotQueue(database: Pick<Database, "prepare">): LookupQueue {
  const { dueWith, save } = preparePlaces(database, "screenshot");
  return {
    save,
    // The others may wait for the browser's next minute, which must not delay what a person waits for.
    due(now, limit) {
      const others = newRanks.flatMap((rank) => dueWith(rank, now, 1));
      return [...dueWith(ranks.requested, now, limit), ...others.slice(0, 1)].slice(0, limit);
    },
  };
}

// Loose index scan: jumps from one suffix to the next, past the rows of each. Reading all rows of the index takes 157 ms
// for a million threats, this takes microseconds.
const withSuffixes = `
  with recursive suffixes(suffix) as (
    select min(registration_suffix) from enrichments where registration_suffix is not null
    union all
    select (select min(registration_suffix) from enrichments where registration_suffix > suffix)
    from suffixes where suffix is not null
  )`;

/**
 * Maximum number of due rows per suffix. Registries get one query per second; more rows would only wait for their turn
 * or for a slow response.
 */
const perSuffixMax = 4;

/**
 * Has a queue for each last label and so, roughly, for each registry: ten thousand names of one registry wait for each
 * other, and no name of another registry waits for them.
 */
function createRegistrationQueue({ prepare }: Pick<Database, "prepare">): LookupQueue {
  const set = prepare<unknown, [Place & { suffix: string | null }]>(
    `update enrichments set registration_suffix = $suffix, registration_rank = $rank, registration_due_at = $dueAt,
       registration_failures = $failures where threat_seq = $threatSeq`,
  );
  const suffixes = prepare<{ suffix: string }>(
    `${withSuffixes} select suffix from suffixes where suffix is not null`,
  );
  const dueOf = prepare<{ seq: number }, [{ suffix: string; rank: number; now: Instant; limit: number }]>(
    `select threat_seq as seq from enrichments where registration_suffix = $suffix and registration_rank = $rank
       and registration_due_at <= $now order by registration_due_at limit $limit`,
  );
  /** Index of the suffix that comes first. It rotates, as there may be more suffixes than places. */
  let turn = 0;

  return {
    save({ domain, threatSeq }, wanted) {
      const suffix = wanted === undefined ? null : domain.slice(domain.lastIndexOf(".") + 1);
      set.run({ threatSeq, suffix, ...noPlace, ...wanted });
    },
    due(now, limit) {
      const all = suffixes.all().map(({ suffix }) => suffix);
      if (all.length === 0) return [];
      const first = turn++ % all.length;
      const found: number[] = [];
      for (const suffix of [...all.slice(first), ...all.slice(0, first)]) {
        if (found.length >= limit) break;
        const dueWith = (rank: number, left: number) =>
          dueOf.all({ suffix, rank, now, limit: left }).map(({ seq }) => seq);
        found.push(...inOrder(perSuffixMax, dueWith));
      }
      return found;
    },
  };
}

/** Counting stops here, so that it takes milliseconds. */
const countedMax = 10_000;
/** The same for one registry and rank. */
const countedOfSuffixMax = 100;

const dueRegistrations = `${withSuffixes}
  select coalesce(sum((
    select count(*) from (
      select 1 from enrichments
      where registration_suffix = suffix and registration_rank = wanted and registration_due_at <= ? limit ?
    )
  )), 0) as n
  from suffixes, (${ranksInOrder.map((rank) => `select ${rank} as wanted`).join(" union all ")})
  where suffix is not null`;

/** Returns a function that counts the due threats of each kind of lookup, up to some thousands. */
export function createDueCounts({ prepare }: Pick<Database, "prepare">) {
  const counted = (query: string) => prepare<{ n: number }, [Instant, number]>(query);
  // The index begins with the rank.
  const ofAnyRank = (rank: string, dueAt: string) =>
    counted(
      `select count(*) as n from (select 1 from enrichments where ${rank} in (${ranksInOrder.join()}) and ${dueAt} <= ? limit ?)`,
    );
  const checks = ofAnyRank("rank", "due_at");
  const registrations = counted(dueRegistrations);
  const networks = ofAnyRank("network_rank", "network_due_at");
  const screenshots = ofAnyRank("screenshot_rank", "screenshot_due_at");
  return (now: Instant) => [
    { lookup: "check", due: checks.get(now, countedMax)!.n },
    { lookup: "registration", due: Math.min(countedMax, registrations.get(now, countedOfSuffixMax)!.n) },
    { lookup: "network", due: networks.get(now, countedMax)!.n },
    { lookup: "screenshot", due: screenshots.get(now, countedMax)!.n },
  ];
}
