import { parseHostName } from "../../../platform/lib/host-names.ts";
import { visible } from "../../../platform/lib/safe-text.ts";

/**
 * Validates the values of registration data of domains and networks. A registrant entered them and an unknown server
 * passed them on, so a value without the expected form is dropped.
 */

export const nameServersMax = 32;
export const statusesMax = 32;
const textLengthMax = 200;
/** Slightly more than the longest host name. Bounds the work on hostile values. */
const hostNameCharactersMax = 300;
const nothing =
  /^(|-+|\.+|n\/?a|none|null|unknown|not (applicable|available|disclosed|shown)\b.*|no data|private|privado|hidden.*|.*\b(redacted|gdpr|data protected|statutory masking|non-public data)\b.*)$/i;

/** Returns undefined for placeholders such as "REDACTED FOR PRIVACY". */
export function textValue(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = visible(
    value
      .slice(0, 4 * textLengthMax)
      .replace(/\s+/g, " ")
      .trim(),
    textLengthMax,
  );
  return nothing.test(text) ? undefined : text;
}

/** Returns an ISO 3166-1 alpha-2 code in upper case. */
export function countryValue(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const code = value.trim().toUpperCase();
  return /^[A-Z]{2}$/.test(code) ? code : undefined;
}

export function hostNameValue(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= hostNameCharactersMax
    ? (parseHostName(value.trim().replace(/\.+$/, "")) ?? undefined)
    : undefined;
}

export function emailValue(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim().replace(/^mailto:/i, "");
  return text.length <= 254 && /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)
    ? text.toLowerCase()
    : undefined;
}

/** Returns a number as written, without the URI parts of RFC 3966. */
export function phoneValue(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (value.length > textLengthMax) return undefined;
  const text = value.trim().replace(/^tel:/i, "");
  return /^\+?[\d .()/-]{5,30}(;?\s*ext[.=]?\s*\d{1,8}|x\d{1,8})?$/i.test(text) &&
    /\d{4}/.test(text.replace(/\D/g, ""))
    ? text
    : undefined;
}

/** Returns a registrar's IANA ID. Special values such as 9999 are kept, as registries use them. */
export function registrarIdValue(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^\d{1,6}$/.test(text.trim()) ? text.trim() : undefined;
}

/**
 * Returns a status in EPP's spelling (RFC 5731, "clientTransferProhibited"). Accepts RDAP's spelling ("client transfer
 * prohibited", RFC 8056) and lines of WHOIS, which append a URL.
 */
export function statusValue(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const bare = value
    .slice(0, textLengthMax)
    .replace(/\(?https?:.*$|\(.*$/i, "")
    .replace(/[\s_]+/g, " ")
    .trim();
  if (!/^[a-z][a-z -]{1,40}$/i.test(bare)) return undefined;
  const [first = "", ...rest] = bare.split(" ");
  if (rest.length === 0)
    return /^[A-Z]+$/.test(first) ? first.toLowerCase() : first[0]!.toLowerCase() + first.slice(1);
  return [first, ...rest]
    .map(
      (word, index) =>
        (index === 0 ? word[0]!.toLowerCase() : word[0]!.toUpperCase()) + word.slice(1).toLowerCase(),
    )
    .join("");
}

export function statusValues(values: Iterable<unknown>): string[] {
  return distinct(values, statusValue, statusesMax);
}

export function nameServerValues(values: Iterable<unknown>): string[] {
  return distinct(values, hostNameValue, nameServersMax).sort();
}

function distinct(
  values: Iterable<unknown>,
  read: (value: unknown) => string | undefined,
  max: number,
): string[] {
  const found = new Set<string>();
  for (const value of values) {
    if (found.size >= max) break;
    const text = read(value);
    if (text !== undefined) found.add(text);
  }
  return [...found];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const clockTime = String.raw`(?:[T ,]+(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?)?`;
const zone = String.raw`\s*(z|utc|gmt|[+-]\d\d:?\d\d|[+-]\d\d|\(?(?:jst|kst|cst|clst|clt)\)?)?`;
const ending = String.raw`(?:\s.*)?$`;
const yearFirst = new RegExp(
  String.raw`^(\d{4})([-./ ]?)(\d\d|[a-z]{3})\2(\d\d)${clockTime}${zone}\.?${ending}`,
  "i",
);
const dayFirst = new RegExp(
  String.raw`^(\d{1,2})([-./ ])(\d{1,2}|[a-z]{3,9})\2(\d{4})${clockTime}${zone}\.?${ending}`,
  "i",
);
const monthFirst = new RegExp(
  String.raw`^(?:[a-z]{3,9},? )?([a-z]{3,9}) (\d{1,2}),? (?:(\d\d):(\d\d):(\d\d) (?:[a-z]{3,4} )?)?(\d{4})$`,
  "i",
);
/** Time zones that registries abbreviate. A time without a zone is taken as UTC. */
const zoneHours: Record<string, number> = { jst: 9, kst: 9, cst: 8, clst: -3, clt: -4 };

/**
 * Converts a time as registries write it to ISO 8601 in UTC. Numeric dates with the year last are accepted only if they
 * use dots (Central Europe) or their order is evident: 03/04/2020 could be two different days.
 */
export function timeValue(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 80) return undefined;
  const text = value.trim().replace(/\s+/g, " ");
  let match = yearFirst.exec(text);
  if (match !== null) return instant(match[1], match[3], match[4], match.slice(5, 9));
  match = dayFirst.exec(text);
  if (match !== null) {
    const [, day, separator, month, year] = match;
    const ordered = separator === "." || Number.isNaN(Number(month)) || Number(day) > 12;
    return ordered ? instant(year, month, day, match.slice(5, 9)) : undefined;
  }
  match = monthFirst.exec(text);
  if (match !== null) return instant(match[6], match[1], match[2], match.slice(3, 6));
  return undefined;
}

function instant(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  [hour, minute, second, zoneText]: (string | undefined)[],
): string | undefined {
  const monthNumber = /^\d+$/.test(month ?? "")
    ? Number(month)
    : months.indexOf((month ?? "").slice(0, 3).toLowerCase()) + 1;
  const parts = [
    Number(year),
    monthNumber,
    Number(day),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second ?? 0),
  ];
  const [y, mo, d, h, mi, s] = parts as [number, number, number, number, number, number];
  if (y < 1980 || y > 2200 || mo < 1 || mo > 12 || d < 1 || d > 31 || h > 23 || mi > 59 || s > 60)
    return undefined;
  const date = new Date(Date.UTC(y, mo - 1, d, h, mi, s) - offsetMs(zoneText));
  // Rejects dates such as February 31, which would roll over into March.
  const rolled = new Date(Date.UTC(y, mo - 1, d)).getUTCDate() !== d;
  return rolled ? undefined : date.toISOString();
}

function offsetMs(zoneText: string | undefined): number {
  const text = (zoneText ?? "").toLowerCase().replace(/[():]/g, "");
  const numeric = /^([+-])(\d\d)(\d\d)?$/.exec(text);
  if (numeric === null) return (zoneHours[text] ?? 0) * 3_600_000;
  const minutes = Number(numeric[2]) * 60 + Number(numeric[3] ?? 0);
  return (numeric[1] === "-" ? -minutes : minutes) * 60_000;
}
