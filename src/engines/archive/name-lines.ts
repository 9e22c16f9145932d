import type { NameRanges } from "../detection/filter/encoded-text.ts";

const lineFeed = 0x0a;

/** Returns names in the form in which `Archive.add` takes them. */
export function nameLines(names: readonly string[]): Uint8Array {
  return new TextEncoder().encode(names.map((name) => `${name}\n`).join(""));
}

/** Returns the places of names of which each is followed by a line feed. */
export function rangesOfLines(lines: Uint8Array): NameRanges & { count: number } {
  let count = 0;
  for (let i = 0; i < lines.length; i++) if (lines[i] === lineFeed) count++;
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  for (let name = 0, start = 0; name < count; name++) {
    starts[name] = start;
    ends[name] = lines.indexOf(lineFeed, start);
    start = ends[name]! + 1;
  }
  return { bytes: lines, starts, ends, count };
}
