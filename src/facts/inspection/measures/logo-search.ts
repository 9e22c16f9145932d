import {
  areaSums,
  correlation,
  normalizedBox,
  type AreaSums,
  type Box,
  type GrayPicture,
} from "./gray-picture.ts";
import { inkBoxes, trimmedBox } from "./ink-boxes.ts";

/** A logo as it is searched. */
export interface LogoTemplate {
  normalized: Float32Array;
  /** Width divided by height, without margins. */
  ratio: number;
}

/** Where a logo is, and how well it correlates there. */
export interface LogoPlace extends Box {
  correlation: number;
}

/** Ratio of the shapes of a box and a logo up to which they are compared. */
const ratioToleranceMax = 1.3;
/** Shifts in pixels of each side of a box, because a box may contain a part of its neighbors or miss a faint edge. */
const shifts = [-2, -1, -0.5, 0.5, 1, 2];
const shiftRounds = 2;
/** Correlation from which on shifting the sides is worth its time: thin strokes hardly correlate if they are a pixel off. */
const promisingMin = 0.25;

const margin = 2;

/** @returns undefined for a logo without contrast. */
export function logoTemplate(tight: GrayPicture): LogoTemplate | undefined {
  const picture = withMargin(tight);
  const box = trimmedBox(picture);
  if (box === undefined) return undefined;
  const normalized = normalizedBox(areaSums(picture), box);
  return normalized === undefined ? undefined : { normalized, ratio: box.width / box.height };
}

/** Adds a margin in the most frequent gray of the border, because a logo without one has no edges there. */
function withMargin({ width, height, gray }: GrayPicture): GrayPicture {
  const counts = new Uint32Array(256);
  for (let x = 0; x < width; x += 1) {
    counts[gray[x] ?? 0]! += 1;
    counts[gray[(height - 1) * width + x] ?? 0]! += 1;
  }
  for (let y = 0; y < height; y += 1) {
    counts[gray[y * width] ?? 0]! += 1;
    counts[gray[y * width + width - 1] ?? 0]! += 1;
  }
  const background = counts.indexOf(Math.max(...counts));
  const wide = { width: width + 2 * margin, height: height + 2 * margin };
  const padded = new Uint8Array(wide.width * wide.height).fill(background);
  for (let y = 0; y < height; y += 1)
    padded.set(gray.subarray(y * width, (y + 1) * width), (y + margin) * wide.width + margin);
  return { ...wide, gray: padded };
}

/** A screenshot that is prepared for several searches. */
export interface SearchedPicture {
  sums: AreaSums;
  boxes: { box: Box; normalized: Float32Array }[];
}

export function searchedPicture(picture: GrayPicture): SearchedPicture {
  const sums = areaSums(picture);
  const boxes = inkBoxes(picture).flatMap((box) => {
    const normalized = normalizedBox(sums, box);
    return normalized === undefined ? [] : [{ box, normalized }];
  });
  return { sums, boxes };
}

/**
 * Finds the place with the highest normalized cross-correlation (Lewis, "Fast Normalized Cross-Correlation", 1995) with a
 * logo of any size. Instead of every place and size, only what stands apart on the page is compared, scaled to the size
 * of the template: a search takes microseconds for each box. The sign is ignored, so that a logo in other colors, or
 * light on dark, is found, too.
 */
export function locateLogo({ sums, boxes }: SearchedPicture, logo: LogoTemplate): LogoPlace | undefined {
  let found: LogoPlace | undefined;
  for (const { box, normalized } of boxes) {
    const ratio = box.width / box.height / logo.ratio;
    if (ratio > ratioToleranceMax || ratio < 1 / ratioToleranceMax) continue;
    let place: LogoPlace = { ...box, correlation: Math.abs(correlation(normalized, logo.normalized)) };
    if (place.correlation >= promisingMin) place = refined(sums, place, logo);
    if (found === undefined || place.correlation > found.correlation) found = place;
  }
  return found;
}

/** Moves one side at a time as long as the correlation rises. */
function refined(sums: AreaSums, start: LogoPlace, logo: LogoTemplate): LogoPlace {
  let best = start;
  const sides = (["left", "right", "top", "bottom"] as const).flatMap((side) =>
    shifts.map((shift) => ({ side, shift })),
  );
  for (let round = 0; round < shiftRounds; round += 1)
    for (const { side, shift } of sides) {
      const box = moved(best, side, shift);
      if (
        box.width < 1 ||
        box.height < 1 ||
        box.x < 0 ||
        box.y < 0 ||
        box.x + box.width > sums.width ||
        box.y + box.height > sums.height
      )
        continue;
      const normalized = normalizedBox(sums, box);
      if (normalized === undefined) continue;
      const value = Math.abs(correlation(normalized, logo.normalized));
      if (value > best.correlation) best = { ...box, correlation: value };
    }
  return best;
}

function moved({ x, y, width, height }: Box, side: "left" | "right" | "top" | "bottom", shift: number): Box {
  if (side === "left") return { x: x + shift, y, width: width - shift, height };
  if (side === "right") return { x, y, width: width + shift, height };
  if (side === "top") return { x, y: y + shift, width, height: height - shift };
  return { x, y, width, height: height + shift };
}
