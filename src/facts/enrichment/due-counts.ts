import type { Database } from "../../platform/database/database.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { ranks } from "./plan.ts";

/** Counting stops here, so that it takes milliseconds. */
const countedMax = 10_000;
/** The same for one registry and rank. */
const countedOfSuffixMax = 100;

const everyRank = Object.values(ranks);

// Loose index scan: jumps from one suffix to the next. Reading all rows of the index takes 157 ms for a million threats,
// this takes microseconds.
const dueRegistrations = `
  with recursive suffixes(suffix) as (
    select min(registration_suffix) from enrichments where registration_suffix is not null
    union all
    select (select min(registration_suffix) from enrichments where registration_suffix > suffix)
    from suffixes where suffix is not null
  )
  select coalesce(sum((
    select count(*) from (
      select 1 from enrichments
      where registration_suffix = suffix and registration_rank = wanted and registration_due_at <= ? limit ?
    )
  )), 0) as n
  from suffixes, (${everyRank.map((rank) => `select ${rank} as wanted`).join(" union all ")})
  where suffix is not null`;

/** Returns a function that counts the threats for which each kind of lookup is due, up to some thousands. */
export function createDueCounts({ sqlite }: Pick<Database, "sqlite">) {
  const count = (query: string, now: Instant, max: number) =>
    sqlite.query<{ n: number }, [Instant, number]>(query).get(now, max)!.n;
  // The index begins with the rank.
  const ofAnyRank = (rank: string, dueAt: string) =>
    `select count(*) as n from (select 1 from enrichments where ${rank} in (${everyRank.join()}) and ${dueAt} <= ? limit ?)`;
  return (now: Instant) => [
    { lookup: "check", due: count(ofAnyRank("rank", "due_at"), now, countedMax) },
    {
      lookup: "registration",
      due: Math.min(countedMax, count(dueRegistrations, now, countedOfSuffixMax)),
    },
    {
      lookup: "network",
      due: count(ofAnyRank("network_rank", "network_due_at"), now, countedMax),
    },
    {
      lookup: "screenshot",
      due: count(ofAnyRank("screenshot_rank", "screenshot_due_at"), now, countedMax),
    },
  ];
}
