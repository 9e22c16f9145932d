import { dayMs } from "../../lib/clock.ts";
import { camelKeys } from "../../lib/key-names.ts";
import { optionalText, table, text, type Static, type TextReader } from "../fields/fields.ts";
import { readAddress } from "../fields/notification-texts.ts";
import { readDuration } from "../fields/texts.ts";

/** Schema of the work on threats, and of the reports to those who can take a site down. */

const minuteMs = 60_000;
const hourMs = 3_600_000;

const due = optionalText("duration", readDuration({ minimumMs: hourMs, maximumMs: 3650 * dayMs }));

export const cases = table("cases", { due_high: due, due_medium: due, due_low: due });

const signatureCharactersMax = 1_000;

const readSignature: TextReader<string> = (written) =>
  written.length <= signatureCharactersMax
    ? { value: written.replaceAll(/\r\n?/g, "\n").trim() }
    : { allowed: `a text of at most ${signatureCharactersMax} characters` };

export const takedown = table("takedown", {
  from: optionalText("address", readAddress),
  reply_to: optionalText("address", readAddress),
  signature: optionalText("text", readSignature),
  follow_up_after: text("duration", readDuration({ minimumMs: minuteMs, maximumMs: 365 * dayMs })),
});

export function toTakedown({ follow_up_after: followUpAfterMs, ...others }: Static<typeof takedown>) {
  return { ...camelKeys(others), followUpAfterMs };
}
