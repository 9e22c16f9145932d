import type { Database } from "../../database/database.ts";
import type { Yielder } from "../../lib/yielder.ts";
import { createCampaignWriter } from "./campaign-writer.ts";
import { createGrouping, type Grouping } from "./grouping.ts";
import { createChangeReader, createThreatReader, type ReadThreat } from "./read-threats.ts";
import { traitsOf } from "./traits.ts";

/** Keeps the stored campaigns in step with the threats and their facts, whichever process writes them. */
export interface CampaignFollower {
  /** Reads what was written since the last call, and stores the campaigns. The first call reads all threats. */
  catchUp(): Promise<void>;
}

const batchRows = 200;
/** The newest threats are grouped, because each takes up to 2.6 kB of memory: a million would need gigabytes. */
const groupedThreatsMax = 200_000;

/**
 * @param threatsMax number of threats that are grouped; the older ones have no campaign
 * @param yielder divides the work into slices
 */
export function createCampaignFollower({
  database,
  threatsMax = groupedThreatsMax,
  yielder,
}: {
  database: Database;
  threatsMax?: number;
  yielder: Yielder;
}): CampaignFollower {
  const threats = createThreatReader(database);
  const changes = createChangeReader(database);
  /** Undefined before the first read, and after an error. */
  let state: State | undefined;
  let last: Promise<void> = Promise.resolve();

  async function readNews(): Promise<void> {
    const { first, last: newest } = changes.bounds();
    // The log holds the latest changes only.
    if (state !== undefined && first !== null && first > state.version + 1) state = undefined;
    state ??= startOver(newest ?? 0);
    const { writer } = state;
    for (;;) {
      const rows = threats.after(state.lastSeq, batchRows);
      if (rows.length === 0) break;
      for (const row of rows) await apply(state, row.seq, row);
      state.lastSeq = rows.at(-1)!.seq;
      await dropOldest(state);
    }
    for (;;) {
      const batch = changes.after(state.version, batchRows);
      if (batch.length === 0) break;
      const changed = batch.filter(({ version }) => !writer.isOwn(version));
      for (const seq of new Set(changed.map(({ threatSeq }) => threatSeq)))
        if (seq > state.floor) await apply(state, seq, threats.one(seq));
      state.version = batch.at(-1)!.version;
      writer.forgetUpTo(state.version);
      if (yielder.due()) await yielder.pause();
    }
    await writer.write();
  }

  function startOver(version: number): State {
    const grouping = createGrouping();
    const floor = threats.floor(threatsMax);
    const writer = createCampaignWriter({ database, floor, grouping, yielder });
    return { grouping, writer, version, floor, lastSeq: floor };
  }

  /** Takes the oldest threats out of the grouping until it has room for all that were read. */
  async function dropOldest(present: State): Promise<void> {
    while (present.grouping.size() > threatsMax) {
      const [oldest] = threats.after(present.floor, 1);
      if (oldest === undefined) return;
      present.floor = oldest.seq;
      for (const _step of present.grouping.apply(oldest.seq, undefined))
        if (yielder.due()) await yielder.pause();
      present.writer.drop(oldest.seq);
    }
  }

  async function apply(
    { grouping, writer }: State,
    seq: number,
    threat: ReadThreat | undefined,
  ): Promise<void> {
    writer.know(seq, threat?.campaign ?? null);
    for (const _step of grouping.apply(seq, threat === undefined ? undefined : traitsOf(threat)))
      if (yielder.due()) await yielder.pause();
    if (yielder.due()) await yielder.pause();
  }

  return {
    catchUp() {
      const read = last
        .catch(() => {})
        .then(readNews)
        .catch((error: unknown) => {
          state = undefined;
          throw error;
        });
      last = read;
      return read;
    },
  };
}

interface State {
  grouping: Grouping;
  writer: ReturnType<typeof createCampaignWriter>;
  /** Last change of the log that was read. */
  version: number;
  /** Threats up to this one are not grouped. */
  floor: number;
  /** Last threat that was read. */
  lastSeq: number;
}
