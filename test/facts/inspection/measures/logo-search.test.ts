import { expect, test } from "bun:test";
import {
  areaSums,
  correlation,
  normalizedBox,
  type GrayPicture,
} from "../../../../src/facts/inspection/measures/gray-picture.ts";
import {
  locateLogo,
  logoTemplate,
  searchedPicture,
} from "../../../../src/facts/inspection/measures/logo-search.ts";
import { randomFrom, seed } from "../../../support/random.ts";

console.log(`seed of pages: ${seed} (repeat with TEST_SEED=${seed})`);

test("a logo is located at any size, in other colors and on a dark header, among words and boxes", () => {
  const random = randomFrom(seed);
  let found = 0;
  const rounds = 24;
  for (let round = 0; round < rounds; round += 1) {
    const logo = randomLogo(random, 96 + random(64), 24 + random(40));
    const page = blankPage(240 + random(15));
    for (let word = 0; word < 25; word += 1) drawWord(page, random, 10 + random(450), 90 + random(280));
    const height = 16 + random(50);
    const width = Math.round((height * logo.width) / logo.height);
    const [x, y] = [random(400), random(10)];
    const isDark = round % 3 === 0;
    if (isDark) fill(page, 0, 0, page.width, 85, 30);
    draw(page, logo, { x, y, width, height }, (value) => (isDark ? 255 - value : value));
    const place = locateLogo(searchedPicture(page), logoTemplate(logo)!);
    if (place === undefined || place.correlation < 0.8) continue;
    expect(Math.abs(place.x - x) + Math.abs(place.y - y)).toBeLessThan(16);
    found += 1;
  }
  expect(found).toBeGreaterThanOrEqual(rounds - 5);
});

test("a page without the logo never correlates with it as a logo does", () => {
  const random = randomFrom(seed + 1);
  for (let round = 0; round < 20; round += 1) {
    const page = blankPage(250);
    for (let word = 0; word < 40; word += 1) drawWord(page, random, 10 + random(450), 10 + random(360));
    draw(page, randomLogo(random, 120, 40), { x: 20, y: 10, width: 120, height: 40 }, (value) => value);
    const other = logoTemplate(randomLogo(random, 120, 40))!;
    expect(locateLogo(searchedPicture(page), other)?.correlation ?? 0).toBeLessThan(0.8);
  }
});

test("the correlation of normalized boxes is that of Pearson", () => {
  const random = randomFrom(seed + 2);
  for (let round = 0; round < 50; round += 1) {
    const [one, other] = [noise(random), noise(random)];
    const box = { x: 0, y: 0, width: 32, height: 16 };
    const fast = correlation(normalizedBox(areaSums(one), box)!, normalizedBox(areaSums(other), box)!);
    expect(fast).toBeCloseTo(pearson(one.gray, other.gray), 4);
  }
});

test("a blank logo cannot be searched, and a blank page contains none", () => {
  expect(logoTemplate(blankPage(255))).toBeUndefined();
  const logo = logoTemplate(randomLogo(randomFrom(seed), 100, 30))!;
  expect(locateLogo(searchedPicture(blankPage(128)), logo)).toBeUndefined();
});

function blankPage(value: number): GrayPicture {
  return { width: 640, height: 400, gray: new Uint8Array(640 * 400).fill(value) };
}

function fill(page: GrayPicture, x: number, y: number, width: number, height: number, value: number): void {
  for (let row = y; row < y + height && row < page.height; row += 1)
    page.gray.fill(value, row * page.width + x, row * page.width + Math.min(page.width, x + width));
}

/** A mark on the left and strokes on the right, like letters, dark on white. */
function randomLogo(random: (below: number) => number, width: number, height: number): GrayPicture {
  const logo: GrayPicture = { width, height, gray: new Uint8Array(width * height).fill(255) };
  fill(logo, 0, 0, height, height, 20 + random(80));
  fill(logo, random(height >> 1), random(height >> 1), height >> 2, height >> 1, 230);
  for (let x = height + 4; x < width - 5; x += 5 + random(8)) {
    const top = random(height >> 1);
    fill(logo, x, top, 2 + random(5), height - top - random(height >> 2), random(90));
  }
  fill(logo, width - 3, 0, 3, height, 40);
  return logo;
}

function drawWord(page: GrayPicture, random: (below: number) => number, x: number, y: number): void {
  const height = 6 + random(12);
  for (let at = x, letters = 3 + random(9); letters > 0; letters -= 1, at += 4 + random(4))
    fill(page, at, y + random(4), 1 + random(3), height - random(4), random(120));
}

function draw(
  page: GrayPicture,
  logo: GrayPicture,
  at: { x: number; y: number; width: number; height: number },
  color: (value: number) => number,
): void {
  // A margin, as designers leave one.
  for (let y = 0; y < at.height; y += 1)
    for (let x = 0; x < at.width; x += 1) {
      const from =
        Math.floor((y * logo.height) / at.height) * logo.width + Math.floor((x * logo.width) / at.width);
      page.gray[(at.y + y) * page.width + at.x + x] = color(logo.gray[from]!);
    }
}

function noise(random: (below: number) => number): GrayPicture {
  return { width: 32, height: 16, gray: Uint8Array.from({ length: 512 }, () => random(256)) };
}

function pearson(one: Uint8Array, other: Uint8Array): number {
  const mean = (values: Uint8Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [a, b] = [mean(one), mean(other)];
  let [product, first, second] = [0, 0, 0];
  for (let index = 0; index < one.length; index += 1) {
    product += (one[index]! - a) * (other[index]! - b);
    first += (one[index]! - a) ** 2;
    second += (other[index]! - b) ** 2;
  }
  return product / Math.sqrt(first * second);
}
