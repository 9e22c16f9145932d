import { createTimes, type NumberArray, type Numbers, type Times } from "../arrays/numbers.ts";

const initialCapacity = 1 << 12;
/** Room for new rows, as a part of those that are present: it takes memory, and less of it takes more copies. */
const reservedPart = 1 / 32;

/** The fields of all threats that have arrays. */
export interface Fields {
  /** Numbers of `kinds`; `deletedKind` for a deleted threat. */
  kindNumbers: Uint16Array;
  protectedDomainSeqs: Numbers;
  firstSeen: Times;
  statusChangedAt: Times;
  changedAt: Times;
  /**
   * First decisions. 0: undecided. 1: when the status last changed. Others, which are few: 2 more than the index in
   * `earlierDecisions`.
   */
  decisions: Numbers;
  /** Due times in whole seconds; 0: none. */
  dueAt: Numbers;
  /** Numbers of `assigneeNumbers`; 0: nobody. */
  assignees: Numbers;
  /** Numbers of `campaignNumbers`; 0: none. */
  campaigns: Numbers;
  /** Numbers of `hosts`; 0: unknown. */
  registrar: Numbers;
  nameServers: Numbers;
  network: Numbers;
  /** In `similarityUnits`. */
  similarities: Uint16Array;
  /** Bit sets: the bits of `indicators.ts`, and `verifiedBit`. */
  indicators: Uint8Array;
}

/** @param capacity number of rows for which there is room */
export function createFields(capacity: number): Fields {
  return {
    kindNumbers: new Uint16Array(capacity),
    protectedDomainSeqs: new Uint8Array(capacity),
    firstSeen: createTimes(capacity),
    statusChangedAt: createTimes(capacity),
    changedAt: createTimes(capacity),
    decisions: new Uint8Array(capacity),
    dueAt: new Uint8Array(capacity),
    assignees: new Uint8Array(capacity),
    campaigns: new Uint8Array(capacity),
    registrar: new Uint8Array(capacity),
    nameServers: new Uint8Array(capacity),
    network: new Uint8Array(capacity),
    similarities: new Uint16Array(capacity),
    indicators: new Uint8Array(capacity),
  };
}

/** An array of the fields, with its place. */
export interface FieldArray {
  name: string;
  get(): NumberArray;
  set(array: NumberArray): void;
}

/** Returns all arrays of the fields. */
export function arraysOf(fields: Fields): FieldArray[] {
  const at = (owner: object, key: string, name: string): FieldArray => ({
    name,
    get: () => (owner as Record<string, NumberArray>)[key]!,
    set: (array) => void Object.assign(owner, { [key]: array }),
  });
  return Object.keys(createFields(0)).flatMap((name) => {
    const field = fields[name as keyof Fields];
    if (ArrayBuffer.isView(field)) return [at(fields, name, name)];
    return Object.keys(field).map((key) => at(field, key, `${name}.${key}`));
  });
}

/** Returns the number of rows for which arrays have room that hold a number of rows. */
export function capacityFor(rows: number): number {
  return Math.max(initialCapacity, rows + Math.ceil(rows * reservedPart));
}
