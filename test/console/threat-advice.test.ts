import { describe, expect, test } from "bun:test";
import { adviceOn } from "../../src/console/pages/threats/threat-advice.ts";

const bare = {
  status: "active",
  type: "homograph",
  severityReasons: [],
  facts: undefined,
  reactivates: true,
} as const;

describe("what to do about a threat of which no look is kept", () => {
  test("is to wait for one while nothing speaks of harm", () => {
    expect(adviceOn({ ...bare, severityReasons: [{ code: "receives_mail", params: {} }] })).toEqual([
      "Little is known yet beside the name: wait for the first look, or look now.",
    ]);
  });

  test("is to report it at once when a copy was seen in use, or its page asked for a password", () => {
    const cloned = adviceOn({ ...bare, type: "cloned_site" });
    expect(cloned[0]).toStartWith("Report it:");
    expect(
      adviceOn({
        ...bare,
        severityReasons: [{ code: "asks_for_secrets", params: { password: true, card: false } }],
      }),
    ).toEqual(cloned);
  });

  test("is nothing once it is decided", () => {
    expect(adviceOn({ ...bare, type: "cloned_site", status: "resolved" })[0]).toStartWith("It is settled.");
  });
});
