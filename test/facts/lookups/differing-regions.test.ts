import { describe, expect, test } from "bun:test";
import { grayPixels } from "../../../src/facts/lookups/page/gray-pixels.ts";
import {
  comparedSize,
  findDifferences,
  type Region,
} from "../../../src/facts/lookups/pictures/differing-regions.ts";
import { thumbnailOf } from "../../../src/facts/enrichment/pictures/picture-views.ts";
import { webpOf } from "../../support/pictures.ts";

const { width, height } = comparedSize;
const blank = new Uint8Array(width * height).fill(240);

/** A picture with black rectangles, in cells of the grid. */
function withBoxes(...boxes: Region[]): Uint8Array {
  const picture = blank.slice();
  for (const box of boxes)
    for (let y = box.y * 4; y < (box.y + box.height) * 4; y++)
      picture.fill(0, y * width + box.x * 4, y * width + (box.x + box.width) * 4);
  return picture;
}

describe("differing regions", () => {
  test("are none for the same picture and for slight shades", () => {
    expect(findDifferences(blank, blank)).toEqual({ kind: "alike" });
    expect(
      findDifferences(
        blank,
        blank.map((gray) => gray - 20),
      ),
    ).toEqual({ kind: "alike" });
  });

  test("are none for pictures that differ throughout", () => {
    expect(findDifferences(blank, new Uint8Array(width * height))).toEqual({ kind: "different" });
  });

  test("are the rectangles that differ, from the top", () => {
    const boxes = [
      { x: 2, y: 1, width: 6, height: 2 },
      { x: 20, y: 8, width: 10, height: 3 },
    ];
    expect(findDifferences(blank, withBoxes(...boxes.toReversed()))).toEqual({
      kind: "regions",
      regions: boxes,
    });
  });

  test("join what is at most one cell apart", () => {
    const differences = findDifferences(
      blank,
      withBoxes({ x: 2, y: 1, width: 2, height: 1 }, { x: 5, y: 1, width: 2, height: 2 }),
    );
    expect(differences).toEqual({ kind: "regions", regions: [{ x: 2, y: 1, width: 5, height: 2 }] });
  });

  test("are at most five, the closest ones joined", () => {
    const boxes = Array.from({ length: 8 }, (_, index) => ({
      x: index * 5,
      y: 3 * index,
      width: 1,
      height: 1,
    }));
    const found = findDifferences(withBoxes(...boxes), blank);
    if (found.kind !== "regions") throw new Error(found.kind);
    expect(found.regions).toHaveLength(5);
    for (const box of boxes)
      expect(
        found.regions.some(
          (one) =>
            one.x <= box.x && one.y <= box.y && one.x + one.width > box.x && one.y + one.height > box.y,
        ),
      ).toBe(true);
  });

  test("of two screenshots are where they differ", async () => {
    const draw = (mark: number) => (x: number, y: number) =>
      x >= 320 && x < 640 && y >= 160 && y < 256 ? mark : 200;
    const [one, other] = await Promise.all(
      [40, 200].map(async (mark) => grayPixels(await webpOf(1280, 800, draw(mark)), width, height)),
    );
    expect(findDifferences(one!, other!)).toEqual({
      kind: "regions",
      regions: [{ x: 10, y: 5, width: 10, height: 3 }],
    });
  });
});

test("A thumbnail is a small WebP that is never enlarged", async () => {
  const sizes = [1280, 96].map(async (side) => {
    const webp = await thumbnailOf(
      (await webpOf(side, Math.round(side * 0.625), (x) => x % 200)) as Uint8Array<ArrayBuffer>,
    );
    const { width: wide, height: high, format } = await new Bun.Image(webp).metadata();
    return `${format} ${wide}x${high}`;
  });
  expect(await Promise.all(sizes)).toEqual(["webp 224x140", "webp 96x60"]);
});
