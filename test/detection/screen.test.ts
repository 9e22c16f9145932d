import { expect, test } from "bun:test";
import { createMatcher } from "../../src/detection/match/matcher.ts";
import { normalizeName } from "../../src/detection/names/name.ts";

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
/** Matches no name of this test. */
const unrelated = createMatcher([{ domain: "qqzzqqzz.example", keywords: [], allow: [] }], {
  minSimilarity: 0.75,
});
const plain = (text: string) => !unrelated.screen(bytesOf(text), 0, bytesOf(text).length);

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
  const kept = (name: string) => matcher.screen(bytesOf(name), 0, bytesOf(name).length);
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
    expect(!unrelated.screen(framed, 3, 3 + text.length)).toBeTrue();
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
    if (matcher.screen(bytes, 0, bytes.length)) continue;
    screenedOut++;
    expect({ text, matches: matcher.match(text) }).toEqual({ text, matches: [] });
  }
  expect(screenedOut).toBeGreaterThan(300);
});
