import { expect, test } from "bun:test";
import {
  indicatorBit,
  indicatorBits,
  indicatorsIn,
  type Indicator,
} from "../../../src/threats/threats/severity/indicators.ts";
import { severityOf, type SeverityFacts } from "../../../src/threats/threats/severity/severity.ts";
import { lookAlike } from "../../support/look-alikes.ts";

test.each<[Indicator, Partial<SeverityFacts>]>([
  ["receives_mail", { mail: true }],
  ["newly_registered", { registeredDays: 3 }],
  ["parked", { parked: "a service" }],
  ["leads_nowhere", { reachable: false }],
  [
    "asks_for_secrets",
    { page: { asksForPassword: true, asksForCard: false, namesBrand: false, redirectsToProtected: false } },
  ],
  [
    "asks_for_secrets",
    { page: { asksForPassword: false, asksForCard: true, namesBrand: false, redirectsToProtected: false } },
  ],
  [
    "looks_like_original",
    {
      page: {
        asksForPassword: false,
        asksForCard: false,
        namesBrand: false,
        redirectsToProtected: false,
        visualSimilarity: 1,
      },
    },
  ],
])("the reasons of a severity show the indicator %s", (indicator, facts) => {
  const { reasons } = severityOf(lookAlike({ similarity: 0.9 }), { facts: { exists: "yes", ...facts } });
  expect(indicatorsIn(reasons)).toEqual([indicator]);
  expect(indicatorBits(reasons)).toBe(indicatorBit(indicator));
});
