import { describe, expect, test } from "bun:test";
import { adviceOn } from "../../src/console/pages/threats/advice.ts";

const bare = {
  status: "active",
  type: "homograph",
  severityReasons: [],
  facts: undefined,
  reactivates: true,
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

  test("is to do nothing once it is resolved", () => {
    expect(adviceOn({ ...bare, type: "cloned_site", status: "resolved" })[0]).toStartWith(
      "This is resolved.",
    );
  });
});
