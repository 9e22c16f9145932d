import type { Instant } from "../../../platform/lib/clock.ts";
import { visualSimilarity } from "../../lookups/page/perceptual-hash.ts";
import { withoutQuery } from "../measures/addresses.ts";
import { overlap } from "../measures/sketch.ts";
import type { PageFingerprint } from "../model/fingerprint.ts";
import type { OriginalVersion } from "./tables.ts";
import type { VersionChange } from "../model/original.ts";

/** Similarities below which a part of a page has changed. Dates and offers change more than they should to matter. */
const similarityMin = { text: 0.8, structure: 0.8, appearance: 0.7 };
/** Similarities below which a page has nothing to do with the version before. A redesign keeps most of its words. */
const unrelatedBelow = { text: 0.25, structure: 0.35 };
/** A page that looks entirely different has to be seen in this many captures. */
export const sightingsMin = 3;
/** And for this long, so that a maintenance page of a night is not accepted. */
const waitingMsMin = 20 * 3_600_000;

/** Outcome of a capture for the versions of an original. */
export type VersionStep =
  | { kind: "same"; seq: number }
  | { kind: "accept"; changes: VersionChange[] }
  | { kind: "wait"; changes: VersionChange[] }
  | { kind: "wait_longer"; seq: number }
  | { kind: "accept_waiting"; seq: number }
  | { kind: "rejected"; seq: number }
  | { kind: "insecure" };

interface NextStepOptions {
  versions: readonly OriginalVersion[];
  fingerprint: PageFingerprint;
  secure: boolean;
  now: Instant;
}

/**
 * Decides what a captured page means, so that neither a maintenance page nor an attacker who controls the network or the name
 * for some hours defines what a brand looks like.
 * @param versions present version first
 * @param secure whether the page came over HTTPS with a valid certificate
 */
export function nextStep({ versions, fingerprint, secure, now }: NextStepOptions): VersionStep {
  const accepted = versions.filter(({ state }) => state === "accepted");
  const [present] = accepted;
  const rejected = versions.find(
    (version) => version.state === "rejected" && resembles(version.fingerprint, fingerprint),
  );
  // A person who rejects a version may mean a small change of a page that is theirs.
  const isLikeAccepted = accepted.some(
    (version) => changesBetween(version.fingerprint, fingerprint).length === 0,
  );
  if (rejected !== undefined && !isLikeAccepted) return { kind: "rejected", seq: rejected.seq };
  if (present === undefined) return { kind: "accept", changes: [] };
  const changes = changesBetween(present.fingerprint, fingerprint);
  if (changes.length === 0) return { kind: "same", seq: present.seq };
  if (present.secure && !secure) return { kind: "insecure" };
  if (accepted.some((version) => !isUnrelated(version.fingerprint, fingerprint)))
    return { kind: "accept", changes };
  const waiting = versions.find(
    (version) => version.state === "waiting" && !isUnrelated(version.fingerprint, fingerprint),
  );
  // The version on record may be the sign-in page of a network between; a valid certificate shows whose page this one is.
  const isProven = secure && !accepted.some((version) => version.secure);
  if (waiting === undefined) return { kind: isProven ? "accept" : "wait", changes };
  const wasSeenLong = waiting.sightings + 1 >= sightingsMin && now - waiting.firstSeenAt >= waitingMsMin;
  const isConfirmed = isProven || (secure && wasSeenLong);
  return { kind: isConfirmed ? "accept_waiting" : "wait_longer", seq: waiting.seq };
}

/** Returns the parts of a page that differ so much between two captures that a copy of one does not resemble the other. */
export function changesBetween(before: PageFingerprint, after: PageFingerprint): VersionChange[] {
  const changes: Record<VersionChange, boolean> = {
    title: before.title !== after.title,
    text: textSimilarity(before, after) < similarityMin.text,
    structure: (structureSimilarity(before, after) ?? 1) < similarityMin.structure,
    forms: formsOf(before) !== formsOf(after),
    icons: iconsOf(before) !== iconsOf(after),
    appearance: lookSimilarity(before, after) < similarityMin.appearance,
    address: withoutQuery(before.address) !== withoutQuery(after.address),
  };
  return (Object.keys(changes) as VersionChange[]).filter((part) => changes[part]);
}

/**
 * Returns what to store as the fingerprint of a version that another capture shows again; undefined: it stays. The first
 * capture may have had no browser, and a fingerprint of an earlier definition is not compared.
 */
export function completedFingerprint(
  before: PageFingerprint,
  after: PageFingerprint,
): PageFingerprint | undefined {
  if (before.version !== after.version) return after;
  const { screenshot } = after;
  return before.screenshot === undefined && screenshot !== undefined ? { ...before, screenshot } : undefined;
}

function isUnrelated(before: PageFingerprint, after: PageFingerprint): boolean {
  return (
    textSimilarity(before, after) < unrelatedBelow.text &&
    // Too small a structure says nothing.
    (structureSimilarity(before, after) ?? 0) < unrelatedBelow.structure
  );
}

function resembles(before: PageFingerprint, after: PageFingerprint): boolean {
  return !isUnrelated(before, after) && lookSimilarity(before, after) >= similarityMin.appearance;
}

/** Share of the different words that both pages have (Jaccard index); 1 for two pages without words. */
function textSimilarity(before: PageFingerprint, after: PageFingerprint): number {
  const [one, other] = [new Set(before.words), new Set(after.words)];
  const union = one.union(other).size;
  return union === 0 ? 1 : one.intersection(other).size / union;
}

/** Returns the Jaccard index of the shingles of tags; undefined if one of the two pages has too few. */
function structureSimilarity(
  { structure: one }: PageFingerprint,
  { structure: other }: PageFingerprint,
): number | undefined {
  if (one === undefined || other === undefined) return undefined;
  const { shared } = overlap(one, other);
  return shared / (one.size + other.size - shared);
}

/** Returns 1 if one of the two has no screenshot. */
function lookSimilarity(before: PageFingerprint, after: PageFingerprint): number {
  if (before.screenshot === undefined || after.screenshot === undefined) return 1;
  return visualSimilarity(before.screenshot, after.screenshot);
}

function formsOf({ forms }: PageFingerprint): string {
  return JSON.stringify(forms.map(({ asksFor }) => asksFor.toSorted()).toSorted());
}

function iconsOf({ pictures }: PageFingerprint): string {
  const icons = pictures.filter(({ role }) => role !== "picture").map(({ sha256 }) => sha256);
  return [...new Set(icons)].toSorted().join();
}

/** Numbers of versions of each kind that are kept of an original. */
const keptMax = { accepted: 6, waiting: 1, rejected: 6 };

/** Returns the name of a version's screenshot file. */
export function screenshotId(versionSeq: number): string {
  return `original_${versionSeq}`;
}

/**
 * Returns the seqs of the versions that are no longer needed.
 * @param versions the present version first
 * @param latest version that the last capture showed: anything else that waits was a passing state
 */
export function supersededBy(
  versions: readonly OriginalVersion[],
  latest: Pick<OriginalVersion, "seq">,
): number[] {
  return (Object.keys(keptMax) as (keyof typeof keptMax)[]).flatMap((state) => {
    const ofState = versions.filter((version) => version.state === state);
    const kept = state === "waiting" ? ofState.filter(({ seq }) => seq === latest.seq) : ofState;
    const keptSeqs = new Set(kept.slice(0, keptMax[state]).map(({ seq }) => seq));
    return ofState.filter(({ seq }) => !keptSeqs.has(seq)).map(({ seq }) => seq);
  });
}
