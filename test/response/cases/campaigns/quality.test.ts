import { expect, test } from "bun:test";
import { createGrouping } from "../../../../src/response/cases/grouping/grouping.ts";
import { traitsOf } from "../../../../src/response/cases/campaigns/traits.ts";
import { campaignKinds, campaignWorld, countPairs } from "../../../support/campaign-world.ts";

test("synthetic campaigns are found among ten times as many other threats, which are not joined", () => {
  const world = campaignWorld({ count: 10_000, seed: 1 });
  const grouping = createGrouping();
  for (const threat of world.threats) for (const _step of grouping.apply(threat.seq, traitsOf(threat)));
  const { byKind, joinedFalsely, joinedTruly } = countPairs(world, (seq) => grouping.member(seq)?.group);
  expect(joinedFalsely / (joinedFalsely + joinedTruly)).toBeLessThan(0.02);
  for (const kind of campaignKinds) {
    const counts = byKind.get(kind)!;
    expect(counts.truePairs, kind).toBeGreaterThan(1_000);
    const isFound = !kind.endsWith("ordered alone");
    if (isFound) expect(counts.joinedTruly / counts.truePairs, kind).toBeGreaterThan(0.95);
  }
});
