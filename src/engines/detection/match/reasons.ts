/** Renders the engine's reasons as text that is safe for a terminal. */
import { escapeHidden } from "../../../platform/lib/safe-text.ts";
import { decodeLabel } from "../names/name.ts";
import type { Reason } from "../types.ts";

export function describeReason({ code, params }: Reason): string {
  switch (code) {
    case "split":
      return `${quote(params.expected)} is ${separated(params)} as ${quote(params.found)}`;
    case "sound":
      return `${quote(params.label)} sounds like ${quote(params.expected)} (both ${params.code})`;
    case "whole_name":
      return `the whole name ${quote(params.expected)} is embedded as ${quote(params.found)}`;
    case "whole_label":
      return params.label === params.expected
        ? `the label is ${quote(params.expected)} and nothing else`
        : `the whole label ${quote(params.label)} reads as ${quote(params.expected)}`;
    case "label_part":
      return `${quote(params.found)} stands ${atPosition(params)}`;
    case "sub_label":
      return `the label ${quote(params.label)} stands below ${quote(params.registrableDomain)}`;
    case "hosted":
      return `anybody can have a name under ${quote(params.suffix)}`;
    case "other_suffix":
      return `the suffix is ${quote(params.found)} in place of ${quote(params.expected)}`;
    case "keyword":
      return `${quote(params.keyword)} in ${quote(params.label)} is a word that phishing names use`;
    case "confusable":
      return `${quote(params.found)}${codePoints(params.found)} looks like ${quote(params.expected)} ${atPosition(params)}`;
    case "omission":
      return `${quote(params.expected)} is left out ${atPosition(params)}`;
    case "insertion":
      return `${quote(params.found)} is added ${atPosition(params)}`;
    case "repetition":
      return `${quote(params.found)} is repeated ${atPosition(params)}`;
    case "plural":
      return `${quote(params.found)} is added as a plural ${atPosition(params)}`;
    case "transposition":
      return `${quote(params.expected)} is transposed to ${quote(params.found)} ${atPosition(params)}`;
    case "bit_flip":
      return `${quote(params.found)} is one bit away from ${quote(params.expected)} ${atPosition(params)}`;
    case "keyboard_neighbor":
      return `${quote(params.found)} is next to ${quote(params.expected)} on the keyboard ${atPosition(params)}`;
    case "vowel_swap":
      return `the vowel ${quote(params.expected)} is replaced by ${quote(params.found)} ${atPosition(params)}`;
    case "replacement":
      return `${quote(params.expected)} is replaced by ${quote(params.found)} ${atPosition(params)}`;
  }
}

function separated({ found, expected }: { found: string; expected: string }): string {
  const count = (text: string): number => text.split(/[-.]/).length;
  if (count(found) === count(expected)) return "written with other separators";
  return count(found) > count(expected) ? "split up" : "written together";
}

function atPosition({ position, label }: { position: number; label: string }): string {
  return `at position ${position + 1} of the label ${quote(label)}`;
}

function quote(text: string): string {
  return `"${escapeHidden(text.startsWith("xn--") ? decodeLabel(text) : text)}"`;
}

function codePoints(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return "";
  const points = Array.from(
    text,
    (c) => `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`,
  );
  return ` (${points.join(" ")})`;
}
