import { dayMs } from "../../lib/clock.ts";
import type { Severity } from "../../vocabulary/threats.ts";
import { optionalText, table } from "../fields/fields.ts";
import { readDuration } from "../fields/texts.ts";

const hourMs = 3_600_000;

const due = (severity: Severity, defaultText: string) =>
  optionalText("duration", readDuration({ minimumMs: hourMs, maximumMs: 3650 * dayMs }), {
    default: defaultText,
    description: `time after which a threat of ${severity} severity is due; "": no due time`,
  });

export const cases = table(
  { due_high: due("high", "1d"), due_medium: due("medium", "3d"), due_low: due("low", "14d") },
  "Work on threats. A change applies to due times that are set from then on.",
);
