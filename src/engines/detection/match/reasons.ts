/** Renders the engine's reasons as text that is safe for a terminal. */
import { escapeHidden } from "../../../platform/lib/safe-text.ts";
import { fillIn } from "../../../platform/lib/wording.ts";
import { codePointOf } from "../letters/code-point.ts";
import { decodeLabel } from "../names/name.ts";
import type { Reason } from "../types.ts";
import texts from "./reasons.json" with { type: "json" };

export function describeReason({ code, params }: Reason): string {
  const values: Record<string, string | number> = {};
  // Positions are counted from 0.
  for (const [name, value] of Object.entries(params) as [string, string | number][])
    values[name] = typeof value === "number" ? value + 1 : shown(value);
  if (code === "split") values["separated"] = separated(params);
  if (code === "confusable") values["codePoints"] = codePoints(params.found);
  const isSame = code === "whole_label" && params.label === params.expected;
  return fillIn(texts[isSame ? "same_label" : code], values);
}

function separated({ found, expected }: { found: string; expected: string }): string {
  const count = (text: string): number => text.split(/[-.]/).length;
  if (count(found) === count(expected)) return "written with other separators";
  return count(found) > count(expected) ? "split up" : "written together";
}

function shown(text: string): string {
  return escapeHidden(text.startsWith("xn--") ? decodeLabel(text) : text);
}

function codePoints(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return "";
  return ` (${Array.from(text, codePointOf).join(" ")})`;
}
