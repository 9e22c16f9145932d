import { screenshotKinds } from "../../vocabulary/inspections.ts";
import { boolean, choice, integer, optionalText, table, text, texts } from "../fields/fields.ts";
import { readChromiumArgument, readResolver, readSchedule, readScreenshots } from "../fields/texts.ts";

/** Schema of what is found out about names: scans, lookups, inspections and screenshots. */

export const scan = table("scan", {
  schedule: optionalText("cron", readSchedule),
  resolvers: texts("ip:port", readResolver, { maxItems: 64, uniqueItems: false }),
  queries_per_second: integer({ minimum: 1, maximum: 100_000 }),
  registration_data: boolean(),
  screenshots: text("auto | off | path", readScreenshots),
});

export const lookups = table("lookups", {
  enabled: boolean(),
});

export const inspection = table("inspection", {
  per_minute: integer({ minimum: 1, maximum: 10_000 }),
  per_day: integer({ minimum: 0, maximum: 10_000_000 }),
  browser: choice(["if_needed", "never"]),
});

export const screenshots = table("screenshots", {
  chromium_args: texts("argument", readChromiumArgument, { maxItems: 64, uniqueItems: false }),
  keep: choice(screenshotKinds),
});
