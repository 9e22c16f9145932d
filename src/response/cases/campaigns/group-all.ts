import type { Database } from "../../../platform/database/database.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { createGrouping, type Grouping } from "../grouping/grouping.ts";
import { createCampaignWriter, type CampaignWriter } from "./campaign-writer.ts";
import { originalsIn, type createThreatReader } from "./read-threats.ts";
import type { Position } from "./stored-position.ts";
import { traitsOf } from "./traits.ts";

/** Range of `seq` that is read at once. */
export const seqsPerRead = 100;

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
export async function groupAll({
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

export async function sliced(steps: Generator<void>, yielder: Yielder): Promise<void> {
  for (const _step of steps) if (yielder.due()) await yielder.pause();
}
