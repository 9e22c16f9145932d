/** Gray values of a picture, 0 to 255, row by row. */
export interface GrayPicture {
  width: number;
  height: number;
  gray: Uint8Array;
}

/** A rectangle in pixels, from the top left. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Sums of gray values, so that the mean of any rectangle takes four reads (Crow, "Summed-area tables", 1984). */
export interface AreaSums {
  width: number;
  height: number;
  /** (width + 1) × (height + 1) sums of everything above and to the left. */
  sums: Float64Array;
}

export function areaSums({ width, height, gray }: GrayPicture): AreaSums {
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      row += gray[y * width + x] ?? 0;
      sums[(y + 1) * (width + 1) + x + 1] = (sums[y * (width + 1) + x + 1] ?? 0) + row;
    }
  }
  return { width, height, sums };
}

/** Columns and rows of a normalized box: about the shape of a logo, and few enough to compare thousands of them. */
const boxColumns = 32;
const boxRows = 16;

/**
 * Scales a box to 32 × 16 means, with the mean 0 and the length 1, so that the product of two boxes is their
 * normalized cross-correlation. Returns undefined for a box without contrast.
 */
export function normalizedBox({ width, sums }: AreaSums, box: Box): Float32Array | undefined {
  const result = new Float32Array(boxColumns * boxRows);
  const at = (x: number, y: number) => sums[y * (width + 1) + x] ?? 0;
  const edges = (from: number, size: number, parts: number) =>
    Int32Array.from({ length: parts + 1 }, (_, part) => Math.round(from + (size * part) / parts));
  const columns = edges(box.x, box.width, boxColumns);
  const rows = edges(box.y, box.height, boxRows);
  let total = 0;
  for (let row = 0; row < boxRows; row += 1)
    for (let column = 0; column < boxColumns; column += 1) {
      const x = columns[column] ?? 0;
      const y = rows[row] ?? 0;
      // A part of a box that is smaller than the grid has at least one pixel.
      const right = Math.max(columns[column + 1] ?? 0, x + 1);
      const bottom = Math.max(rows[row + 1] ?? 0, y + 1);
      const sum = at(right, bottom) - at(x, bottom) - at(right, y) + at(x, y);
      const mean = sum / ((right - x) * (bottom - y));
      result[row * boxColumns + column] = mean;
      total += mean;
    }
  const mean = total / result.length;
  let squares = 0;
  for (let index = 0; index < result.length; index += 1) {
    result[index]! -= mean;
    squares += result[index]! ** 2;
  }
  if (squares < contrastMin ** 2 * result.length) return undefined;
  const length = Math.sqrt(squares);
  for (let index = 0; index < result.length; index += 1) result[index]! /= length;
  return result;
}

/** Standard deviation of gray values below which a box is blank. */
const contrastMin = 6;

/** Normalized cross-correlation of two normalized boxes, −1 to 1. */
export function correlation(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
