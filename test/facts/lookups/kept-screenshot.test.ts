import { expect, test } from "bun:test";
import { grayPixels } from "../../../src/facts/lookups/page/gray-pixels.ts";
import { keptScreenshot } from "../../../src/facts/inspection/open-inspection.ts";
import { webpOf } from "../../support/pictures.ts";

const width = 1_280;
const height = 800;
/** Rows of text are as fine as these stripes; the lower half is darker. */
const screenshot = await webpOf(width, height, (x, y) => (x % 16 < 8 ? 255 : y < 400 ? 120 : 0));

/** Largest difference between neighbors in a row of the upper half. */
async function finest(image: Uint8Array): Promise<number> {
  const gray = await grayPixels(image, 640, 400);
  const row = gray.subarray(640 * 50, 640 * 51);
  return Math.max(...Array.from(row.subarray(1), (value, index) => Math.abs(value - row[index]!)));
}

test("a blurred screenshot shows the layout, but nothing as fine as text", async () => {
  expect(await finest(screenshot)).toBeGreaterThan(60);
  const blurred = (await keptScreenshot(screenshot, "blurred"))!;
  expect(await finest(blurred)).toBeLessThan(12);
  const halves = await grayPixels(blurred, 1, 2);
  expect(halves[0]! - halves[1]!).toBeGreaterThan(30);
});

test("a full screenshot is kept as it is, and nothing if only fingerprints are kept", async () => {
  expect(await keptScreenshot(screenshot, "full")).toBe(screenshot);
  expect(await keptScreenshot(screenshot, "fingerprints")).toBeUndefined();
});
