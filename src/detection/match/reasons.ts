/** Reasons in plain words, safe for a terminal. */
import { escapeHidden } from "../../lib/safe-text.ts";
import { decodeLabel } from "../names/name.ts";
import type { Reason } from "../types.ts";

export function describeReason(reason: Reason): string {
  switch (reason.kind) {
    case "split":
      return `${quote(reason.expected)} is split up as ${quote(reason.found)}`;
    case "sound":
      return `${quote(reason.label)} sounds like ${quote(reason.expected)} (both ${reason.code})`;
    case "whole_name":
      return `the whole name ${quote(reason.expected)} is embedded as ${quote(reason.found)}`;
    case "whole_label":
      return reason.label === reason.expected
        ? `the label is ${quote(reason.expected)} and nothing else`
        : `the whole label ${quote(reason.label)} reads as ${quote(reason.expected)}`;
    case "label_part":
      return `${quote(reason.found)} stands at position ${reason.position + 1} of the label ${quote(reason.label)}`;
    case "sub_label":
      return `the label ${quote(reason.label)} stands below ${quote(reason.registrableDomain)}`;
    case "hosted":
      return `anybody can have a name under ${quote(reason.suffix)}`;
    case "other_suffix":
      return `the suffix is ${quote(reason.found)} in place of ${quote(reason.expected)}`;
    case "keyword":
      return `${quote(reason.keyword)} in ${quote(reason.label)} is a word that phishing names use`;
    default:
      return `${describeEdit(reason)} at position ${reason.position + 1} of the label ${quote(reason.label)}`;
  }
}

function describeEdit(edit: { kind: string; found: string; expected: string }): string {
  switch (edit.kind) {
    case "confusable":
      return `${quote(edit.found)}${codePoints(edit.found)} looks like ${quote(edit.expected)}`;
    case "omission":
      return `${quote(edit.expected)} is left out`;
    case "insertion":
      return `${quote(edit.found)} is added`;
    case "repetition":
      return `${quote(edit.found)} is repeated`;
    case "plural":
      return `${quote(edit.found)} is added as a plural`;
    case "transposition":
      return `${quote(edit.expected)} is transposed to ${quote(edit.found)}`;
    case "bit_flip":
      return `${quote(edit.found)} is one bit away from ${quote(edit.expected)}`;
    case "keyboard_neighbour":
      return `${quote(edit.found)} is next to ${quote(edit.expected)} on the keyboard`;
    case "vowel_swap":
      return `the vowel ${quote(edit.expected)} is replaced by ${quote(edit.found)}`;
    default:
      return `${quote(edit.expected)} is replaced by ${quote(edit.found)}`;
  }
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
