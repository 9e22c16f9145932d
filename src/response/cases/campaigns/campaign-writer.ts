import { toIsoTime } from "../../../platform/lib/clock.ts";
import type { Campaign } from "./campaigns.ts";
import { runOf } from "../grouping/attributes.ts";
import type { Grouping } from "../grouping/grouping.ts";
import type { Group, Member } from "../grouping/members.ts";
import { orderSpanMs } from "../grouping/neighbors.ts";
import { type ReasonCode, reasons } from "../grouping/reasons.ts";
import type { CampaignReason } from "./tables.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";

/** A larger group is no campaign: something common joins it that is not recognized as shared. */
const campaignThreatsMax = 5_000;
const campaignReasonsMax = 40;
/** Threats that the reasons of a campaign list together, beginning with the reasons that most threats share. */
const listedThreatsMax = 20_000;
const scoreMax = 100;

interface Shared {
  reason: ReasonCode;
  value: string;
  members: Member[];
}

/** Members whose attributes are read between two pauses. */
const membersPerPause = 200;

/** Returns whether a group is a campaign. One name that imitates two protected domains is none. */
export function isCampaign({ members }: Group): boolean {
  return members.length <= campaignThreatsMax && members.some(({ name }) => name !== members[0]!.name);
}

/** Returns the number of a campaign: the `seq` of its oldest threat. */
export function numberOf({ members }: Group): number {
  return members.reduce((least, { seq }) => Math.min(least, seq), Infinity);
}

/** Returns what joins the threats of a campaign, in steps. */
function* describeGroup(group: Group, grouping: Grouping): Generator<void, Campaign> {
  const { members } = group;
  const shared = [...(yield* sharedAttributes(members, grouping)), ...orders(members, grouping)];
  yield;
  let left = listedThreatsMax;
  return {
    number: numberOf(group),
    size: members.length,
    score: campaignScore(shared, members.length),
    reasons: shared
      .toSorted(
        (a, b) =>
          b.members.length - a.members.length ||
          reasons[b.reason].weight - reasons[a.reason].weight ||
          (a.value < b.value ? -1 : Number(a.value > b.value)) ||
          a.members[0]!.seq - b.members[0]!.seq,
      )
      .slice(0, campaignReasonsMax)
      .map((entry) => {
        const reason = reasonOf(entry, left);
        left -= reason.seqs.length;
        return reason;
      }),
  };
}

function reasonOf({ reason, value, members }: Shared, listedMax: number): CampaignReason {
  const seqs = members.map(({ seq }) => seq).toSorted((a, b) => a - b);
  return { reason, value, threats: seqs.length, seqs: seqs.slice(0, listedMax) };
}

/**
 * Adds up the weights of the aspects, each multiplied by the part of the threats that share something of it with another
 * threat of the group; 100 at most.
 */
function campaignScore(shared: readonly Shared[], size: number): number {
  const byAspect = Map.groupBy(shared, ({ reason }) => reasons[reason].aspect);
  let score = 0;
  for (const entries of byAspect.values()) {
    const covered = new Set(entries.flatMap(({ members }) => members)).size;
    score += (Math.max(...entries.map(({ reason }) => reasons[reason].weight)) * covered) / size;
  }
  return Math.min(scoreMax, Math.round(score));
}

function* sharedAttributes(
  members: readonly Member[],
  { attributesOf }: Grouping,
): Generator<void, Shared[]> {
  const byRun = new Map<string, Shared>();
  for (const [index, member] of members.entries()) {
    if (index % membersPerPause === membersPerPause - 1) yield;
    for (const attribute of attributesOf(member)) {
      const { id, isShared, reason, value } = attribute;
      if (isShared || reason === "registration") continue;
      const run = `${id}.${runOf(attribute, member)}`;
      const entry = byRun.get(run);
      if (entry === undefined) byRun.set(run, { reason, value, members: [member] });
      else entry.members.push(member);
    }
  }
  return [...byRun.values()].filter((entry) => entry.members.length > 1);
}

/** Returns runs of registrations at one registrar, each within an hour of the one before. */
function orders(members: readonly Member[], { isBusyHour }: Grouping): Shared[] {
  const ordered = members.filter((member) => member.registrar !== undefined && !isBusyHour(member));
  const runs: Shared[] = [];
  for (const atRegistrar of Map.groupBy(ordered, ({ registrar }) => registrar).values()) {
    let end = -Infinity;
    for (const member of atRegistrar.toSorted((a, b) => a.registeredAt - b.registeredAt || a.seq - b.seq)) {
      const { registeredAt: at, registrarLabel: label } = member;
      if (at - end <= orderSpanMs) runs.at(-1)!.members.push(member);
      else runs.push({ reason: "registration", value: `${minuteText(at)} UTC, ${label}`, members: [member] });
      end = at;
    }
  }
  return runs.filter((run) => run.members.length > 1);
}

function minuteText(at: number): string {
  return toIsoTime(at).slice(0, 16).replace("T", " ");
}

/** Writing a number takes 20 µs, during which everything else waits. */
const rowsPerWrite = 100;
const numbersPerRead = 200;

/** A write; undefined: none was needed. */
type Step = (() => void) | undefined;

export type CampaignWriter = ReturnType<typeof createCampaignWriter>;

