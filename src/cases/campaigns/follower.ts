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

/** @param yielder divides the work into slices */
export function createCampaignFollower({
  database,
  yielder,
}: {
  database: Database;
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
    }
    for (;;) {
      const batch = changes.after(state.version, batchRows);
      if (batch.length === 0) break;
      const changed = batch.filter(({ version }) => !writer.isOwn(version));
      for (const seq of new Set(changed.map(({ threatSeq }) => threatSeq)))
        await apply(state, seq, threats.one(seq));
      state.version = batch.at(-1)!.version;
      writer.forgetUpTo(state.version);
      if (yielder.due()) await yielder.pause();
    }
    await writer.write();
  }

  function startOver(version: number): State {
    const grouping = createGrouping();
    return { grouping, writer: createCampaignWriter({ database, grouping, yielder }), version, lastSeq: 0 };
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
  /** Last threat that was read. */
  lastSeq: number;
}
