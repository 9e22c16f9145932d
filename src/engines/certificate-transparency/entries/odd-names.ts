/**
 * Reads host names in the odd forms that public logs contain: URLs, text after a NUL, labels that no host name may
 * contain, raw Unicode in two encodings. The forms are those that SSLMate's certspotter learned to expect
 * (`identifiers.go`).
 */
import { domainToASCII } from "node:url";
import { latin1Text, utf8Text } from "./der-strings.ts";

/** Limits of RFC 1035, section 2.3.4. */
export const labelBytesMax = 63;
export const nameBytesMax = 253;

/** Longer values are no names: a host name in UTF-8 has at most four bytes for each of its 253 characters. */
const valueBytesMax = 4_096;

const dots = /[.\u3002\uff0e\uff61]/u;
const asciiLabel = /^[a-z0-9_-]{1,63}$/;
const numeric = /^(\d+|0x[0-9a-f]*)$/;
const nonAscii = /[^\0-\x7f]/;
const asciiOutsideOfLabels = /[^a-z0-9_\u0080-\u{10ffff}-]/u;

/**
 * Returns the host names that a value may stand for, in A-labels and lowercase: usually none or one. A name that has
 * labels which no host name may contain is returned without these labels and those before them, because its owner
 * controls the rest.
 */
export function namesInOddValue(value: Uint8Array): string[] {
  if (value.length > valueBytesMax) return [];
  const names = new Set<string>();
  for (const text of readings(value)) {
    const bare = text.trim().replace(/^https?:\/\//i, "");
    for (const form of [bare, bare.split(/[/\0]/, 1)[0]!]) {
      const host = form.slice(form.lastIndexOf("@") + 1).replace(/:\d{1,5}$/, "");
      const name = longestName(host);
      if (name !== undefined) names.add(name);
    }
  }
  return [...names];
}

/** Returns the bytes as text: bytes over 127 are read both as UTF-8 and as Latin-1. */
function readings(value: Uint8Array): string[] {
  const latin1 = latin1Text(value);
  if (!nonAscii.test(latin1)) return [latin1];
  const utf8 = utf8Text(value);
  return utf8 === undefined ? [latin1] : [utf8, latin1];
}

/** Returns the longest valid host name with at least two labels at the end of the text. */
function longestName(text: string): string | undefined {
  const labels = text
    .toLowerCase()
    .split(dots)
    .filter((label) => label !== "");
  if (numeric.test(labels.at(-1) ?? "")) return undefined;
  const kept: string[] = [];
  let bytes = -1;
  for (const label of labels.reverse()) {
    const ascii = toALabel(label);
    bytes += 1 + (ascii?.length ?? 0);
    if (ascii === undefined || bytes > nameBytesMax) break;
    kept.push(ascii);
  }
  return kept.length < 2 ? undefined : kept.reverse().join(".");
}

/** Returns the label as an A-label; undefined if host names cannot contain it. */
function toALabel(label: string): string | undefined {
  // `domainToASCII` reads the host of a URL: it stops at some characters and decodes others.
  const ascii = nonAscii.test(label) && !asciiOutsideOfLabels.test(label) ? domainToASCII(label) : label;
  return asciiLabel.test(ascii) ? ascii : undefined;
}
