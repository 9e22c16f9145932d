import { expect, test } from "bun:test";
import { createMatcher, type Matcher } from "../../../src/engines/detection/match/matcher.ts";
import { normalizeName } from "../../../src/engines/detection/names/name.ts";

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Mulberry32. */
function createRandom(state: number): (below: number) => number {
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Returns whether the bytes from `start` to before `end` pass the prefilter. */
function passes({ screenNames }: Matcher, bytes: Uint8Array, start = 0, end = bytes.length): boolean {
  return screenNames({ bytes, starts: Int32Array.of(start), ends: Int32Array.of(end) }, 0, 1)[0] === 1;
}

/** Matches no name of this test. */
const unrelated = createMatcher([{ domain: "qqzzqqzz.example", keywords: [], allow: [] }], {
  minSimilarity: 0.75,
});
const plain = (text: string) => !passes(unrelated, bytesOf(text));

test.each<[string, boolean]>([
  ["a.com", true],
  ["A-b_c.9x.Example", true],
  [`${"a".repeat(63)}.com`, true],
  [`${"a".repeat(64)}.com`, false],
  [`a.${"b".repeat(64)}`, false],
  [`${"a.".repeat(125)}com`, true],
  [`${"a.".repeat(126)}com`, false],
  ["com", false],
  ["", false],
  [".", false],
  ["a..com", false],
  [".a.com", false],
  ["a.com.", false],
  ["*.a.com", false],
  ["1.2.3.4", false],
  ["a.0x7f", false],
  ["a b.com", false],
  ["bücher.com", false],
  // A-labels, well-formed and not.
  ["xn--bcher-kva.com", true],
  ["a.XN--BCHER-KVA.com", true],
  ["xn--.com", true],
  ["xn--99999999.com", true],
  ["xn--abc-.com", true],
  ["a\0.com", false],
])("%j is recognized as a plain host name: %p", (text, expected) => {
  expect(plain(text)).toBe(expected);
});

test("the prefilter decodes an A-label to each of its readings", () => {
  const matcher = createMatcher([{ domain: "example-bank.com", keywords: [], allow: [] }], {
    minSimilarity: 0.75,
  });
  const kept = (name: string) => passes(matcher, bytesOf(name));
  const encoded = (label: string) => new URL(`http://${label}.top`).hostname;
  expect(kept(encoded("ехаmрlе-bаnk"))).toBeTrue();
  expect(kept(encoded("exampłe-bank").toUpperCase())).toBeTrue();
  // ɵ is an o first, and an e to others.
  expect(kept(encoded("ɵxamplɵ-bank"))).toBeTrue();
  expect(kept(encoded("eine-ganz-andere-bücherei"))).toBeFalse();
});

test("the prefilter rejects only valid names, and reads only the given range of bytes", () => {
  console.error(`seed ${seed} (TEST_SEED)`);
  const random = createRandom(seed);
  const alphabet = "aZ09-_..x*: \0ü\u202e@[";
  let plainOnes = 0;
  for (let round = 0; round < 50_000; round++) {
    const text = Array.from({ length: random(14) }, () => alphabet[random(alphabet.length)]).join("");
    if (!plain(text)) continue;
    plainOnes++;
    expect(normalizeName(text)).toEqual({ name: text.toLowerCase() });
    const framed = bytesOf(`xx.${text}.yy`);
    expect(!passes(unrelated, framed, 3, 3 + text.length)).toBeTrue();
  }
  expect(plainOnes).toBeGreaterThan(50);
});

test("a name that the prefilter rejects does not match", () => {
  console.error(`seed ${seed} (TEST_SEED)`);
  const random = createRandom(seed);
  const brands = ["example-bank.com", "paypal.com", "ledger.com"];
  const matcher = createMatcher(
    brands.map((domain) => ({ domain, keywords: [], allow: [] })),
    { minSimilarity: 0.5 },
  );
  let screenedOut = 0;
  for (let round = 0; round < 20_000; round++) {
    const letters = [...brands[random(brands.length)]!.replace(/\.com$/, "")];
    for (let edits = random(8); edits > 0; edits--)
      letters.splice(random(letters.length), random(2), "abcdefghijklmnopqrstuvwxyz01-."[random(30)]!);
    let text = `${letters.join("")}.${["com", "net", "evil.top"][random(3)]}`;
    if (random(4) === 0) text = text.toUpperCase();
    const bytes = bytesOf(text);
    if (passes(matcher, bytes)) continue;
    screenedOut++;
    expect({ text, matches: matcher.match(text) }).toEqual({ text, matches: [] });
  }
  expect(screenedOut).toBeGreaterThan(300);
});

test("the prefilter passes the same names of a list as on their own", () => {
  console.error(`seed ${seed} (TEST_SEED)`);
  const random = createRandom(seed);
  const matcher = createMatcher([{ domain: "example-bank.com", keywords: ["ebk"], allow: [] }], {
    minSimilarity: 0.75,
  });
  const parts = [
    "example",
    "bank",
    "exarnp1e",
    "ebk",
    "-",
    ".",
    "7",
    "a",
    "zq",
    "ü",
    "xn--exmple-bank-n8a",
    "x".repeat(60),
  ];
  const texts = Array.from(
    { length: 3000 },
    () => Array.from({ length: random(6) }, () => parts[random(parts.length)]!).join("") + ".com",
  );
  const bytes = bytesOf(texts.join("\n"));
  const lengths = texts.map((text) => bytesOf(text).length);
  const ends = Int32Array.from(lengths);
  for (let i = 1; i < ends.length; i++) ends[i]! += ends[i - 1]! + 1;
  const starts = ends.map((end, i) => end - lengths[i]!);
  const passed = Array.from(matcher.screenNames({ bytes, starts, ends }, 10, 3000));
  const passing = (list: readonly unknown[]) => texts.filter((_, i) => i >= 10 && list[i] === 1);
  const alone = texts.map((text) => Number(passes(matcher, bytesOf(text))));
  expect(passing(passed)).toEqual(passing(alone));
  expect(passing(passed).length).toBeGreaterThan(300);
  expect(passing(passed).length).toBeLessThan(2700);
});
