import { lazy } from "../../platform/lib/startup.ts";

/**
 * Returns `text`, truncated to at most `lengthMax` UTF-16 code units with an ellipsis at the end. Never splits a
 * character, including what is made of several code points (a letter with its accents, a flag).
 */
export function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  if (lengthMax < 1) return "";
  // Bounds the work for text of any length. The last character of the slice may be incomplete.
  const start = text.slice(0, lengthMax + 1);
  let end = 0;
  for (const { index, segment } of graphemes().segment(start)) {
    if (index + segment.length > lengthMax - 1) break;
    end = index + segment.length;
  }
  return `${withoutHalf(start.slice(0, end === 0 ? lengthMax - 1 : end)).trimEnd()}…`;
}

// Loads the tables of the runtime, which takes 1 ms.
const graphemes = lazy(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/** Removes the first half of a surrogate pair at the end. */
function withoutHalf(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, "");
}
