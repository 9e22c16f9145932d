import { dayMs } from "../../lib/clock.ts";
import type { Severity } from "../../vocabulary/threats.ts";
import { camelKeys } from "../../lib/key-names.ts";
import { optionalText, table, text, type Static, type TextReader } from "../fields/fields.ts";
import { readAddress } from "../fields/notification-texts.ts";
import { readDuration } from "../fields/texts.ts";

/** Schema of the work on threats, and of the reports to those who can take a site down. */

const minuteMs = 60_000;
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

const signatureCharactersMax = 1_000;

const readSignature: TextReader<string> = (written) =>
  written.length <= signatureCharactersMax
    ? { value: written.replaceAll(/\r\n?/g, "\n").trim() }
    : { allowed: `a text of at most ${signatureCharactersMax} characters` };

export const takedown = table(
  {
    from: optionalText("address", readAddress, {
      description: "sender of reports, whose mailbox somebody reads; default: smtp.from",
    }),
    reply_to: optionalText("address", readAddress, {
      description: "address for responses; default: the sender",
    }),
    signature: optionalText("text", readSignature, {
      description: "end of each report: your name, organization and phone number",
    }),
    follow_up_after: text("duration", readDuration({ minimumMs: minuteMs, maximumMs: 365 * dayMs }), {
      default: "2d",
      description: "a report is due for a follow-up if the site is still up after this time",
    }),
  },
  "Reports to registrars, hosting providers and others who can take a site down. A person sends each one.",
);

export function toTakedown({ follow_up_after: followUpAfterMs, ...others }: Static<typeof takedown>) {
  return { ...camelKeys(others), followUpAfterMs };
}
