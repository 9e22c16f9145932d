import type { Database } from "../database/database.ts";
import type { Instant } from "../lib/clock.ts";
import { ranks } from "./plan.ts";

/** Counting stops here, so that it takes milliseconds. */
const countedMax = 10_000;

/** Returns a function that counts the threats for which each kind of lookup is due, at most up to 10,000. */
export function createDueCounts({ sqlite }: Pick<Database, "sqlite">) {
  const count = (where: string, now: Instant) =>
    sqlite
      .query<{ n: number }, [Instant, number]>(
        `select count(*) as n from (select 1 from enrichments where ${where} limit ?)`,
      )
      .get(now, countedMax)!.n;
  // The indexes begin with the rank.
  const ofAnyRank = (column: string) => `${column} in (${Object.values(ranks).join()})`;
  return (now: Instant) => [
    { lookup: "check", due: count(`${ofAnyRank("rank")} and due_at <= ?`, now) },
    {
      lookup: "registration",
      due: count("registration_suffix is not null and registration_due_at <= ?", now),
    },
    {
      lookup: "screenshot",
      due: count(`${ofAnyRank("screenshot_rank")} and screenshot_due_at <= ?`, now),
    },
  ];
}
