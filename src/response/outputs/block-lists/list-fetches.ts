import type { Needs } from "../../../platform/database/needs.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { List } from "./list.ts";
import type { ListStore } from "./list-store.ts";

/** Resolvers may ask every few seconds, and a download must not wait for the disk. */
const storeEveryMs = 60_000;

interface Fetch {
  at: Instant;
  by: string | null;
  /** Time of the clock's monotonic part at which it was last stored. */
  storedMs: number;
  isStored: boolean;
}

/** Last downloads of lists. */
export function createListFetches({
  clock,
  database,
  log,
  store,
}: Needs<"clock" | "database" | "log"> & { store: Pick<ListStore, "fetched"> }) {
  const last = new Map<number, Fetch>();

  async function write(seq: number, fetch: Fetch): Promise<void> {
    fetch.isStored = true;
    fetch.storedMs = clock.monotonicMs();
    const { at, by } = fetch;
    try {
      await database.write(() => store.fetched(seq, { at, by }), { relaxed: true, patient: true });
    } catch (error) {
      logDropped(log, error, "list.download_not_stored");
    }
  }

  return {
    note({ seq }: List, by: string | undefined = undefined) {
      const storedMs = last.get(seq)?.storedMs ?? -Infinity;
      const fetch = { at: clock.now(), by: by ?? null, storedMs, isStored: false };
      last.set(seq, fetch);
      if (clock.monotonicMs() - storedMs >= storeEveryMs) void write(seq, fetch);
    },
    /** Returns the list with its last download. */
    withLast(list: List): List {
      const fetch = last.get(list.seq);
      return fetch === undefined ? list : { ...list, fetchedAt: fetch.at, fetchedBy: fetch.by };
    },
    /** Stores what is only in memory. */
    async stop() {
      const waiting = [...last].filter(([, { isStored }]) => !isStored);
      await Promise.all(waiting.map(([seq, fetch]) => write(seq, fetch)));
    },
  };
}
