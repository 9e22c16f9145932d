import { startFileTask, type FileTask } from "../../../platform/database/files/file-worker.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { DeliveryStatus } from "../../../platform/vocabulary/channels.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";

export interface DeliveryTotal {
  recipient: string;
  status: DeliveryStatus;
  total: number;
}

/** Counting 10,000,000 takes about a second, during which all requests would wait. */
const countedAtOnceMaxDefault = 200_000;
/** Counts within the index on recipient and status, and adds the names to the few groups. */
const countByStatus = `select recipients.name as recipient, counted.status, counted.total
  from (select recipient_seq, status, count(*) as total from deliveries group by recipient_seq, status) as counted
  join recipients on recipients.seq = counted.recipient_seq order by recipients.name, counted.status`;
const countAsJson = `select json_group_array(json_object('recipient', recipient, 'status', status, 'total', total))
  from (${countByStatus})`;

interface DeliveryTotalsDependencies extends Needs<"database" | "log"> {
  /** Number of deliveries above which another thread counts them. */
  countedAtOnceMax?: number;
}

/** Counts deliveries by recipient (its name) and status. */
export function createDeliveryTotals(dependencies: DeliveryTotalsDependencies) {
  const { database, log, countedAtOnceMax = countedAtOnceMaxDefault } = dependencies;
  const { isShared, path, prepare } = database;
  // Sequence numbers never repeat, so the oldest and the newest one limit the number of rows.
  const rowsAtMost = prepare<{ rows: number | null }>(
    "select (select max(seq) from deliveries) - (select min(seq) from deliveries) as rows",
  );
  const count = prepare<DeliveryTotal>(countByStatus);
  let last: DeliveryTotal[] = [];
  let task: FileTask | undefined;
  let counting: Promise<void> | undefined;
  let stopped = false;

  async function countInBackground(): Promise<void> {
    try {
      task = startFileTask(path, countAsJson);
      last = JSON.parse(String(await task.result)) as DeliveryTotal[];
    } catch (error) {
      if (!stopped) logDropped(log, error, "delivery.totals_not_counted");
    } finally {
      counting = undefined;
    }
  }

  return {
    /** Returns the numbers; if there are very many, those at the time of the previous call, and none in the first one. */
    read() {
      if (!isShared || (rowsAtMost.get()!.rows ?? 0) <= countedAtOnceMax) return count.all();
      if (!stopped) counting ??= countInBackground();
      return last;
    },

    /** Cancels counting in progress. */
    async stop() {
      stopped = true;
      task?.cancel();
      await counting;
    },
  };
}

/** Returns a function that finds the oldest pending delivery of each enabled recipient by an index. */
export function createOldestPending({ prepare }: Pick<Database, "prepare">) {
  const oldest = prepare<{ recipient: string; createdAt: Instant | null }>(
    `select name as recipient, (select created_at from deliveries where seq = (select min(seq) from deliveries
       where recipient_seq = recipients.seq and status = 'pending')) as createdAt
     from recipients where enabled = 1 order by name`,
  );
  return () => oldest.all();
}
