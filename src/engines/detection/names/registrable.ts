/** Rules for labels that all registries share. */
import { domainToASCII } from "node:url";
import { normalizeName } from "./name.ts";
import { encodePunycode } from "./punycode.ts";

const letterDigitHyphen = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
/** IDNA2008 (RFC 5892) allows letters, marks and digits that are stable under case folding and NFKC. */
const unicodeLetters = /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}-]+$/u;

/**
 * Returns whether a label follows the LDH rule, or is valid under IDNA2008 and unchanged by
 * UTS #46, and has no hyphens in the third and fourth place.
 */
export function isRegistrableLabel(label: string): boolean {
  const ascii = label.includes(".") ? label.slice(label.lastIndexOf(".") + 1) : label;
  if (ascii.slice(2, 4) === "--" || ascii.startsWith("-") || ascii.endsWith("-")) return false;
  if (/^[\0-\x7f]*$/.test(ascii)) return letterDigitHyphen.test(ascii);
  if (!unicodeLetters.test(ascii) || /^\p{M}/u.test(ascii) || ascii !== ascii.normalize("NFKC")) return false;
  return domainToASCII(ascii) === `xn--${encodePunycode(ascii)}`;
}

/** Returns the name in A-label form, or undefined if it exceeds a limit. */
export function domainFromLabels(text: string): string | undefined {
  const normalized = normalizeName(text);
  return "error" in normalized ? undefined : normalized.name;
}
