import type { Database } from "../../database/database.ts";
import type { Yielder } from "../../lib/yielder.ts";
import { createCampaignWriter, type CampaignWriter } from "./campaign-writer.ts";
import { createGrouping, type Grouping } from "../grouping/grouping.ts";
import {
  createChangeReader,
  createOriginalReader,
  createThreatReader,
  originalsIn,
  type ReadThreat,
} from "./read-threats.ts";
import { traitsOf } from "./traits.ts";

/** Keeps the stored campaigns in step with the threats and their facts, whichever process writes them. */
export interface CampaignFollower {
  /** Reads what was written since the last call, and stores the campaigns. The first call reads all threats. */
  catchUp(): Promise<void>;
}

const batchRows = 200;
/** Range of `seq` that is read at once. */
const seqsPerRead = 100;

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
  const originalReader = createOriginalReader(database);
  /** Undefined before the first read, and after an error. */
  let state: State | undefined;
  let last: Promise<void> = Promise.resolve();

  async function readNews(): Promise<void> {
    const { first, last: newest } = changes.bounds();
    // The log holds the latest changes only.
    if (state !== undefined && first !== null && first > state.version + 1) state = undefined;
    const originalText = originalReader.text();
    // An address of a protected domain changes rarely, and then any threat may be affected.
    if (state?.originalText !== originalText) state = undefined;
    state ??= await startOver(newest ?? 0, originalText);
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

  /** Reads all threats. Most have nothing that others may have, and are not even read from the database. */
  async function startOver(version: number, originalText: string): Promise<State> {
    const originals = originalsIn(originalText);
    const grouping = createGrouping();
    const writer = createCampaignWriter({ database, grouping, yielder });
    const numbered: number[] = [];
    const lastSeq = threats.lastSeq();
    let floor = lastSeq;
    while (floor > 0 && grouping.size() < threatsMax) {
      const upTo = floor;
      floor = Math.max(0, upTo - seqsPerRead);
      for (const threat of threats.between(floor, upTo)) {
        grouping.load(traitsOf({ ...threat, originals }));
        if (threat.campaign !== null) numbered.push(threat.seq);
        if (yielder.due()) await yielder.pause();
      }
      if (yielder.due()) await yielder.pause();
    }
    await sliced(grouping.connect(), yielder);
    for (const seq of [...numbered, ...threats.numberedUpTo(floor)]) grouping.touch(seq);
    const started = { grouping, writer, version, floor, lastSeq, originals, originalText };
    await dropOldest(started, threatsMax, yielder);
    return started;
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
  writer: CampaignWriter;
  /** Last change of the log that was read. */
  version: number;
  /** Threats up to this one are not grouped. */
  floor: number;
  /** Marks of the protected domains' own sites, and the text that was read. */
  originals: ReadonlySet<string>;
  originalText: string;
  /** Last threat that was read. */
  lastSeq: number;
}

/** Takes the oldest threats out of the grouping until it has room for all that were read. */
async function dropOldest(present: State, threatsMax: number, yielder: Yielder): Promise<void> {
  const { grouping } = present;
  while (grouping.size() > threatsMax) {
    present.floor += 1;
    if (grouping.member(present.floor) !== undefined)
      await sliced(grouping.apply(present.floor, undefined), yielder);
    if (yielder.due()) await yielder.pause();
  }
}

async function sliced(steps: Generator<void>, yielder: Yielder): Promise<void> {
  for (const _step of steps) if (yielder.due()) await yielder.pause();
}
