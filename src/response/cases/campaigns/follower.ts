import type { Database } from "../../../platform/database/database.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { dropOldest, groupAll, seqsPerRead, sliced, type State } from "./group-all.ts";
import {
  createChangeReader,
  createOriginalReader,
  createThreatReader,
  type ReadThreat,
} from "./read-threats.ts";
import { createStoredPosition, type Position } from "./stored-position.ts";
import { traitsOf } from "./traits.ts";

/** Keeps the stored campaigns in step with the threats and their facts, whichever process writes them. */
export type CampaignFollower = ReturnType<typeof createCampaignFollower>;

const batchRows = 200;
/**
 * Threats that are grouped, the newest ones: each takes 0.5 kB of memory. Those that have nothing that others may have
 * take none, and do not count.
 */
const groupedThreatsMax = 200_000;

/**
 * @param threatsMax number of threats that are grouped; the older ones have no campaign
 * @param yielder divides the work into slices
 */
export function createCampaignFollower({
  clock,
  database,
  program,
  threatsMax = groupedThreatsMax,
  yielder,
}: {
  clock: Pick<Clock, "now" | "monotonicMs">;
  database: Database;
  /** Version of the code and the lists that compute the campaigns. */
  program: string;
  threatsMax?: number;
  yielder: Yielder;
}) {
  const stored = createStoredPosition({ clock, database, program: `${program} ${threatsMax}` });
  const threats = createThreatReader(database);
  const changes = createChangeReader(database);
  const originalReader = createOriginalReader(database);
  /** Undefined before the first read, and after an error. */
  let state: State | undefined;
  let last: Promise<void> = Promise.resolve();

  async function readNews(): Promise<void> {
    const { first, last: newest } = changes.bounds();
    // The log holds the latest changes only.
    if (state !== undefined && first !== null && first > state.version + 1) state = undefined;
    const present = {
      version: newest ?? 0,
      lastSeq: threats.lastSeq(),
      originalText: originalReader.text(),
    };
    if (state === undefined && stored.isAt(present)) return;
    if (state !== undefined && isAt(state, present)) return stored.set(present);
    // An address of a protected domain changes rarely, and then any threat may be affected.
    if (state?.originalText !== present.originalText) state = undefined;
    state ??= await groupAll({ database, position: present, threats, threatsMax, yielder });
    const { writer } = state;
    for (const end = threats.lastSeq(); state.lastSeq < end;) {
      const upTo = Math.min(state.lastSeq + seqsPerRead, end);
      for (const threat of threats.between(state.lastSeq, upTo)) await apply(state, threat.seq, threat);
      state.lastSeq = upTo;
      await dropOldest(state, threatsMax, yielder);
      if (yielder.due()) await yielder.pause();
    }
    for (;;) {
      const batch = changes.after(state.version, batchRows);
      if (batch.length === 0) break;
      const changed = batch.filter(({ version }) => !writer.isOwn(version));
      for (const seq of new Set(changed.map(({ threatSeq }) => threatSeq)))
        if (seq > state.floor) await apply(state, seq, threats.one(seq));
      await dropOldest(state, threatsMax, yielder);
      state.version = batch.at(-1)!.version;
      writer.forgetUpTo(state.version);
      if (yielder.due()) await yielder.pause();
    }
    await writer.write();
  }

  async function apply(
    { grouping, originals }: State,
    seq: number,
    threat: ReadThreat | undefined,
  ): Promise<void> {
    await sliced(
      grouping.apply(seq, threat === undefined ? undefined : traitsOf({ ...threat, originals })),
      yielder,
    );
    if (yielder.due()) await yielder.pause();
  }

  return {
    /**
     * Reads what was written since the last call, and stores the campaigns. The first call reads all threats, unless
     * nothing has changed since an earlier process stored the campaigns.
     */
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

function isAt(state: Position, { version, lastSeq, originalText }: Position): boolean {
  return state.version === version && state.lastSeq === lastSeq && state.originalText === originalText;
}
