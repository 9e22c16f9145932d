import { toIsoTime } from "../../../platform/lib/clock.ts";
import type { Campaign } from "./campaigns.ts";
import { runOf } from "../grouping/attributes.ts";
import type { Grouping } from "../grouping/grouping.ts";
import type { Group, Member } from "../grouping/members.ts";
import { orderSpanMs } from "../grouping/neighbors.ts";
import { reasons, type ReasonCode } from "../grouping/reasons.ts";
import type { CampaignReason } from "./tables.ts";

/** A larger group is no campaign: something common joins it that is not recognized as shared. */
const campaignThreatsMax = 5_000;
const campaignReasonsMax = 40;
/** Threats that the reasons of a campaign list together; those of the reasons that most threats share come first. */
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
export function* describeGroup(group: Group, grouping: Grouping): Generator<void, Campaign> {
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
