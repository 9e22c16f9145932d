import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// WCAG 2.2: 1.4.3 (text) and 1.4.11 (graphics, borders of controls, focus).
const textMin = 4.5;
const graphicMin = 3;

const styles = join(import.meta.dir, "../../../src/web/console/styles");
const tokens = readFileSync(join(styles, "tokens.css"), "utf8");
const roles = new Map(
  [...tokens.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name, light, dark]) => [name!, { light: light!, dark: dark! }],
  ),
);

const grounds = ["surface", "chrome", "sunken", "raised", "hover"];
const tones = ["high", "medium", "low", "good"];
const cross = (inks: readonly string[], behind: readonly string[]) =>
  inks.flatMap((ink) => behind.map((ground) => [ink, ground] as const));

/** Pairs of roles that occur in the pages. */
const textPairs = [
  ...cross(["text", "text-2", "text-3"], [...grounds, "chosen", "accent-soft"]),
  ...cross(["accent-text", ...tones.map((tone) => `${tone}-text`)], grounds),
  ...cross(["accent-text"], ["accent-soft", "chosen"]),
  ...cross(["high-text", "medium-text"], ["accent-soft"]),
  ...tones.map((tone) => [`${tone}-text`, `${tone}-soft`] as const),
  ...cross(["text", "text-2"], ["high-soft"]),
  ...cross(["on-solid"], ["accent", "accent-hover", "high-fill"]),
  ...cross(["heat-ink"], ["heat-0", "heat-1", "heat-2", "heat-3"]),
  ...cross(["heat-ink-2"], ["heat-4", "heat-5"]),
];
const fills = tones.map((tone) => `${tone}-fill`);
const graphicPairs = [
  ...cross(["accent", "focus", "control", "accent-line", ...fills], ["surface", "chrome", "raised"]),
  ...cross(["focus"], ["sunken", "accent-soft"]),
  ...cross(["high-fill"], ["accent-soft", "high-soft"]),
  ...cross(["high-fill", "medium-fill", "good-fill"], ["sunken"]),
];

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

function tooLow(pairs: readonly (readonly [string, string])[], min: number): string[] {
  return pairs.flatMap(([ink, ground]) =>
    (["light", "dark"] as const).flatMap((theme) => {
      const value = contrast(roles.get(ink)![theme], roles.get(ground)![theme]);
      return value >= min ? [] : [`${ink} on ${ground}, ${theme}: ${value.toFixed(2)}`];
    }),
  );
}

test("the contrast of black on white is 21:1, and that of a color on itself 1:1", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#3b4cca", "#3b4cca")).toBe(1);
});

test("every text can be read on the grounds that it stands on, in the light and the dark theme", () => {
  expect(textPairs.length).toBeGreaterThan(60);
  expect(tooLow(textPairs, textMin)).toEqual([]);
});

test("every graphic, border of a control and focus ring stands out from its ground, in both themes", () => {
  expect(graphicPairs.length).toBeGreaterThan(30);
  expect(tooLow(graphicPairs, graphicMin)).toEqual([]);
});

test("no style sheet has a color of its own, except for marks on screenshots, which look the same in both themes", () => {
  const colors = readdirSync(styles)
    .filter((name) => name.endsWith(".css") && name !== "tokens.css")
    .flatMap((name) =>
      readFileSync(join(styles, name), "utf8")
        .split("\n")
        .flatMap((line) =>
          [...line.matchAll(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/g)].map(([color]) => color),
        ),
    );
  expect([...new Set(colors)].toSorted()).toEqual(["#000", "#3b4cca", "#bf2c23", "#fff"]);
});