/**
 * Stores campaigns: numbers with their threats, and what joins them. Each write is short, so a process that is killed can
 * leave a campaign half written. The next start finds that: it compares everything unless the campaigns were complete
 * (`follower.ts`).
 */
export function createCampaignWriter({
  database,
  grouping,
  yielder,
}: {
  database: Database;
  grouping: Grouping;
  yielder: Yielder;
}) {
  const statements = prepareAll(database);
  const { newest } = statements;
  const changes = createSteps({ grouping, statements });
  const lastVersion = () => newest.get()!.version ?? 0;
  /** Versions of the change log that own writes have added. */
  let own: { after: number; upTo: number }[] = [];

  return {
    /** Writes what changed since the last call. After an error, the state is unknown. */
    async write(): Promise<void> {
      let batch: NonNullable<Step>[] = [];
      for (const step of changes()) {
        if (step !== undefined) batch.push(step);
        if (batch.length === rowsPerWrite) {
          await commit(batch);
          batch = [];
        }
        if (yielder.due()) await yielder.pause();
      }
      if (batch.length > 0) await commit(batch);
    },
    /** Returns whether a version of the change log is of a write of this process. */
    isOwn: (version: number) => own.some(({ after, upTo }) => version > after && version <= upTo),
    /** Forgets own versions that were read. */
    forgetUpTo(version: number): void {
      own = own.filter(({ upTo }) => upTo > version);
    },
  };

  async function commit(batch: readonly NonNullable<Step>[]): Promise<void> {
    const range = await database.write(
      () => {
        const after = lastVersion();
        for (const step of batch) step();
        return { after, upTo: lastVersion() };
      },
      { relaxed: true, patient: true },
    );
    const last = own.at(-1);
    if (last?.upTo === range.after) last.upTo = range.upTo;
    else own.push(range);
  }
}

/** Returns a function that returns the writes for everything that changed since the last call. */
function createSteps({
  grouping,
  statements,
}: {
  grouping: Grouping;
  statements: ReturnType<typeof prepareAll>;
}): () => Generator<Step> {
  const { numberAfter, numberOfThreat, remove, row, setNumber, upsert } = statements;
  /** Numbers of stored campaigns that may have ended. */
  const suspects = new Set<number>();
  let isFirst = true;

  function* numberSteps(seq: number, number: number | null): Generator<Step> {
    const before = numberOfThreat.get(seq)?.number;
    // A threat that was deleted has none.
    if (before === undefined || before === number) return yield undefined;
    if (before !== null) suspects.add(before);
    yield () => void setNumber.run(number, seq);
  }

  function* changes(): Generator<Step> {
    const { alone, groups } = grouping.takeChanges();
    // Numbers first: the threats that are new have theirs before all reasons are described.
    for (const [group, members] of groups) yield* groupSteps(group, members);
    for (const seq of alone) {
      suspects.add(seq);
      yield* numberSteps(seq, null);
    }
    for (const group of groups.keys()) {
      if (group.number === null) continue;
      const description = describeGroup(group, grouping);
      let step = description.next();
      for (; step.done !== true; step = description.next()) yield undefined;
      yield* rowSteps(step.value);
    }
    if (isFirst) yield* findSuspects();
    for (const number of suspects) {
      suspects.delete(number);
      if (grouping.member(number)?.group?.number === number) continue;
      yield () => void remove.run(number);
    }
  }

  function* groupSteps(group: Group, changed: readonly Member[]): Generator<Step> {
    const number = isCampaign(group) ? numberOf(group) : null;
    const isRenumbered = group.number !== number;
    if (isRenumbered && typeof group.number === "number") suspects.add(group.number);
    group.number = number;
    for (const { seq } of isRenumbered ? group.members : changed) yield* numberSteps(seq, number);
  }

  function* rowSteps({ number, size, score, ...campaign }: Campaign): Generator<Step> {
    const text = JSON.stringify(campaign.reasons);
    const before = row.get(number);
    const isSame = before?.size === size && before.score === score && before.reasons === text;
    yield isSame ? undefined : () => void upsert.run(number, size, score, text);
  }

  function* findSuspects(): Generator<Step> {
    isFirst = false;
    for (let last = -1; ;) {
      const found = numberAfter.all(last, numbersPerRead);
      for (const { number } of found) suspects.add(number);
      if (found.length === 0) return;
      last = found.at(-1)!.number;
      yield undefined;
    }
  }

  return changes;
}

function prepareAll({ prepare }: Pick<Database, "prepare">) {
  return {
    setNumber: prepare<unknown, [number | null, number]>("update threats set campaign_seq = ? where seq = ?"),
    upsert: prepare<unknown, [number, number, number, string]>(
      `insert into campaigns (number, size, score, reasons) values (?, ?, ?, ?)
       on conflict (number) do update set size = excluded.size, score = excluded.score, reasons = excluded.reasons`,
    ),
    remove: prepare<unknown, [number]>("delete from campaigns where number = ?"),
    row: prepare<{ size: number; score: number; reasons: string }, [number]>(
      "select size, score, reasons from campaigns where number = ?",
    ),
    numberAfter: prepare<{ number: number }, [number, number]>(
      "select number from campaigns where number > ? order by number limit ?",
    ),
    numberOfThreat: prepare<{ number: number | null }, [number]>(
      "select campaign_seq as number from threats where seq = ?",
    ),
    newest: prepare<{ version: number | null }>("select max(version) as version from threat_change_log"),
  };
}
