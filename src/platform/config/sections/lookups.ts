import { screenshotKinds } from "../../vocabulary/inspections.ts";
import { boolean, choice, integer, optionalText, table, text, texts } from "../fields/fields.ts";
import { readChromiumArgument, readResolver, readSchedule, readScreenshots } from "../fields/texts.ts";

/** Schema of what is found out about names: scans, lookups, inspections and screenshots. */

export const scan = table(
  {
    schedule: optionalText("cron", readSchedule, {
      default: "17 3 * * *",
      description: `cron in UTC: minute hour day month weekday; "" = never`,
    }),
    resolvers: texts("ip:port", readResolver, {
      maxItems: 64,
      uniqueItems: false,
      description: `DNS servers as "ip:port"; empty: the resolvers of the system`,
    }),
    queries_per_second: integer(
      { minimum: 1, maximum: 100_000 },
      { default: 200, description: "maximum number of DNS queries per second" },
    ),
    registration_data: boolean({
      default: true,
      description: "look up registration data of threats: RDAP, then WHOIS",
    }),
    screenshots: text("auto | off | path", readScreenshots, {
      default: "auto",
      description: `"auto" (if a Chromium is found), "off", or the path of a Chromium`,
      reload: "restart",
    }),
  },
  "Scans for registered look-alikes. Everything except the schedule also applies to lookups.",
);

export const lookups = table(
  {
    enabled: boolean({
      default: true,
      description: "look up facts about threats, whatever scan.schedule is; false: never",
    }),
  },
  "Facts about threats: DNS, page, registration data, screenshot.",
);

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

export const screenshots = table(
  {
    chromium_args: texts("argument", readChromiumArgument, {
      maxItems: 64,
      uniqueItems: false,
      description: `additional arguments for Chromium; ["--no-sandbox"] only if a container is the sandbox`,
      reload: "restart",
    }),
    keep: choice(screenshotKinds, {
      default: "full",
      description: "what is kept of the screenshot of a suspicious page",
    }),
  },
  "Screenshots of suspicious pages.",
);
