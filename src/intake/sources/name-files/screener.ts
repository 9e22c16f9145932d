/** Prefilters a list of names: names that cannot match are only counted, and passed on to be archived. */
import type { Matcher } from "../../../engines/detection/match/matcher.ts";
import { parserOf, type LineByLine } from "../name-file-formats/formats.ts";
import { cutLines } from "../name-file-formats/lines.ts";
import { createNameChunkBuilder, joinNames, type NameChunk } from "../name-file-formats/name-chunk.ts";
import type { LineParser } from "../name-file-formats/plain-lines.ts";

/** Complete lines, each with its line feed: the first `length` of `bytes`. */
export interface WholeLines {
  bytes: Uint8Array<ArrayBuffer>;
  length: number;
  /** The last line feed is not in the list: that line may still be being written. */
  open?: boolean;
}

/** Returns the names that may match in a chunk of its own. Positions are relative to the start of the lines. */
export type Screener = (lines: WholeLines) => ScreenedChunk;

/** A chunk of the names that may match. `joined` contains the others as well. */
export type ScreenedChunk = NameChunk & Required<Pick<NameChunk, "joined">>;

/** @param parse reads the lines of the list from its start */
export function createScreener(
  format: LineByLine,
  matcher: Pick<Matcher, "screenNames">,
  parse: LineParser = parserOf(format),
): Screener {
  const builder = createNameChunkBuilder();
  return ({ bytes, length, open = false }) => {
    const block = cutLines(bytes, length);
    parse(block, builder);
    const ended = block.count - (open ? 1 : 0);
    return keep(builder.finish({ position: block.nexts[ended - 1] ?? 0, line: 1 + ended }), matcher);
  };
}

/** Copies the entries that are invalid or may match, with their links, into a chunk of its own. */
function keep(whole: NameChunk, matcher: Pick<Matcher, "screenNames">): ScreenedChunk {
  const passed = matcher.screenNames(whole, 0, whole.count);
  const kept: number[] = [];
  let bytesUsed = 0;
  const hasLink = (i: number) => whole.links > 0 && (whole.linkEnds[i] ?? 0) > 0;
  const startOf = (i: number) => (hasLink(i) ? (whole.linkStarts[i] ?? 0) : (whole.starts[i] ?? 0));
  const endOf = (i: number) => (hasLink(i) ? (whole.linkEnds[i] ?? 0) : (whole.ends[i] ?? 0));
  for (let i = 0; i < whole.count; i++) {
    if (passed[i] === 0 && !whole.errors.has(i)) continue;
    kept.push(i);
    bytesUsed += endOf(i) - startOf(i);
  }
  const bytes = new Uint8Array(bytesUsed);
  const starts = new Int32Array(kept.length);
  const ends = new Int32Array(kept.length);
  const linkStarts = new Int32Array(whole.links > 0 ? kept.length : 0);
  const linkEnds = new Int32Array(linkStarts.length);
  let links = 0;
  let used = 0;
  for (const [at, i] of kept.entries()) {
    const [from, to] = [startOf(i), endOf(i)];
    bytes.set(whole.bytes.subarray(from, to), used);
    starts[at] = used + (whole.starts[i] ?? 0) - from;
    ends[at] = used + (whole.ends[i] ?? 0) - from;
    if (hasLink(i)) {
      linkStarts[at] = used;
      linkEnds[at] = used + to - from;
      links++;
    }
    used += to - from;
  }
  const pick = (array: Int32Array) => Int32Array.from(kept, (i) => array[i] ?? 0);
  return {
    ...whole,
    bytes,
    count: kept.length,
    dropped: whole.count - kept.length,
    joined: joinNames(whole),
    starts,
    ends,
    links,
    linkStarts,
    linkEnds,
    lines: pick(whole.lines),
    nexts: pick(whole.nexts),
    nextLines: pick(whole.nextLines),
    errors: new Map(kept.flatMap((i, at) => (whole.errors.has(i) ? [[at, whole.errors.get(i)!]] : []))),
  };
}
