import type { Database } from "../../database/database.ts";
import type { Yielder } from "../../lib/yielder.ts";
import type { Member } from "./attributes.ts";
import type { Campaign } from "./campaigns.ts";
import { describeGroup } from "./describe.ts";
import type { Grouping } from "./grouping.ts";

/** Writing a number takes 20 µs; everything else waits meanwhile. */
const rowsPerWrite = 200;

/** A write; undefined: none was needed. */
type Step = (() => void) | undefined;

/**
 * Stores campaigns: numbers with their threats, and what joins them. Each write is short, so a process that is killed can
 * leave a campaign half written. The next start finds that, because it compares everything.
 */
export function createCampaignWriter({
  database,
  floor,
  grouping,
  yielder,
}: {
  database: Database;
  /** Threats up to this one are not grouped, and lose a number of an earlier process. */
  floor: number;
  grouping: Grouping;
  yielder: Yielder;
}) {
  const { all, lastVersion, old, remove, setNumber, upsert } = prepare(database);
  const own = createOwnWrites({ database, lastVersion });
  /** Numbers as they are stored, by the `seq` of the threat. */
  const numbers = new Map<number, number>();
  /** False if nothing has changed since the last write, so that an idle server does nothing. */
  let hasNews = true;
  /** Threats that are not grouped, and whose number is stored. */
  let dropped: number[] = old.all(floor).map(({ seq }) => seq);
  /** Hashes of the rows as they are stored, by number. */
  const rows = new Map(all.all().map((row) => [row.number, hashOf(row)]));

  function* stepsOf(member: Member, number: number | null): Generator<Step> {
    const { seq } = member;
    if ((numbers.get(seq) ?? null) === number) return;
    if (number === null) numbers.delete(seq);
    else numbers.set(seq, number);
    yield () => void setNumber.run(number, seq);
  }

  function* changes(): Generator<Step> {
    const left = dropped;
    dropped = [];
    for (const seq of left) yield () => void setNumber.run(null, seq);
    const { alone, groups } = grouping.takeChanges();
    for (const member of alone) yield* stepsOf(member, null);
    for (const group of groups) {
      const campaign = describeGroup(group);
      for (const member of group.members) yield* stepsOf(member, campaign?.number ?? null);
      if (campaign !== undefined) yield* rowOf(campaign);
      yield undefined;
    }
    for (const number of rows.keys()) {
      const group = grouping.member(number)?.group;
      const isLeft = group !== undefined && numbers.get(number) === number;
      if (isLeft) yield undefined;
      else {
        rows.delete(number);
        yield () => void remove.run(number);
      }
    }
  }

  function* rowOf({ number, size, score, reasons }: Campaign): Generator<Step> {
    const text = JSON.stringify(reasons);
    const hash = hashOf({ size, score, reasons: text });
    if (rows.get(number) === hash) return;
    rows.set(number, hash);
    yield () => void upsert.run(number, size, score, text);
  }

  return {
    /** Records the number that is stored with a threat. */
    know(seq: number, number: number | null): void {
      hasNews = true;
      if (number === null) numbers.delete(seq);
      else numbers.set(seq, number);
    },
    /** Removes the number of a threat that is grouped no more. */
    drop(seq: number): void {
      hasNews = true;
      if (numbers.delete(seq)) dropped.push(seq);
    },
    /** Writes what changed since the last call. After an error, the state is unknown. */
    async write(): Promise<void> {
      if (!hasNews) return;
      hasNews = false;
      let batch: NonNullable<Step>[] = [];
      for (const step of changes()) {
        if (step !== undefined) batch.push(step);
        if (batch.length === rowsPerWrite) {
          await own.commit(batch);
          batch = [];
        }
        if (yielder.due()) await yielder.pause();
      }
      if (batch.length > 0) await own.commit(batch);
    },
    isOwn: own.isOwn,
    forgetUpTo: own.forgetUpTo,
  };
}

/** Commits writes, and remembers the versions of the change log that they have added. */
function createOwnWrites({ database, lastVersion }: { database: Database; lastVersion: () => number }) {
  let ranges: { after: number; upTo: number }[] = [];
  return {
    async commit(batch: readonly NonNullable<Step>[]): Promise<void> {
      const range = await database.write(
        () => {
          const after = lastVersion();
          for (const step of batch) step();
          return { after, upTo: lastVersion() };
        },
        { relaxed: true, patient: true },
      );
      const last = ranges.at(-1);
      if (last?.upTo === range.after) last.upTo = range.upTo;
      else ranges.push(range);
    },
    /** Returns whether a version of the change log is of a write of this process. */
    isOwn: (version: number) => ranges.some(({ after, upTo }) => version > after && version <= upTo),
    /** Forgets own versions that were read. */
    forgetUpTo(version: number): void {
      ranges = ranges.filter(({ upTo }) => upTo > version);
    },
  };
}

function hashOf({ size, score, reasons }: { size: number; score: number; reasons: string }): bigint | number {
  return Bun.hash(`${size} ${score} ${reasons}`);
}

function prepare({ sqlite }: Database) {
  const newest = sqlite.prepare<{ version: number | null }, []>(
    "select max(version) as version from threat_touches",
  );
  return {
    setNumber: sqlite.prepare<unknown, [number | null, number]>(
      "update threats set campaign_seq = ? where seq = ?",
    ),
    upsert: sqlite.prepare<unknown, [number, number, number, string]>(
      `insert into campaigns (number, size, score, reasons) values (?, ?, ?, ?)
       on conflict (number) do update set size = excluded.size, score = excluded.score, reasons = excluded.reasons`,
    ),
    remove: sqlite.prepare<unknown, [number]>("delete from campaigns where number = ?"),
    all: sqlite.prepare<{ number: number; size: number; score: number; reasons: string }, []>(
      "select number, size, score, reasons from campaigns",
    ),
    old: sqlite.prepare<{ seq: number }, [number]>(
      "select seq from threats where campaign_seq is not null and seq <= ?",
    ),
    lastVersion: () => newest.get()!.version ?? 0,
  };
}
