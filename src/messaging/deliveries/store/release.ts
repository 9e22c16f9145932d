import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { latestProbe } from "../rules/retry-schedule.ts";

/** Ends the hold of recipients that respond again. */
export type Release = ReturnType<typeof createRelease>;

/** Deliveries per transaction, so that other work gets its turn. */
const deliveriesPerStep = 1_000;
const patiently = { patient: true };

interface ReleaseDependencies {
  database: Database;
  /** `breaker`: whether deliveries may be held at all. */
  settings: { breaker: boolean };
}

export function createRelease({ database, settings }: ReleaseDependencies) {
  const { prepare } = database;
  const recovered = prepare<{ seq: number }>(
    "select seq from recipients where next_probe_at is not null and consecutive_failures = 0",
  );
  const lastOfStep = prepare<{ last: number | null }, [{ seq: number; after: number }]>(
    `select max(seq) as last from (select seq from deliveries where recipient_seq = $seq and status = 'pending'
       and seq > $after order by seq limit ${deliveriesPerStep})`,
  );
  const restart = prepare<unknown, [{ seq: number; after: number; last: number; now: Instant }]>(
    `update deliveries set attempts = 0, next_attempt_at = $now
     where recipient_seq = $seq and status = 'pending' and seq > $after and seq <= $last`,
  );
  const end = prepare<unknown, [{ seq: number }]>(
    "update recipients set next_probe_at = null where seq = $seq and consecutive_failures = 0",
  );
  const endAll = prepare<unknown>(
    "update recipients set next_probe_at = null where next_probe_at is not null",
  );
  const bringForward = prepare<unknown, [{ latest: Instant }]>(
    "update recipients set next_probe_at = $latest where next_probe_at > $latest",
  );

  return {
    /** Returns the recipients that respond again while their deliveries are still held. */
    recovered: () => recovered.all().map(({ seq }) => seq),

    /**
     * Makes all deliveries of a recipient due, with all their attempts, and ends its hold. May be repeated.
     * @param options.isStopping whether to end after the next step: there may be a million deliveries
     */
    async run(seq: number, { now, isStopping }: { now: Instant; isStopping: () => boolean }) {
      let after: number | null = 0;
      while (after !== null && !isStopping()) {
        const from: number = after;
        after = await database.write(() => {
          const last = lastOfStep.get({ seq, after: from })?.last ?? null;
          if (last === null) end.run({ seq });
          else restart.run({ seq, after: from, last, now });
          return last;
        }, patiently);
      }
    },

    /** Runs on start: checks the holds of an earlier process. */
    async repair(now: Instant) {
      await database.write(() => {
        if (settings.breaker) bringForward.run({ latest: latestProbe(now) });
        else endAll.run();
      }, patiently);
    },
  };
}
