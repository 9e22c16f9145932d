import { escapeHidden } from "../../platform/lib/safe-text.ts";
import { cut } from "./cut.ts";

/** Defanged text shows names and addresses in a form that no client makes a link or a mention. */

/** Length of the longest name that is shown in full: a host name in U-label form is shorter. */
const nameLengthMax = 300;

/**
 * Returns a host name with all dots in brackets: `login[.]examp1e-bank[.]com`. A name in a DNS record can contain any
 * character, such as `https://2130706433/`, so schemes and mentions are defanged too.
 */
export function defangName(name: string): string {
  return withoutSchemes(cut(escapeHidden(name), nameLengthMax)).replace(dots, "[.]");
}

/**
 * Returns text that an attacker may have written, such as the title of a page, on one line: hidden characters are
 * escaped, white space is joined, and names, addresses and mentions are defanged:
 * `hxxps[:]//evil[.]example`, `user[at]evil[.]example`.
 * @param lengthMax maximum length of the result
 */
export function defangText(text: string, lengthMax = 200): string {
  // Truncating first bounds the work for text of any length.
  const line = escapeHidden(cut(text, lengthMax).replace(/\s+/gu, " ").trim()).replace(manyMarks, "");
  const defanged = withoutSchemes(line)
    .replace(ipv4Address, (address) => address.replace(dots, "[.]"))
    .replace(dotsInNames, "[.]");
  return cut(defanged, lengthMax);
}

/** Defangs everything that makes a link or a mention of a text without dots. */
function withoutSchemes(text: string): string {
  return (
    text
      .replace(/http(?=s?:)/gi, (scheme) => (scheme[0] === "h" ? "hxxp" : "HXXP"))
      .replace(/(?<=[a-z]):(?=\/\/)|(?<=\b(?:data|file|javascript|mailto|sms|tel|vbscript)):(?=\S)/gi, "[:]")
      // A network path such as \\host\share, which mail clients make a link.
      .replace(/\\\\(?=[^\s\\])/g, "[\\\\]")
      .replace(/[@\uff20](?=\S)/g, "[at]")
  );
}

/** Accents beyond those of any language. A stack of them would cover the lines above and below. */
const manyMarks = /(?<=\p{M}{4})\p{M}+/gu;
/** The dots that IDNA treats as equal, and those that browsers do. */
const dots = /[.\u2024\u3002\ufe52\uff0e\uff61]/g;
/**
 * Dots between the characters of names, which can also be symbols: `☃.example`. Those of decimal numbers are left alone:
 * `2.5`.
 */
const dotsInNames =
  /(?<=[^\s.])[.\u2024\u3002\ufe52\uff0e\uff61](?=[\p{L}\p{M}_])|(?<=[\p{L}\p{M}_-])[.\u2024\u3002\ufe52\uff0e\uff61](?=\p{N})/gu;
const ipv4Address = /\b\d{1,3}(?:[.\u2024\u3002\ufe52\uff0e\uff61]\d{1,3}){3}\b/g;
