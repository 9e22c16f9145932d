/** Compares the prefilter with the naive matcher, which scores every name against every word. */
import { expect, test } from "bun:test";
import { normalizeName } from "../../../src/engines/detection/names/name.ts";
import { createMatcher } from "../../../src/engines/detection/match/matcher.ts";

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

const protectedNames = [
  "paypal.com", "metamask.io", "wellsfargo.com", "smbc-card.com", "chase.com", "vk.com", "jcb.co.jp",
  "chain.link", "americanexpress.com", "bet365.com", "münchen-bank.de", "mufg.jp", "eposcard.co.jp",
  // Short and dictionary words.
  "ana.co.jp", "pump.fun", "gmail.com", "icloud.com", "office.com", "sushi.com", "online.de", "cash.app", "a-one.net",
].map((domain) => ({ domain, keywords: domain === "mufg.jp" ? ["krungsri"] : [], allow: [] })); // prettier-ignore

const options = { minSimilarity: 0.5 };
const fast = createMatcher(protectedNames, options);
const naive = createMatcher(protectedNames, { ...options, filter: false });
const encoder = new TextEncoder();

/** Returns whether a name passes the prefilter. */
function passes(bytes: Uint8Array): boolean {
  return (
    fast.screenNames({ bytes, starts: Int32Array.of(0), ends: Int32Array.of(bytes.length) }, 0, 1)[0] === 1
  );
}

/** Mulberry32: small, and the same everywhere. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomFrom(seed);
const below = (count: number): number => Math.floor(random() * count);
const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;

const brands = ["paypal", "metamask", "wellsfargo", "smbc-card", "chase", "vk", "jcb", "chainlink", "americanexpress",
  "bet365", "munchen-bank", "münchen-bank", "mufg", "krungsri", "eposcard", "epos", "paypalcom", "jcb-co-jp",
  "ana", "pump", "gmail", "icloud", "office", "sushi", "online", "cash", "cashapp", "a-one"]; // prettier-ignore
const beside = [
  "login",
  "secure",
  "my",
  "x",
  "kq",
  "7",
  "24",
  "-",
  "--",
  ".",
  "www",
  "",
  "",
  "",
  "abs",
  "online",
];
const suffixes = ["com", "net", "co.jp", "pages.dev", "top", "de", "io", "link"];
const swaps: readonly [string, string][] = [
  ["m", "rn"], ["m", "nn"], ["w", "vv"], ["d", "cl"], ["o", "0"], ["l", "1"], ["i", "l"], ["a", "à"], ["e", "е"],
  ["s", "5"], ["b", "8"], ["g", "q"], ["rn", "m"], ["cl", "d"], ["n", "ɲ"], ["o", "ɵ"], ["a", "4"],
]; // prettier-ignore

function mutate(text: string): string {
  const at = below(text.length + 1);
  const letter = pick(Array.from("abcdefghijklmnopqrstuvwxyz0123456789-_."));
  switch (below(7)) {
    case 0:
      return text.slice(0, at) + letter + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1);
    case 2:
      return text.slice(0, at) + letter + text.slice(at + 1);
    case 3:
      return text.slice(0, at) + (text[at + 1] ?? "") + (text[at] ?? "") + text.slice(at + 2);
    case 4:
      return text.slice(0, at) + pick(["-", ".", "_"]) + text.slice(at);
    default: {
      const [from, to] = pick(swaps);
      return text.replace(from, to);
    }
  }
}

function randomName(): string {
  let brand = pick(brands);
  for (let count = below(4); count > 0; count--) brand = mutate(brand);
  return `${pick(beside)}${pick(beside)}${brand}${pick(beside)}${pick(beside)}.${pick(suffixes)}`;
}

test(`the matches are the same with and without the prefilter (TEST_SEED=${seed})`, () => {
  let matched = 0;
  for (let round = 0; round < 3000; round++) {
    const name = randomName();
    const expected = naive.match(name);
    expect([name, fast.match(name)]).toEqual([name, expected]);
    if (expected.length === 0) continue;
    matched++;
    // Lists of names contain A-labels.
    const ascii = Array.from(name).every((character) => character < "\x80");
    const bytes = encoder.encode(ascii ? name : new URL(`http://${name}`).hostname);
    if (!passes(bytes)) throw new Error(`the prefilter rejects ${name}`);
  }
  expect(matched).toBeGreaterThan(600);
}, 60_000);

test(`text that is not a host name neither matches nor throws (TEST_SEED=${seed})`, () => {
  for (let round = 0; round < 10_000; round++) {
    const alphabet = round % 2 === 0 ? "abc019.-_x*" : undefined;
    const bytes = Uint8Array.from({ length: below(round % 3 === 0 ? 400 : 12) }, () =>
      alphabet === undefined ? below(256) : alphabet.charCodeAt(below(alphabet.length)),
    );
    const text = Buffer.from(bytes).toString("latin1");
    if (!passes(bytes)) expect(normalizeName(text)).toEqual({ name: text.toLowerCase() });
    fast.match(Buffer.from(bytes).toString("latin1"));
    fast.match(Buffer.from(bytes).toString("utf8"));
  }
});

test("typos in a brand of more than fifty letters are found", () => {
  const brand = "theverylongnameofacooperativesavingsbankwhichnobodytypes";
  const matcher = createMatcher([{ domain: `${brand}.com`, keywords: [], allow: [] }], options);
  for (const name of [brand.replace("oo", "o").replace("obo", "ob"), `a${brand.replace("very", "vary")}b`])
    expect(matcher.match(`${name}.top`)).toHaveLength(1);
});
