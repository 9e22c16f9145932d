import { describe, expect, test } from "bun:test";
import type { Facts } from "../../../src/facts/enrichment/facts/facts.ts";
import { phishingFacts } from "../../support/threat-samples.ts";
import { adviceOn } from "../../../src/web/console/pages/threat/load.ts";

const bare = {
  status: "active",
  type: "homograph",
  severityReasons: [],
  facts: undefined,
  reactivates: true,
  looksUpNames: true,
  isChecked: false,
} as const;

describe("the advice on a threat that was not checked", () => {
  test("is to wait for a check while nothing indicates harm", () => {
    expect(adviceOn({ ...bare, severityReasons: [{ code: "receives_mail", params: {} }] })).toEqual([
      "Only the name is known so far. Wait for the first check, or check now.",
    ]);
  });

  test("is to report it at once if a copy was seen in use or its page asked for a password", () => {
    const cloned = adviceOn({ ...bare, type: "cloned_site" });
    expect(cloned[0]).toStartWith("Report it:");
    expect(
      adviceOn({
        ...bare,
        severityReasons: [{ code: "asks_for_secrets", params: { password: true, card: false } }],
      }),
    ).toEqual(cloned);
  });

  test("is to report a page that imitates yours, also if it asks for nothing", () => {
    const imitation = { protectedDomain: "example-bank.com", score: 0.97, imitates: true, signals: [] };
    const page = { ...phishingFacts.page!, asksForPassword: false, asksForCard: false };
    const advice = (facts: Facts) => adviceOn({ ...bare, facts: { ...phishingFacts, ...facts } })[0];
    expect(advice({ unknown: {}, page: { ...page, imitation } })).toStartWith("Report it:");
    expect(advice({ unknown: {}, page })).not.toStartWith("Report it:");
  });

  test("is to decide by the name while lookups are off", () => {
    expect(adviceOn({ ...bare, looksUpNames: false })).toEqual([
      "Only the name is known, because lookups are off (lookups.enabled). Decide by the name.",
    ]);
  });

  test("is not to wait for the first check after a check that determined nothing", () => {
    expect(adviceOn({ ...bare, isChecked: true })).toEqual([
      "The last check could not determine whether the domain exists. Checks are repeated.",
    ]);
  });

  test("is to do nothing once it is resolved", () => {
    expect(adviceOn({ ...bare, type: "cloned_site", status: "resolved" })[0]).toStartWith(
      "This is resolved.",
    );
  });
});
