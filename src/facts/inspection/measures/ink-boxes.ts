import type { Box, GrayPicture } from "./gray-picture.ts";

/** Difference of neighboring gray values from which there is an edge. */
const edgeMin = 20;
/** Gaps in pixels that are closed: letters of a word, a mark and the word next to it, lines of a logo. */
const gaps = [2, 5, 9, 14, 22];
const boxesPerGapMax = 250;
const sizeMin = { width: 14, height: 7 };
const sizeMax = { width: 420, height: 220 };

/**
 * Finds what stands apart on a page, such as words, buttons, pictures and logos: the bounding boxes of edges that are
 * closer to each other than a gap, for several gaps. Edges are the same on light and dark backgrounds.
 */
export function inkBoxes(picture: GrayPicture): Box[] {
  const edges = edgesOf(picture);
  const found = new Map<string, Box>();
  for (const gap of gaps)
    for (const box of groups(edges, picture, gap))
      found.set(`${box.x} ${box.y} ${box.width} ${box.height}`, box);
  return [...found.values()];
}

/** Returns the box of everything that stands out, so that a margin around a logo does not matter. */
export function trimmedBox(picture: GrayPicture): Box | undefined {
  const edges = edgesOf(picture);
  let [left, top, right, bottom] = [picture.width, picture.height, -1, -1];
  for (let y = 0; y < picture.height; y += 1)
    for (let x = 0; x < picture.width; x += 1)
      if (edges[y * picture.width + x] === 1) {
        [left, right] = [Math.min(left, x), Math.max(right, x)];
        [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
      }
  return right < left ? undefined : within({ left, top, right, bottom });
}

/** The outermost edge pixels belong to the background. */
function within({ left, top, right, bottom }: Record<"left" | "top" | "right" | "bottom", number>): Box {
  return {
    x: left + 1,
    y: top + 1,
    width: Math.max(1, right - left - 1),
    height: Math.max(1, bottom - top - 1),
  };
}

/** 1 for each of two neighbors that differ. */
function edgesOf({ width, height, gray }: GrayPicture): Uint8Array {
  const edges = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = y * width + x;
      if (x > 0 && Math.abs((gray[at] ?? 0) - (gray[at - 1] ?? 0)) >= edgeMin) edges[at] = edges[at - 1] = 1;
      if (y > 0 && Math.abs((gray[at] ?? 0) - (gray[at - width] ?? 0)) >= edgeMin)
        edges[at] = edges[at - width] = 1;
    }
  return edges;
}

/** Groups edges by the runs of their rows: a run continues over gaps, and joins runs of the rows above that it reaches. */
function groups(edges: Uint8Array, { width, height }: GrayPicture, gap: number): Box[] {
  const parents: number[] = [];
  const runs: { from: number; to: number; y: number }[] = [];
  const rootOf = (index: number): number => {
    let root = index;
    while (parents[root] !== root) root = parents[root] ?? 0;
    for (let next = index; next !== root;) [next, parents[next]] = [parents[next] ?? 0, root];
    return root;
  };
  /** First run of each row. */
  const starts: number[] = [];
  for (let y = 0; y < height; y += 1) {
    starts.push(runs.length);
    let from = -1;
    let last = -1;
    const close = () => {
      if (from < 0) return;
      parents.push(runs.length);
      runs.push({ from, to: last, y });
    };
    for (let x = 0; x < width; x += 1) {
      if (edges[y * width + x] !== 1) continue;
      if (last >= 0 && x - last > gap) {
        close();
        from = x;
      } else if (from < 0) from = x;
      last = x;
    }
    close();
    const above = starts[Math.max(0, y - Math.max(1, gap >> 1))] ?? 0;
    for (let index = starts[y] ?? 0; index < runs.length; index += 1)
      for (let other = above; other < (starts[y] ?? 0); other += 1) {
        const [one, upper] = [runs[index]!, runs[other]!];
        if (upper.from - gap <= one.to && one.from - gap <= upper.to) parents[rootOf(index)] = rootOf(other);
      }
  }
  const boxes = new Map<number, { left: number; top: number; right: number; bottom: number }>();
  for (const [index, { from, to, y }] of runs.entries()) {
    const root = rootOf(index);
    const box = boxes.get(root);
    if (box === undefined) boxes.set(root, { left: from, top: y, right: to, bottom: y });
    else {
      box.left = Math.min(box.left, from);
      box.right = Math.max(box.right, to);
      box.bottom = Math.max(box.bottom, y);
    }
  }
  return [...boxes.values()]
    .map(within)
    .filter(
      (box) =>
        box.width >= sizeMin.width &&
        box.height >= sizeMin.height &&
        box.width <= sizeMax.width &&
        box.height <= sizeMax.height,
    )
    .sort((one, other) => one.y - other.y)
    .slice(0, boxesPerGapMax);
}
