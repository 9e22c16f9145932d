/**
 * Normalizes host names, and renders them safely. Inside the engine, a name is always lowercase, in A-label form,
 * without a trailing dot.
 */
import { domainToASCII } from "node:url";
import { parseHostName } from "../../../platform/lib/host-names.ts";
import { escapeHidden } from "../../../platform/lib/safe-text.ts";
import { decodePunycode } from "./punycode.ts";

/** Limits of RFC 1035, section 2.3.4. That of the name is for its text form without the trailing dot. */
export const labelBytesMax = 63;
export const nameBytesMax = 253;

/** Maximum length of input that is parsed at all: four bytes for each character of the longest name. */
const inputLengthMax = 1024;

/** Names that are in canonical form already: at least two labels, the last of which does not make it an IP address. */
const canonicalName = /^(?:[a-z0-9_-]{1,63}\.)+(?!\d+$|0x[0-9a-f]*$)[a-z0-9_-]{1,63}$/;
const asciiName = /^[\x21-\x7e]+$/;
const labelOfHostName = /^[a-z0-9_-]+$/;
const otherAsciiCharacter = /[^a-zA-Z0-9_\u{80}-\u{10ffff}-]/u;
const controlCharacter = /\p{Cc}/u;

/** Returns the host name in canonical form, or an error: a phrase that follows the text, such as "is empty". */
export function normalizeName(text: string): { name: string } | { error: string } {
  if (text.length <= nameBytesMax && canonicalName.test(text)) return { name: text };
  if (text.length > inputLengthMax) return { error: `is longer than ${nameBytesMax} bytes` };
  const trimmed = text.trim();
  if (trimmed === "") return { error: "is empty" };
  if (controlCharacter.test(trimmed)) return { error: "contains a control character" };
  let name = asciiName.test(trimmed) ? trimmed.toLowerCase() : toALabels(trimmed);
  if (name.endsWith(".")) name = name.slice(0, -1);
  if (name.startsWith("*.")) name = name.slice(2);
  const error = errorIn(name);
  return error === undefined ? { name } : { error };
}

/**
 * Returns a name that somebody gives to mean one host or domain, as `normalizeName` does for the names of lists: here, a
 * wildcard and a label that cannot be registered are errors, too, as in a protected domain.
 */
export function normalizeHostName(text: string): ReturnType<typeof normalizeName> {
  const result = normalizeName(text);
  if ("error" in result) return result;
  if (text.trim().startsWith("*")) return { error: "is a wildcard; leave out the asterisk" };
  if (parseHostName(result.name) !== null) return result;
  return { error: "has a label with an underscore, a hyphen at its edge or invalid Punycode" };
}

/** Converts label by label, so that one label that cannot be converted does not hide an error in another. */
function toALabels(text: string): string {
  return text
    .split(/[.。．｡]/u)
    .map((label) => (asciiName.test(label) ? label.toLowerCase() : toALabel(label)))
    .join(".");
}

/**
 * `domainToASCII` reads its input as the host of a URL: it stops at "/", "?", "#" and "\\", and decodes "%". A label with
 * an ASCII character that host names cannot contain stays as it is, so that the error names the character.
 */
function toALabel(label: string): string {
  return otherAsciiCharacter.test(label) ? label : domainToASCII(label) || label;
}

function errorIn(name: string): string | undefined {
  if (name.length > nameBytesMax) return `is longer than ${nameBytesMax} bytes`;
  if (name.includes("://")) return "is a URL; enter only the host name";
  if (/^\[|:.*:/.test(name)) return "is an IP address, not a host name";
  if (name.includes(":")) return "contains a port; enter only the host name";
  const labels = name.split(".");
  for (const label of labels) {
    if (label === "") return "contains an empty label";
    if (label.length > labelBytesMax) return `contains a label longer than ${labelBytesMax} bytes`;
    if (!labelOfHostName.test(label)) return errorInLabel(label);
  }
  if (labels.length === 1) return "is a single label, not a full name";
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) return "is an IP address, not a host name";
  return undefined;
}

function errorInLabel(label: string): string {
  const [wrong] = otherAsciiCharacter.exec(label) ?? [];
  if (wrong === undefined) return "contains a label that is not a valid internationalized name";
  if (/\s/.test(wrong)) return "contains a space";
  return `contains "${wrong}", which host names cannot contain`;
}

/** Returns the label in Unicode form. A malformed A-label stands for itself. */
export function decodeLabel(label: string): string {
  if (!label.startsWith("xn--")) return label;
  const decoded = decodePunycode(label.slice(4));
  // An A-label that decodes to plain ASCII is malformed: no program shows it decoded.
  return decoded === undefined || decoded === "" || !/[^\0-\x7f]/.test(decoded) ? label : decoded;
}

// Letters, marks and numbers are shown in Unicode form. Right-to-left letters are not, because they reorder the
// text around them, so that an attacker could make a report read differently.
const showable = /^[\p{L}\p{M}\p{N}_-]+$/u;
const reorders = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const ignorable = /\p{Default_Ignorable_Code_Point}/u;

/** Returns the name in U-label form. Labels that cannot be printed safely stay in A-label form. */
export function displayName(name: string): string {
  return name
    .split(".")
    .map((label) => {
      const decoded = decodeLabel(label);
      const safe = showable.test(decoded) && !reorders.test(decoded) && !ignorable.test(decoded);
      return safe ? decoded : escapeHidden(label);
    })
    .join(".");
}

/** Returns the whole name in Unicode form. Escape it before you show it: it may contain any character. */
export function unicodeName(name: string): string {
  return name.split(".").map(decodeLabel).join(".");
}
