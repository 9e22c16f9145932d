import { describe, expect, test } from "bun:test";
import { grayPixels } from "../../../src/facts/lookups/page/gray-pixels.ts";
import {
  hashSide,
  perceptualHash,
  visualSimilarity,
} from "../../../src/facts/lookups/page/perceptual-hash.ts";
import { looksLikeOriginal } from "../../../src/threats/threats/severity/phishing-page.ts";
import { bitmap } from "../../support/pictures.ts";

type Draw = (x: number, y: number) => number;

const pixels = (draw: Draw) =>
  Float64Array.from({ length: hashSide * hashSide }, (_, at) =>
    draw(at % hashSide, Math.floor(at / hashSide)),
  );
const page: Draw = (x, y) => {
  if (y < 4) return x < 7 ? 90 : 30;
  if (x > 4 && x < 17 && y > 8 && y < 22) return y % 5 === 0 ? 120 : 180;
  return y > 27 ? 60 : 240 - x;
};
/** Begins each scan of a JPEG. */
const scanStart = Buffer.from([0xff, 0xda]);
const otherPage: Draw = (x, y) => (x < 10 ? 60 : y % 6 < 3 ? 250 : 120);

describe("perceptual hash", () => {
  test("each bit compares one of the 64 lowest frequencies with their median, as defined by the transform", () => {
    const seed = Number(process.env["TEST_SEED"] ?? 20260115);
    console.info(`seed ${seed} (TEST_SEED)`);
    let state = seed;
    const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
    for (let round = 0; round < 5; round++) {
      const gray = pixels(() => Math.floor(random() * 256));
      expect(perceptualHash(gray)).toBe(plainHash(gray));
    }
  });

  test("the hash hardly changes with brightness and small details, and differs between pages", () => {
    const hash = perceptualHash(pixels(page))!;
    const brighter = perceptualHash(pixels((x, y) => page(x, y) + 10))!;
    const detailed = perceptualHash(pixels((x, y) => (x === 25 && y === 25 ? 180 : page(x, y))))!;
    const other = perceptualHash(pixels(otherPage))!;
    expect(visualSimilarity(hash, hash)).toBe(1);
    expect(visualSimilarity(hash, brighter)).toBe(1);
    expect(looksLikeOriginal({ visualSimilarity: visualSimilarity(hash, detailed) })).toBe(true);
    expect(looksLikeOriginal({ visualSimilarity: visualSimilarity(hash, other) })).toBe(false);
  });

  test("a blank page has no hash, because all blank pages are alike", () => {
    expect(perceptualHash(pixels(() => 255))).toBeUndefined();
    expect(perceptualHash(pixels((x) => 250 + (x % 2)))).toBeUndefined();
  });

  test("the similarity counts differing bits", () => {
    expect(visualSimilarity("0000000000000000", "ffffffffffffffff")).toBe(0);
    expect(visualSimilarity("0000000000000000", "00000000000000ff")).toBe(0.75);
  });
});

describe("gray pixels", () => {
  test("gray values match the image", async () => {
    const image = bitmap(hashSide, hashSide, page);
    expect(Array.from(await grayPixels(image, hashSide))).toEqual(Array.from(pixels(page)));
  });

  test("a larger image in another format has a similar hash", async () => {
    const large = bitmap(1280, 800, (x, y) => page(Math.floor(x / 40), Math.floor(y / 25)));
    const webp = await new Bun.Image(large as Uint8Array<ArrayBuffer>).webp({ quality: 70 }).bytes();
    const hash = perceptualHash(await grayPixels(webp, hashSide))!;
    expect(visualSimilarity(hash, perceptualHash(pixels(page))!)).toBeGreaterThan(0.9);
  });

  test("bytes that are not an image are rejected", async () => {
    await expect(grayPixels(Buffer.from("<html>"), hashSide)).rejects.toThrow();
  });

  test("a JPEG whose many scans would take long to decode is rejected", async () => {
    const jpeg = Buffer.from(await new Bun.Image(bitmap(hashSide, hashSide, page)).jpeg().bytes());
    const withScans = (count: number) => {
      const scan = jpeg.subarray(jpeg.indexOf(scanStart), -2);
      return Buffer.concat([
        jpeg.subarray(0, -2),
        ...Array.from({ length: count - 1 }, () => scan),
        jpeg.subarray(-2),
      ]);
    };
    expect(await grayPixels(jpeg, hashSide)).toHaveLength(hashSide ** 2);
    await expect(grayPixels(withScans(65), hashSide)).rejects.toThrow("more than 64 scans");
  });
});

/** Naive implementation of the definition. */
function plainHash(gray: ArrayLike<number>): string {
  const coefficients: number[] = [];
  for (let v = 0; v < 8; v++)
    for (let u = 0; u < 8; u++) {
      let sum = 0;
      for (let y = 0; y < 32; y++)
        for (let x = 0; x < 32; x++)
          sum +=
            gray[y * 32 + x]! *
            Math.cos(((2 * x + 1) * u * Math.PI) / 64) *
            Math.cos(((2 * y + 1) * v * Math.PI) / 64);
      coefficients.push(sum);
    }
  const median = coefficients.slice(1).sort((a, b) => a - b)[31]!;
  const bits = coefficients.map((coefficient) => (coefficient > median ? "1" : "0")).join("");
  return BigInt(`0b${bits}`).toString(16).padStart(16, "0");
}
