import { expect, test } from "bun:test";
import { selectRows } from "../../../src/threats/index/selection/select-rows.ts";
import { randomFrom, seed } from "../../support/random.ts";

console.log(`seed ${seed} (TEST_SEED)`);
const random = randomFrom(seed);

test("selectRows returns the same slice as sorting all rows, for keys of any distribution", () => {
  const count = 150_000;
  const shapes: ((index: number) => number)[] = [
    (index) => index * 1000 + random(100_000),
    () => random(20) * 2 ** 36 + random(2 ** 20),
    () => 7,
    (index) => (index === 5 ? 0 : 1.7e12 + random(1000)),
    (index) => (index % 73 === 0 ? random(10) : 1e6 + random(1e6)),
  ];
  for (const shape of shapes) {
    const keys = Float64Array.from({ length: count }, (_, index) => shape(index));
    const sorted = Array.from({ length: count }, (_, row) => row).sort(
      (a, b) => keys[b]! - keys[a]! || b - a,
    );
    for (const offset of [0, 49, random(count), count - 20, count]) {
      const all = Int32Array.from({ length: count }, (_, row) => row);
      const selected = selectRows({ rows: all, keys: keys.slice(), count, offset, limit: 50 });
      expect(selected).toEqual(sorted.slice(offset, offset + 50));
    }
  }
});
