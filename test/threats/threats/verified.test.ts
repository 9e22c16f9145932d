import { expect, test } from "bun:test";
import { isVerified } from "../../../src/threats/threats/severity/verified.ts";

test.each([
  ["only its name is known", { type: "homograph", cloneSeen: false }, false],
  ["its lookup failed", { type: "homograph", cloneSeen: false, facts: { exists: "unknown" } }, false],
  ["its name is gone", { type: "homograph", cloneSeen: false, facts: { exists: "no" } }, false],
  ["its name exists", { type: "homograph", cloneSeen: false, facts: { exists: "yes" } }, true],
  ["a copy was seen in use", { type: "homograph", cloneSeen: true, facts: { exists: "unknown" } }, true],
  ["it is a cloned site", { type: "cloned_site", cloneSeen: false }, true],
] as const)("a threat is verified or not as it should if %s", (_, given, verified) => {
  expect(isVerified(given)).toBe(verified);
});
