import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { SeverityFacts } from "../../../src/threats/threats/severity/severity.ts";
import { describeSimilarityReason } from "../../../src/threats/threats/severity/similarity-reasons.ts";
import { threats } from "../../../src/threats/threats/store/tables.ts";
import type { Sighting } from "../../../src/threats/threats/record.ts";
import type { Signal } from "../../../src/platform/vocabulary/page-signals.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
beforeEach(() => {
  stores = openStores();
});
afterEach(() => stores.dispose());

const domain = "quiet-meadow.shop";
const signals: Signal[] = [
  { code: "same_icon", strength: 1, points: 2.5, params: {} },
  { code: "own_links", strength: 0.4, points: -1, params: {} },
  {
    code: "brand_in_title",
    strength: 0.9,
    points: 4,
    params: { title: "Example \u202e Bank" },
  },
];

/** Records that an inspection of an address from a list found an imitating page. */
function inspect(given: Partial<Sighting> = {}) {
  const match = {
    protectedDomain: "example-bank.com",
    type: "cloned_site" as const,
    similarity: 0.97,
    reasons: [],
  };
  const page = { score: match.similarity, signals };
  const seenAt = stores.clock.now();
  const sighting: Sighting = { domain, match, source: "feed", seenAt, page, ...given };
  return stores.threats.record([sighting])[0]!;
}

function seeName(similarity = 0.96) {
  const label = { label: "examp1e-bank", expected: "example-bank" };
  const match: Sighting["match"] = {
    protectedDomain: "example-bank.com",
    type: "homograph",
    similarity,
    reasons: [{ code: "whole_label", params: label }],
  };
  return inspect({ match, page: undefined });
}

const codesOf = (id: string) => stores.threats.get(id)!.severityReasons.map(({ code }) => code);

function check(id: string, evidence: SeverityFacts) {
  const nothing = { ipAddress: null, registrar: null, whois: {}, siteState: "up" as const };
  return stores.threats.updateFacts(id, { ...nothing, evidence }, [])!.severity;
}

const imitating = {
  asksForPassword: false,
  asksForCard: false,
  namesBrand: true,
  redirectsToProtected: false,
  imitation: { score: 0.95, imitates: true },
};

describe("a threat that an inspection found", () => {
  test("is verified and high, with the signals that speak for it, and no visitor was shown it", () => {
    const { threatId, outcome } = inspect({ url: "https://quiet-meadow.shop/login" });
    expect(outcome).toBe("created");
    const threat = stores.threats.get(threatId)!;
    expect(threat).toMatchObject({
      type: "cloned_site",
      source: "feed",
      similarity: 0.97,
      severity: "high",
      verified: true,
      siteState: "up",
      severityReasons: [{ code: "page_imitates", params: { score: 0.97 } }],
    });
    expect(threat.reasons.map(describeSimilarityReason)).toEqual([
      "the page imitates the protected brand (score 0.97)",
      "its title names the brand: “Example \\u{202e} Bank”",
      "it has the icon of the original",
    ]);
    expect(stores.events().map(({ type }) => type)).toEqual(["threat.created"]);
    const shown = stores.database.query.select({ at: threats.cloneSeenAt }).from(threats).all();
    expect(shown).toEqual([{ at: null }]);
  });

  test("is medium if the score is not certain, and high once its page asks for secrets", () => {
    const match = inspect().protectedDomain;
    const { threatId } = inspect({
      domain: "other-meadow.shop",
      match: { protectedDomain: match, type: "cloned_site", similarity: 0.7, reasons: [] },
      page: { score: 0.7, signals: [] },
    });
    expect(stores.threats.get(threatId)!.severity).toBe("medium");
    const page = { ...imitating, imitation: { score: 0.7, imitates: true }, asksForPassword: true };
    expect(check(threatId, { exists: "yes", page })).toBe("high");
    expect(codesOf(threatId)).toEqual(["page_imitates", "asks_for_secrets", "names_brand"]);
  });

  test("is low once its page imitates no longer, is down, or its name is gone", () => {
    const { threatId } = inspect();
    const harmless = { ...imitating, namesBrand: false, imitation: { score: 0.01, imitates: false } };
    expect(check(threatId, { exists: "yes", page: imitating })).toBe("high");
    expect(check(threatId, { exists: "yes", page: harmless })).toBe("low");
    expect(codesOf(threatId)).toEqual(["page_imitated_before", "unrelated_page"]);
    expect(check(threatId, { exists: "yes" })).toBe("high");
    expect(check(threatId, { exists: "yes", isDown: true })).toBe("low");
    expect(check(threatId, { exists: "no" })).toBe("low");
    expect(stores.threats.get(threatId)!.verified).toBe(false);
  });

  test("keeps its type and says both when its name is found to be a look-alike, once", () => {
    const { threatId } = inspect();
    seeName();
    const changedAt = stores.threats.get(threatId)!.changedAt;
    expect(seeName()).toMatchObject({ threatId, outcome: "known", type: "cloned_site", similarity: 0.97 });
    const threat = stores.threats.get(threatId)!;
    expect(threat.changedAt).toBe(changedAt);
    expect(threat.reasons.map(({ code }) => code)).toEqual([
      "page_imitates",
      "page_signal",
      "page_signal",
      "name_resembles",
      "whole_label",
    ]);
    expect(codesOf(threatId)).toEqual(["name_homograph", "page_imitates"]);
    expect(check(threatId, { exists: "yes", page: imitating })).toBe("high");
    expect(codesOf(threatId)).toEqual(["name_homograph", "page_imitates", "names_brand"]);
  });

  test("becomes active again when an inspection finds the page after it was resolved, unless it was a false positive", () => {
    const { threatId } = inspect();
    for (const [status, after] of [
      ["resolved", "active"],
      ["false_positive", "false_positive"],
    ] as const) {
      stores.threats.changeStatus([threatId], status, { by: analyst });
      stores.clock.advance(60_000);
      inspect();
      expect(stores.threats.get(threatId)!.status).toBe(after);
    }
  });
});

test("a threat known by its name keeps its type and becomes verified when an inspection finds that its page imitates", () => {
  const { threatId } = seeName(0.8);
  expect(stores.threats.get(threatId)).toMatchObject({ severity: "low", verified: false });
  expect(inspect()).toMatchObject({ threatId, outcome: "known", type: "homograph", similarity: 0.8 });
  expect(stores.threats.get(threatId)).toMatchObject({ severity: "high", verified: true, siteState: "up" });
  expect(codesOf(threatId)).toEqual(["name_similar", "page_imitates"]);
  const { changedAt } = stores.threats.get(threatId)!;
  inspect();
  expect(stores.threats.get(threatId)!.changedAt).toBe(changedAt);
});
