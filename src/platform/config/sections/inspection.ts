import type { Static } from "@sinclair/typebox";
import { choice, integer, table } from "../fields/fields.ts";

/** Schema of the inspection of pages. */
export const inspection = table(
  {
    per_minute: integer(
      { minimum: 1, maximum: 10_000 },
      { default: 600, description: "maximum number of addresses that are inspected per minute" },
    ),
    per_day: integer(
      { minimum: 0, maximum: 10_000_000 },
      {
        default: 100_000,
        description:
          "maximum number of addresses of feeds, programs and long lists per day (UTC); the first ones that people enter count, but are not held back",
      },
    ),
    browser: choice(["if_needed", "never"], {
      default: "if_needed",
      description: "open a page in Chromium if its markup does not show enough",
    }),
  },
  "Inspection of pages: whether they imitate the pages of a protected domain. Needs lookups.enabled.",
);

export interface InspectionConfig {
  perMinute: number;
  perDay: number;
  browser: "if_needed" | "never";
}

export function toInspection(values: Static<typeof inspection>): InspectionConfig {
  return { perMinute: values.per_minute, perDay: values.per_day, browser: values.browser };
}
