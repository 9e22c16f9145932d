import type { Static } from "@sinclair/typebox";
import { dayMs } from "../../lib/clock.ts";
import { optionalText, table, text, type TextReader } from "../fields/fields.ts";
import { readAddress } from "../fields/notification-texts.ts";
import { readDuration } from "../fields/texts.ts";

/** Schema of the reports to those who can take a site down. */

const minuteMs = 60_000;
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

/** Null: not set. */
export interface TakedownConfig {
  from: string | null;
  replyTo: string | null;
  signature: string | null;
  followUpAfterMs: number;
}

export function toTakedown(values: Static<typeof takedown>): TakedownConfig {
  return {
    from: values.from,
    replyTo: values.reply_to,
    signature: values.signature,
    followUpAfterMs: values.follow_up_after,
  };
}
