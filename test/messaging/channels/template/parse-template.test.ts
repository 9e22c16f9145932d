import { expect, test } from "bun:test";
import { parseTemplate } from "../../../../src/messaging/channels/template/parse-template.ts";
import { randomFrom, seed } from "../../../support/random.ts";

const casesMax = 3_000;
const tokens =
  `{ } [ ] , : : " "a" "a" "a":1 "{{more}}" {{more}} {{more}} null true fals -1.5e3 01 1. \\n "\\n{"
"\\x" "\\u00e9" 'a'`.split(/\s/);

/** Returns an array or object with random contents, most of them valid, in which random tokens are then replaced. */
function randomTemplate(random: (below: number) => number): string {
  const value = (depth: number): string[] => {
    const kind = depth > 3 ? 2 + random(4) : random(6);
    const count = random(4);
    const list = (item: () => string[]) =>
      Array.from({ length: count }, item).flatMap((one, index) => (index === 0 ? one : [",", ...one]));
    if (kind === 0) return ["[", ...list(() => value(depth + 1)), "]"];
    if (kind === 1) return ["{", ...list(() => ['"a{{more}}"', ":", ...value(depth + 1)]), "}"];
    return [["{{more}}", '"x {{more}} y"', "12", "null"][kind - 2]!];
  };
  const whole = value(0);
  for (let faults = random(3); faults > 0; faults -= 1)
    whole.splice(random(whole.length + 1), random(2), tokens[random(tokens.length)]!);
  return whole.join(" ");
}

function accepts(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

test("a template is accepted exactly if it is JSON with numbers in place of the values", () => {
  console.log(`TEST_SEED=${seed}`);
  const random = randomFrom(seed);
  let accepted = 0;
  for (let index = 0; index < casesMax; index += 1) {
    const template = randomTemplate(random);
    const isJson = accepts(() => JSON.parse(template.replaceAll("{{more}}", "7")));
    const isAccepted = accepts(() => parseTemplate(template, { more: { text: true } }));
    expect({ template, isAccepted }).toEqual({ template, isAccepted: isJson });
    if (isAccepted) accepted += 1;
  }
  expect(accepted).toBeGreaterThan(casesMax / 5);
  expect(accepted).toBeLessThan(casesMax * 0.9);
});
