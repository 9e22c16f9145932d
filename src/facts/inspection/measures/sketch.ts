import type { Sketch } from "../model/fingerprint.ts";

/** Hashes that a sketch keeps. Sets that are not larger are compared exactly, and sign-in pages rarely are. */
export const sketchSize = 256;

/** Members that two sets have in common, and how large they are, estimated from their sketches. */
export interface Overlap {
  shared: number;
  /** Sizes of the sets. */
  one: number;
  other: number;
}

/** @returns undefined if there are fewer than `sizeMin` different members. */
export function sketchOf(members: Iterable<string>, sizeMin = 1): Sketch | undefined {
  const hashes = new Set<number>();
  for (const member of members) hashes.add(Bun.hash.xxHash32(member));
  if (hashes.size < sizeMin) return undefined;
  const minima = [...hashes].sort((a, b) => a - b).slice(0, sketchSize);
  return { size: hashes.size, minima };
}

/**
 * Estimates the intersection of two sets (Broder, "On the resemblance and containment of documents", 1997, §3): of the
 * smallest hashes of the union, the share that both sketches contain is an unbiased estimate of the resemblance
 * |A ∩ B| / |A ∪ B|. The sizes of the sets are known, so that the intersection follows from it.
 */
export function overlap(one: Sketch, other: Sketch): Overlap {
  const limit = unionSizeMax(one, other);
  const ours = one.minima;
  const theirs = other.minima;
  let i = 0;
  let j = 0;
  let taken = 0;
  let common = 0;
  // The hot loop of a comparison: every page with every original, three times.
  for (; taken < limit; taken += 1) {
    if (i === ours.length) {
      // Beyond the end of a sketch that is not the whole set, its next hash is unknown.
      if (one.size > i || j === theirs.length) break;
      j += 1;
    } else if (j === theirs.length) {
      if (other.size > j) break;
      i += 1;
    } else {
      const a = ours[i] ?? 0;
      const b = theirs[j] ?? 0;
      if (a === b) common += 1;
      if (a <= b) i += 1;
      if (b <= a) j += 1;
    }
  }
  const resemblance = taken === 0 ? 0 : common / taken;
  const shared = (resemblance * (one.size + other.size)) / (1 + resemblance);
  return { shared: Math.min(shared, one.size, other.size), one: one.size, other: other.size };
}

/** The union of two complete sketches is known completely. */
function unionSizeMax(one: Sketch, other: Sketch): number {
  const complete = [one, other].every(({ size, minima }) => size === minima.length);
  return complete ? one.size + other.size : sketchSize;
}

/**
 * Returns how much of the smaller set is in the other, so that a copy with parts left out or added still counts, reduced
 * if few members are shared: `shared / (shared + doubt)` of it.
 */
export function containment({ shared, one, other }: Overlap, doubt: number): number {
  const smaller = Math.min(one, other);
  if (smaller === 0 || shared === 0) return 0;
  return (shared / smaller) * (shared / (shared + doubt));
}

/** Returns every sequence of `length` neighbors; the whole list if it is shorter. */
export function* shingles(items: readonly string[], length: number): Generator<string> {
  if (items.length > 0 && items.length < length) yield items.join(" ");
  for (let at = 0; at + length <= items.length; at += 1) yield items.slice(at, at + length).join(" ");
}
