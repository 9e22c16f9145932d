import { isIP } from "node:net";
import { parseHostName } from "../../lib/host-names.ts";
import { visible } from "../../lib/safe-text.ts";
import { matching, type TextReader } from "./fields.ts";

/** Readers of the texts of channels, subscriptions and lists. */

const templateCharactersMax = 20_000;
const addressCharactersMax = 254;

/** Reads a text that does not depend on the file around it, such as one that was typed in the console. */
type PlainReader<T> = (text: string) => ReturnType<TextReader<T>>;

/** Identifier that a service shows, for example of a chat. */
export const readChannelText = matching(
  /^[\x21-\x7e]{1,200}$/,
  "at most 200 visible ASCII characters without spaces",
);

/** Name or address of a mail server. */
export const readMailHost: TextReader<string> = (text) => {
  const host = isIP(text) === 0 ? parseHostName(text) : text;
  return host === null ? { allowed: "a host name or an IP address, without a port" } : { value: host };
};

/** Email address without a display name, which cannot inject anything into a header. */
export const readAddress: PlainReader<string> = (text) =>
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text) &&
  text.length <= addressCharactersMax
    ? { value: text }
    : { allowed: `an email address such as "soc@example.com"` };

/** Whether it produces valid JSON is checked by the channel. */
export const readTemplate: PlainReader<string> = (text) =>
  text.length <= templateCharactersMax
    ? { value: text }
    : { allowed: `a template of at most ${templateCharactersMax} characters` };

/** Minutes since midnight. */
export const readTimeOfDay: PlainReader<number> = (text) => {
  const minutes = minutesOf(text);
  return minutes === undefined ? { allowed: `a time such as "08:00"` } : { value: minutes };
};

/** Part of a day, in minutes since midnight; may pass midnight. */
export interface Hours {
  from: number;
  to: number;
}

export const readHours: PlainReader<Hours> = (text) => {
  const [start = "", end = "", ...rest] = text.split("-");
  const [from, to] = [minutesOf(start), minutesOf(end)];
  return from === undefined || to === undefined || from === to || rest.length > 0
    ? { allowed: `two different times such as "22:00-07:00"` }
    : { value: { from, to } };
};

function minutesOf(text: string): number | undefined {
  const match = /^([01][0-9]|2[0-3]):([0-5][0-9])$/.exec(text);
  return match === null ? undefined : Number(match[1]) * 60 + Number(match[2]);
}

/** Time zone of the IANA database, in its canonical form. */
export const readTimeZone: PlainReader<string> = (text) => {
  // Zones such as "+02:00" know no daylight saving time, and loading the database takes 7 ms: UTC needs none.
  if (text === "UTC") return { value: text };
  try {
    if (/^[A-Za-z]/.test(text)) {
      Intl.DateTimeFormat("en", { timeZone: text });
      return { value: text };
    }
  } catch {
    // Not a time zone.
  }
  return { allowed: `a time zone such as "Europe/Berlin" or "UTC"`, found: `"${visible(text, 100)}"` };
};

/** Name of a list, which is a part of its address. */
export const readListName = matching(
  /^[A-Za-z0-9]([A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/,
  "a name of 1 to 64 ASCII letters, digits, _ and -, with a letter or digit at both ends",
);
