import { expect, test } from "bun:test";
import { blockRows } from "../../../src/threats/index/columns/column-summary.ts";
import { topRows } from "../../../src/threats/index/selection/top-rows.ts";
import { randomFrom, seed } from "../../support/random.ts";

console.log(`seed ${seed} (TEST_SEED)`);
const random = randomFrom(seed);

test("topRows returns the same rows as sorting all of them, and skips blocks that cannot contribute", () => {
  const count = 5 * blockRows + 17;
  for (const spread of [0, 3, 1_000, 1_000_000]) {
    // Without a spread, nearly all keys are equal.
    const keys = Array.from({ length: count }, (_, row) =>
      spread === 0 ? +(row === 9_000) : row + random(spread),
    );
    const chosen = Array.from({ length: count }, () => random(3) > 0);
    const kept = keys.map((_, row) => row).filter((row) => chosen[row]);
    for (const ascending of [false, true]) {
      const sorted = kept.toSorted((a, b) => (ascending ? 1 : -1) * (keys[a]! - keys[b]! || a - b));
      const bounds = Float64Array.from({ length: 6 }, (_, block) => {
        const own = keys.slice(block * blockRows, (block + 1) * blockRows);
        // Bounds need not be reached.
        return ascending ? Math.min(...own) - random(2) * spread : Math.max(...own) + random(2) * spread;
      });
      for (const limit of [0, 1, 50, 7_000, kept.length + 10]) {
        let visited = 0;
        const matchesIn = (from: number, end: number) => {
          visited += end - from;
          return Int32Array.from(kept.filter((row) => row >= from && row < end));
        };
        const found = topRows({ count, bounds, matchesIn, keyOf: (row) => keys[row]!, limit, ascending });
        expect(found).toEqual(sorted.slice(0, limit));
        if (spread <= 3 && limit === 50) expect(visited).toBeLessThan(3 * blockRows);
      }
    }
  }
});
