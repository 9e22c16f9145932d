/**
 * Host names as they come in, and as they may be shown. Inside the engine a name is always lower case, in
 * A-label form, without a trailing dot.
 */
import { domainToASCII } from "node:url";
import { escapeHidden } from "../../lib/safe-text.ts";
import { decodePunycode } from "./punycode.ts";

/** RFC 1035, section 2.3.4; the name's limit counts the text form without the trailing dot. */
export const labelBytesMax = 63;
export const nameBytesMax = 253;

/** Longer input than this is refused unread: four bytes for each character of the longest U-label name. */
const inputLengthMax = 1024;

const asciiName = /^[\x21-\x7e]+$/;
const labelOfHostName = /^[a-z0-9_-]+$/;
const controlCharacter = /\p{Cc}/u;

/** The host name in canonical form, or what is wrong with it, in words for the person who wrote it. */
export function normalizeName(text: string): { name: string } | { error: string } {
  if (text.length > inputLengthMax) return { error: `longer than ${nameBytesMax} bytes` };
  const trimmed = text.trim();
  if (trimmed === "") return { error: "empty" };
  if (controlCharacter.test(trimmed)) return { error: "contains a control character" };
  let name = asciiName.test(trimmed) ? trimmed.toLowerCase() : toALabels(trimmed);
  if (name.endsWith(".")) name = name.slice(0, -1);
  if (name.startsWith("*.")) name = name.slice(2);
  const error = faultOf(name);
  return error === undefined ? { name } : { error };
}

/** Label by label, so that one label that cannot be converted does not hide what is wrong with another. */
function toALabels(text: string): string {
  return text
    .split(/[.。．｡]/u)
    .map((label) => (asciiName.test(label) ? label.toLowerCase() : domainToASCII(label) || label))
    .join(".");
}

function faultOf(name: string): string | undefined {
  if (name.length > nameBytesMax) return `longer than ${nameBytesMax} bytes`;
  if (name.startsWith("[") || name.includes(":")) return "an IP address or port, not a host name";
  const labels = name.split(".");
  for (const label of labels) {
    if (label === "") return "contains an empty label";
    if (label.length > labelBytesMax) return `contains a label longer than ${labelBytesMax} bytes`;
    if (!labelOfHostName.test(label)) return "contains a character that no host name may have";
  }
  if (labels.length === 1) return "a single label, not a full name";
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) return "an IP address, not a host name";
  return undefined;
}

/** The label in Unicode form. A malformed A-label stands for itself. */
export function decodeLabel(label: string): string {
  if (!label.startsWith("xn--")) return label;
  const decoded = decodePunycode(label.slice(4));
  // An A-label that decodes to plain ASCII is not one: nothing would ever show it decoded.
  return decoded === undefined || decoded === "" || !/[^\0-\x7f]/.test(decoded) ? label : decoded;
}

// What may be seen as itself: letters, their marks, numbers. Right-to-left letters are not among them: in a
// line of text they reorder their neighbours, so that a report could be made to read differently.
const showable = /^[\p{L}\p{M}\p{N}_-]+$/u;
const reorders = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const ignorable = /\p{Default_Ignorable_Code_Point}/u;

/** The name in U-label form, where that can be printed safely; other labels stay in A-label form. */
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

/** The whole name in Unicode form, whatever is in it: show nothing of it unescaped. */
export function unicodeName(name: string): string {
  return name.split(".").map(decodeLabel).join(".");
}
