import { rawSettings } from "../../../access/settings/raw-settings.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { createGrouping, type Grouping } from "../grouping/grouping.ts";
import { type CampaignWriter, createCampaignWriter } from "./campaign-writer.ts";
import {
  createChangeReader,
  createOriginalReader,
  createThreatReader,
  originalsIn,
  type ReadThreat,
} from "./read-threats.ts";
import { traitsOf } from "./traits.ts";

const settingName = "campaigns_position";
/** A position that changes again at once need not be stored. */
const quietMs = 10_000;

/** State of the threats and of everything else that the campaigns depend on. */
export interface Position {
  /** Last change of the log. */
  version: number;
  /** Last threat. */
  lastSeq: number;
  /** Marks of the protected domains' own sites. */
  originalText: string;
}

/**
 * Stores for which state of the threats the stored campaigns are complete, so that a start after which nothing has changed
 * need not group them.
 */
function createStoredPosition({
  clock,
  database: { isShared, sqlite, write },
  program,
}: {
  clock: Pick<Clock, "now" | "monotonicMs">;
  database: Pick<Database, "isShared" | "sqlite" | "write">;
  /** Version of the code and the lists that compute the campaigns, and of its limits. */
  program: string;
}) {
  const settings = () => rawSettings(sqlite, clock.now());
  const textOf = ({ version, lastSeq, originalText }: Position) =>
    `${version} ${lastSeq} ${Bun.hash(`${program} ${originalText}`).toString(36)}`;
  /** The latest position, and the monotonic time at which it was first seen. */
  let latest = { text: "", sinceMs: 0, isStored: false };

  return {
    /** Returns whether the campaigns of this state are stored. */
    isAt: (position: Position) => settings().get(settingName) === textOf(position),
    /** Records that they are, once it is called again with the same position some seconds later. */
    async set(position: Position): Promise<void> {
      const text = textOf(position);
      if (text !== latest.text) latest = { text, sinceMs: clock.monotonicMs(), isStored: false };
      // A database in memory ends with its process.
      if (!isShared || latest.isStored || clock.monotonicMs() - latest.sinceMs < quietMs) return;
      await write(() => settings().set(settingName, text), { relaxed: true, patient: true });
      latest.isStored = true;
    },
  };
}

/** Range of `seq` that is read at once. */
const seqsPerRead = 100;

/** The state of the threats that was read, and their groups. */
export interface State extends Position {
  grouping: Grouping;
  writer: CampaignWriter;
  /** Threats up to this one are not grouped. */
  floor: number;
  /** Marks of the protected domains' own sites. */
  originals: ReadonlySet<string>;
}

/** Reads all threats. Most have nothing that others may have, and are not even read from the database. */
async function groupAll({
  database,
  position: { version, originalText },
  threats,
  threatsMax,
  yielder,
}: {
  database: Database;
  /** State of the threats that is read at least. */
  position: Position;
  threats: ReturnType<typeof createThreatReader>;
  threatsMax: number;
  yielder: Yielder;
}): Promise<State> {
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

/** Takes the oldest threats out of the grouping until it has room for all that were read. */
export async function dropOldest(present: State, threatsMax: number, yielder: Yielder): Promise<void> {
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
