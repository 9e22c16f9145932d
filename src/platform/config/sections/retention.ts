import { dayMs } from "../../lib/clock.ts";
import { optionalText, table, text } from "../fields/fields.ts";
import { readDuration } from "../fields/texts.ts";

const shortRetention = readDuration({ minimumMs: 60_000, maximumMs: 3650 * dayMs });
/** Ages after which main data can be deleted. A shorter one is likely a mistake, and nothing brings the data back. */
export const mainDataAges = { minimumMs: 7 * dayMs, maximumMs: 3650 * dayMs } as const;
const longRetention = readDuration(mainDataAges);

export const retention = table(
  {
    events: text("duration", shortRetention, { default: "30d", description: "how long events are kept" }),
    deliveries: text("duration", shortRetention, {
      default: "30d",
      description: "how long the delivery log is kept",
    }),
    hits: text("duration", shortRetention, {
      default: "90d",
      description: "how long visits to beacons and honeytokens are kept",
    }),
    inspections: text("duration", shortRetention, {
      default: "30d",
      description:
        "how long results of inspections are kept; those without an imitation at most 500,000 rows",
    }),
    false_positives: optionalText("duration", longRetention, {
      description: `delete threats that have been false positives for this long; "" = never`,
    }),
    resolved: optionalText("duration", longRetention, {
      description: `delete threats that have been resolved for this long; "" = never`,
    }),
    screenshots: optionalText("duration", longRetention, {
      description: `delete screenshots of closed threats that are older; "" = never`,
    }),
    audit: optionalText("duration", longRetention, {
      description: `delete entries of the audit log that are older; "" = never`,
    }),
  },
  "Retention of old records. `phishwatch retention` previews what the last four delete.",
);
