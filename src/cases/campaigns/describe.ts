import { toIsoTime } from "../../lib/clock.ts";
import { orderSpanMs, type Group, type Member } from "./attributes.ts";
import type { Campaign } from "./campaigns.ts";
import { reasons, type ReasonCode } from "./reasons.ts";
import type { CampaignReason } from "./tables.ts";

/** A larger group is no campaign: something common joins it that is not recognized as shared. */
const campaignThreatsMax = 5_000;
const campaignReasonsMax = 40;
const reasonThreatsMax = 1_000;
const scoreMax = 100;

interface Shared {
  reason: ReasonCode;
  value: string;
  members: Member[];
}

/** Returns the campaign of a group; undefined if it is none, such as one name that imitates two protected domains. */
export function describeGroup({ members }: Group): Campaign | undefined {
  if (members.length > campaignThreatsMax) return undefined;
  if (new Set(members.map(({ name }) => name)).size < 2) return undefined;
  const shared = [...sharedAttributes(members), ...orders(members)];
  return {
    number: members.reduce((least, { seq }) => Math.min(least, seq), Infinity),
    size: members.length,
    score: campaignScore(shared, members.length),
    reasons: shared
      .toSorted(
        (a, b) =>
          b.members.length - a.members.length ||
          reasons[b.reason].weight - reasons[a.reason].weight ||
          (a.value < b.value ? -1 : 1),
      )
      .slice(0, campaignReasonsMax)
      .map(reasonOf),
  };
}

function reasonOf({ reason, value, members }: Shared): CampaignReason {
  const seqs = members.map(({ seq }) => seq).toSorted((a, b) => a - b);
  return { reason, value, threats: seqs.length, seqs: seqs.slice(0, reasonThreatsMax) };
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

function sharedAttributes(members: readonly Member[]): Shared[] {
  const byAttribute = new Map<number, Shared>();
  for (const member of members)
    for (const { id, isShared, reason, value } of member.attributes) {
      if (isShared) continue;
      const entry = byAttribute.get(id);
      if (entry === undefined) byAttribute.set(id, { reason, value, members: [member] });
      else entry.members.push(member);
    }
  return [...byAttribute.values()].filter((entry) => entry.members.length > 1);
}

/** Returns runs of registrations at one registrar, each within an hour of the one before. */
function orders(members: readonly Member[]): Shared[] {
  const ordered = members.flatMap((member) =>
    member.registration === undefined || member.hour?.isShared === true
      ? []
      : [{ ...member.registration, member }],
  );
  const runs: Shared[] = [];
  for (const atRegistrar of Map.groupBy(ordered, ({ registrar }) => registrar).values()) {
    let end = -Infinity;
    for (const { at, label, member } of atRegistrar.toSorted(
      (a, b) => a.at - b.at || a.member.seq - b.member.seq,
    )) {
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
