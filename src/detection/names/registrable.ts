/** What registries accept as a label, whatever their own rules are beyond that. */
import { domainToASCII } from "node:url";
import { encodePunycode } from "./punycode.ts";
import { normalizeName } from "./name.ts";

const letterDigitHyphen = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
/** IDNA2008 (RFC 5892) lets in letters, marks and digits that are stable under case folding and NFKC. */
const unicodeLetters = /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}-]+$/u;

/** LDH rule, or valid under IDNA2008 and unchanged by UTS #46; no hyphens in third and fourth place. */
export function isRegistrableLabel(label: string): boolean {
  const ascii = label.includes(".") ? label.slice(label.lastIndexOf(".") + 1) : label;
  if (ascii.slice(2, 4) === "--" || ascii.startsWith("-") || ascii.endsWith("-")) return false;
  if (/^[\0-\x7f]*$/.test(ascii)) return letterDigitHyphen.test(ascii);
  if (!unicodeLetters.test(ascii) || /^\p{M}/u.test(ascii) || ascii !== ascii.normalize("NFKC")) return false;
  return domainToASCII(ascii) === `xn--${encodePunycode(ascii)}`;
}

/** The name in A-label form, or undefined where it breaks a limit. */
export function domainFromLabels(text: string): string | undefined {
  const normalized = normalizeName(text);
  return "error" in normalized ? undefined : normalized.name;
}
