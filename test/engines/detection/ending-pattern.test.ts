/** Compares the scoring of whole protected names with and without the pattern that rejects texts early. */
import { expect, test } from "bun:test";
import { brandWordsOf } from "../../../src/engines/detection/brand/brand-words.ts";
import { readHost } from "../../../src/engines/detection/names/host.ts";
import { createAligner } from "../../../src/engines/detection/alignment/alignment.ts";
import { acceptanceRules } from "../../../src/engines/detection/score/rules.ts";
import { scoreName } from "../../../src/engines/detection/score/score-name.ts";
import { randomFrom, seed } from "../../support/random.ts";

const textCount = 300;

test.each([
  [
    "paypal.com",
    "paypal",
    ["com", "c0m", "corn", "conn", "xorn", "c-om", "c.o-m", "x-om", "co--m", "com-", "cm"],
  ],
  ["smbc-card.co.jp", "smbc-card", ["co.jp", "cojp", "co-jp", "co.j-p", "c0jp", "co.jpx", "coj", "coxp"]],
  ["eposcard.cloud", "eposcard", ["cloud", "doud", "c1oud", "clou-d", "cloucl", "xloucl", "c-loud", "loud"]],
])("the ending pattern of %s rejects no text in which the whole name is found", (domain, label, endings) => {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
  const word = brandWordsOf({ domain, keywords: [], allow: [] }).find(({ ending }) => ending !== undefined)!;
  const { ending: _, ...always } = word;
  const scored = {
    aligner: createAligner(),
    accept: () => acceptanceRules[0],
    suffix: domain.slice(domain.indexOf(".") + 1),
  };
  let found = 0;
  for (let i = 0; i < textCount; i++) {
    const name = [
      pick(["", "my", "x-", "login."]),
      label,
      pick(["", "-", ".", "s"]),
      pick(endings),
      pick(["", "-login", "q", ".qx"]),
    ];
    for (const host of readHost(`${name.join("")}.net`)) {
      const [early, full] = [word, always].map((one) =>
        scoreName({ ...scored, host, word: one, minSimilarity: 0 }).map(
          ({ start, end, similarity }) => `${host.text.slice(start, end)} at ${start}: ${similarity}`,
        ),
      );
      expect([seed, host.name, early]).toEqual([seed, host.name, full]);
      found += full!.length;
    }
  }
  expect(found).toBeGreaterThan(textCount / 10);
  expect(word.ending!.test("qxqx")).toBe(false);
});
