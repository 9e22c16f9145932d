/** Prefilters a list of names: names that cannot match are only counted. */
import type { Matcher } from "../../detection/match/matcher.ts";
import { createJsonLinesParser } from "../list-formats/json-lines.ts";
import { cutLines } from "../list-formats/lines.ts";
import { createNameChunkBuilder, type NameChunk } from "../list-formats/name-chunk.ts";
import { parsePlainLines, type LineParser } from "../list-formats/plain-lines.ts";

/** Formats in which lines are independent, so that a list may be split between any two lines. */
export type LineByLine = { format: "lines" } | { format: "jsonl"; column: string };

/** Complete lines, each with its line feed: the first `length` of `bytes`. */
export interface WholeLines {
  bytes: Uint8Array<ArrayBuffer>;
  length: number;
  /** The last line feed is not in the list: that line may still be being written. */
  open?: boolean;
}

/** Returns the names that may match in a chunk of its own. Positions are relative to the start of the lines. */
export type Screener = (lines: WholeLines) => NameChunk;

export function createScreener(format: LineByLine, matcher: Pick<Matcher, "screen">): Screener {
  const parse: LineParser =
    format.format === "lines" ? parsePlainLines : createJsonLinesParser(format.column);
  const builder = createNameChunkBuilder();
  return ({ bytes, length, open = false }) => {
    const block = cutLines(bytes, length);
    parse(block, builder);
    const ended = block.count - (open ? 1 : 0);
    return keep(builder.finish({ position: block.nexts[ended - 1] ?? 0, line: 1 + ended }), matcher);
  };
}

/** Copies the entries that are invalid or may match into a chunk of its own. */
function keep(whole: NameChunk, matcher: Pick<Matcher, "screen">): NameChunk {
  const kept: number[] = [];
  for (let i = 0; i < whole.count; i++) {
    if (whole.errors.has(i) || matcher.screen(whole.bytes, whole.starts[i]!, whole.ends[i]!)) kept.push(i);
  }
  const bytes = new Uint8Array(kept.reduce((sum, i) => sum + whole.ends[i]! - whole.starts[i]!, 0));
  const starts = new Int32Array(kept.length);
  const ends = new Int32Array(kept.length);
  let used = 0;
  for (const [at, i] of kept.entries()) {
    starts[at] = used;
    bytes.set(whole.bytes.subarray(whole.starts[i]!, whole.ends[i]!), used);
    used += whole.ends[i]! - whole.starts[i]!;
    ends[at] = used;
  }
  const pick = (array: Int32Array) => Int32Array.from(kept, (i) => array[i]!);
  return {
    ...whole,
    bytes,
    count: kept.length,
    dropped: whole.count - kept.length,
    starts,
    ends,
    lines: pick(whole.lines),
    nexts: pick(whole.nexts),
    nextLines: pick(whole.nextLines),
    errors: new Map(kept.flatMap((i, at) => (whole.errors.has(i) ? [[at, whole.errors.get(i)!]] : []))),
  };
}
