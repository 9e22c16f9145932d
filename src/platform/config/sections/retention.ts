import { dayMs } from "../../lib/clock.ts";
import { optionalText, table, text } from "../fields/fields.ts";
import { readDuration } from "../fields/texts.ts";

const shortRetention = readDuration({ minimumMs: 60_000, maximumMs: 3650 * dayMs });
/** Ages after which main data can be deleted. A shorter one is likely a mistake, and nothing brings the data back. */
export const mainDataAges = { minimumMs: 7 * dayMs, maximumMs: 3650 * dayMs } as const;
const longRetention = readDuration(mainDataAges);

export const retention = table("retention", {
  events: text("duration", shortRetention),
  deliveries: text("duration", shortRetention),
  hits: text("duration", shortRetention),
  inspections: text("duration", shortRetention),
  false_positives: optionalText("duration", longRetention),
  resolved: optionalText("duration", longRetention),
  screenshots: optionalText("duration", longRetention),
  audit: optionalText("duration", longRetention),
});
