/** A rectangle in cells of the grid, from the top left. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Gray values of a picture, 0 to 255, row by row. Both pictures are scaled to this size. */
export const comparedSize = { width: 160, height: 100 };
/** Pixels on each side of a cell of the grid, in the scaled picture. */
const cellSide = 4;
export const gridSize = { columns: comparedSize.width / cellSide, rows: comparedSize.height / cellSide };

/** Differences of gray values up to this come from compression and from slight shades of a color. */
const sameGrayMax = 24;
/** Number of differing pixels, of 16, from which a cell differs. */
const differingPixelsMin = 2;
const regionsMax = 5;
/** Share of the cells from which the pages have so little in common that regions say nothing. */
const differentThroughoutFrom = 0.5;

export type Differences =
  | { kind: "alike" }
  | { kind: "different" }
  /** At most five, from top to bottom and left to right. */
  | { kind: "regions"; regions: Region[] };

/**
 * Finds the regions in which two pictures differ: the cells of a grid that differ are grouped with their neighbors, and
 * the nearest groups are merged until few enough are left.
 * @param one gray values of `comparedSize`
 * @param other gray values of `comparedSize`
 */
export function findDifferences(one: Uint8Array, other: Uint8Array): Differences {
  const cells = differingCells(one, other);
  if (cells.length === 0) return { kind: "alike" };
  if (cells.length >= differentThroughoutFrom * gridSize.columns * gridSize.rows)
    return { kind: "different" };
  let regions = cells;
  for (let merged = true; merged;) {
    merged = false;
    for (const region of regions) {
      const group = regions.filter((near) => near === region || touches(region, near));
      if (group.length === 1) continue;
      regions = [...regions.filter((far) => !group.includes(far)), union(group)];
      merged = true;
      break;
    }
  }
  while (regions.length > regionsMax) regions = mergeClosest(regions);
  return { kind: "regions", regions: regions.toSorted((a, b) => a.y - b.y || a.x - b.x) };
}

function differingCells(one: Uint8Array, other: Uint8Array): Region[] {
  const { columns, rows } = gridSize;
  const counts = new Uint8Array(columns * rows);
  const { width, height } = comparedSize;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (Math.abs((one[at] ?? 0) - (other[at] ?? 0)) > sameGrayMax)
        counts[Math.floor(y / cellSide) * columns + Math.floor(x / cellSide)]!++;
    }
  const cells: Region[] = [];
  for (const [index, count] of counts.entries())
    if (count >= differingPixelsMin)
      cells.push({ x: index % columns, y: Math.floor(index / columns), width: 1, height: 1 });
  return cells;
}

/** Returns whether at most one cell lies between two regions. */
function touches(a: Region, b: Region): boolean {
  const gapX = Math.max(a.x, b.x) - Math.min(a.x + a.width, b.x + b.width);
  const gapY = Math.max(a.y, b.y) - Math.min(a.y + a.height, b.y + b.height);
  return gapX <= 1 && gapY <= 1;
}

function union(regions: readonly Region[]): Region {
  const x = Math.min(...regions.map((one) => one.x));
  const y = Math.min(...regions.map((one) => one.y));
  return {
    x,
    y,
    width: Math.max(...regions.map((one) => one.x + one.width)) - x,
    height: Math.max(...regions.map((one) => one.y + one.height)) - y,
  };
}

/** Merges the two regions whose union adds the least area. An attacker's page can have more than a hundred. */
function mergeClosest(regions: readonly Region[]): Region[] {
  let pair: readonly Region[] = [];
  let least = Infinity;
  for (let index = 0; index < regions.length; index += 1)
    for (let next = index + 1; next < regions.length; next += 1) {
      const [one, other] = [regions[index]!, regions[next]!];
      const added = unionArea(one, other) - one.width * one.height - other.width * other.height;
      if (added >= least) continue;
      least = added;
      pair = [one, other];
    }
  return [...regions.filter((one) => !pair.includes(one)), union(pair)];
}

/** Returns the area of the union of two regions, without creating it. */
function unionArea(a: Region, b: Region): number {
  const width = Math.max(a.x + a.width, b.x + b.width) - Math.min(a.x, b.x);
  const height = Math.max(a.y + a.height, b.y + b.height) - Math.min(a.y, b.y);
  return width * height;
}
