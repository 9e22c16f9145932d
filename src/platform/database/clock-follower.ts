import { createJumpDetector, type Instant } from "../lib/clock.ts";
import { logDropped } from "../lib/log.ts";
import type { Needs } from "./needs.ts";

const rowsPerStep = 500;
const background = { relaxed: true, patient: true };

/** A table whose rows are due at stored times. Its names become part of the SQL, so they are fixed in the code. */
export interface DueTable {
  name: string;
  /** Column with a unique number. */
  key: string;
  /** Columns with due times, which may be null. */
  columns: readonly string[];
}

/**
 * Returns a function that moves due times after the clock was set back. Otherwise, work that is due in a minute would
 * wait for as long as the clock was set back. It is to be called every second.
 */
export function createClockFollower(
  given: Needs<"clock" | "database" | "log"> & { table: DueTable },
): () => void {
  const { clock, database, log } = given;
  const { name: table, key, columns } = given.table;
  const { sqlite } = database;
  const jumpedMs = createJumpDetector(clock);
  const lastOfStep = sqlite.prepare<{ last: number | null }, [{ after: number }]>(
    `select max(seq) as last from
       (select ${key} as seq from ${table} where ${key} > $after order by ${key} limit ${rowsPerStep})`,
  );
  const move = sqlite.prepare<unknown, [{ after: number; last: number; now: Instant; jumpMs: number }]>(
    `update ${table} set ${columns.map((name) => `${name} = case when ${name} > $now then ${name} + $jumpMs else ${name} end`).join(", ")}
     where ${key} > $after and ${key} <= $last and (${columns.map((name) => `${name} > $now`).join(" or ")})`,
  );

  /** Jumps that the table has not followed yet, in their order. */
  const jumps: { ms: number; now: Instant; after: number | null }[] = [];
  let following: Promise<void> | undefined;

  /** Moves a few rows per transaction, because there may be a million. After an error, it continues where it stopped. */
  async function follow(): Promise<void> {
    for (let jump = jumps[0]; jump !== undefined; jump = jumps[0]) {
      while (jump.after !== null) jump.after = await database.write(stepOf(jump), background);
      jumps.shift();
    }
  }

  function stepOf({ ms, now, after }: (typeof jumps)[number]): () => number | null {
    return () => {
      const last = lastOfStep.get({ after: after! })?.last ?? null;
      if (last !== null) move.run({ after: after!, last, now, jumpMs: ms });
      return last;
    };
  }

  return () => {
    const ms = jumpedMs();
    if (ms < 0) jumps.push({ ms, now: clock.now(), after: 0 });
    if (jumps.length === 0) return;
    following ??= follow()
      .catch((error: unknown) => logDropped(log, error, "database.due_times_not_adjusted"))
      .finally(() => (following = undefined));
  };
}
