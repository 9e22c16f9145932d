import { addRow, type RowSet } from "../arrays/row-set.ts";

/** Rows per segment; the last one may have fewer. */
const segmentRows = 4_096;
/** Rows whose lengths are added up to find a name in its segment. */
const rowsPerStart = 64;
const initialSegmentBytes = segmentRows * 8;
const lengthMax = 255;
/** Rows that decide whether matches are dense; then a call of `indexOf` per match costs more than a loop. */
const densitySampleRows = 2_000;
const denseShare = 1 / 4;

interface Segment {
  /** The names, without anything between them. */
  bytes: Buffer;
  used: number;
  lengths: Uint8Array;
  /** Where every 64th name starts. */
  starts: Uint32Array;
}

/** All names without anything between them, and the length of each. */
export interface NameTextContent {
  bytes: Buffer;
  lengths: Uint8Array;
}

/**
 * Keeps names in buffers of thousands, so that none is copied when more are added: a byte per letter and one per name.
 * @param content names to begin with
 */
export function createNameText(content?: NameTextContent) {
  const segments = content === undefined ? [] : divided(content);
  let count = content?.lengths.length ?? 0;

  return {
    count: () => count,

    add(text: string) {
      const name = text.slice(0, lengthMax);
      const place = count % segmentRows;
      if (place === 0) {
        const last = segments.at(-1);
        if (last !== undefined && last.used < last.bytes.length) trim(last);
        segments.push(createSegment());
      }
      const segment = segments.at(-1)!;
      if (segment.used + name.length > segment.bytes.length) enlarge(segment);
      if (place % rowsPerStart === 0) segment.starts[place / rowsPerStart] = segment.used;
      segment.lengths[place] = name.length;
      segment.used += segment.bytes.write(name, segment.used, "latin1");
      count += 1;
    },

    get(row: number): string {
      const segment = segments[Math.floor(row / segmentRows)]!;
      const place = row % segmentRows;
      const start = startOf(segment, place);
      return segment.bytes.toString("latin1", start, start + segment.lengths[place]!);
    },

    /** Adds each row from `from` on whose name includes the needle, or starts with it. */
    find(
      needle: Buffer,
      { startsWith, from, found }: { startsWith: boolean; from: number; found: RowSet },
    ): void {
      /** Undefined until enough rows were compared. */
      let isDense: boolean | undefined;
      const skips = skipsOf(needle);
      for (let row = from; row < count;) {
        const index = Math.floor(row / segmentRows);
        const first = index * segmentRows;
        const sampled = isDense === undefined ? densitySampleRows : segmentRows;
        const end = Math.min(count, first + segmentRows, row + sampled);
        const part = { segment: segments[index]!, first, from: row - first, end: end - first };
        if (startsWith) findPrefixes(part, needle, found);
        else if (isDense === false) findByJumps(part, needle, found);
        else {
          const matches = findOneByOne(part, needle, skips, found);
          isDense ??= matches > (end - row) * denseShare;
        }
        row = end;
      }
    },

    /** Returns the names of the first rows, in parts. */
    content: (rows: number): NameTextContent[] =>
      segments.slice(0, Math.ceil(rows / segmentRows)).map((segment, index) => {
        const size = Math.min(segmentRows, rows - index * segmentRows);
        const end = startOf(segment, size - 1) + (segment.lengths[size - 1] ?? 0);
        return { bytes: segment.bytes.subarray(0, end), lengths: segment.lengths.subarray(0, size) };
      }),
  };
}

function createSegment(): Segment {
  return {
    bytes: Buffer.alloc(initialSegmentBytes),
    used: 0,
    lengths: new Uint8Array(segmentRows),
    starts: new Uint32Array(segmentRows / rowsPerStart),
  };
}

function enlarge(segment: Segment): void {
  const larger = Buffer.alloc(Math.max(initialSegmentBytes, segment.bytes.length * 2));
  larger.set(segment.bytes);
  segment.bytes = larger;
}

/** Frees the room of a segment to which no name will be added. */
function trim(segment: Segment): void {
  const exact = Buffer.alloc(segment.used);
  exact.set(segment.bytes.subarray(0, segment.used));
  segment.bytes = exact;
}

function divided({ bytes, lengths }: NameTextContent): Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  for (let first = 0; first < lengths.length; first += segmentRows) {
    const segment = createSegment();
    segment.lengths.set(lengths.subarray(first, first + segmentRows));
    for (let place = 0; place < segmentRows; place += 1) {
      if (place % rowsPerStart === 0) segment.starts[place / rowsPerStart] = segment.used;
      segment.used += segment.lengths[place] ?? 0;
    }
    segment.bytes = bytes.subarray(start, start + segment.used);
    start += segment.used;
    segments.push(segment);
  }
  return segments;
}

/** Returns where a name of a segment starts. */
function startOf({ lengths, starts }: Segment, place: number): number {
  const counted = place - (place % rowsPerStart);
  let start = starts[counted / rowsPerStart] ?? 0;
  for (let index = counted; index < place; index += 1) start += lengths[index] ?? 0;
  return start;
}

/** Names of a segment from `from` up to `end`. */
interface Part {
  segment: Segment;
  /** Row of the first name of the segment. */
  first: number;
  from: number;
  end: number;
}

/** Adds the names that start with the needle. Compares from its end, since many names have a beginning in common. */
function findPrefixes({ segment, first, from, end }: Part, needle: Buffer, found: RowSet): void {
  const { bytes, lengths } = segment;
  let start = startOf(segment, from);
  for (let place = from; place < end; place += 1) {
    const length = lengths[place] ?? 0;
    let index = needle.length - 1;
    if (length > index) {
      while (index >= 0 && bytes[start + index] === needle[index]) index -= 1;
      if (index === -1) addRow(found, first + place);
    }
    start += length;
  }
}

/**
 * Returns by how much a search may move on from a place where the needle is not, by the byte at its last position there
 * (Horspool, "Practical fast searching in strings", 1980).
 */
function skipsOf(needle: Buffer): Uint16Array {
  const skips = new Uint16Array(256).fill(needle.length);
  for (let index = 0; index < needle.length - 1; index += 1)
    skips[needle[index] ?? 0] = needle.length - 1 - index;
  return skips;
}

/** Searches each name, and returns the number of matches. */
function findOneByOne(
  { segment, first, from, end }: Part,
  needle: Buffer,
  skips: Uint16Array,
  found: RowSet,
): number {
  const { bytes, lengths } = segment;
  const lastIndex = needle.length - 1;
  const lastByte = needle[lastIndex] ?? 0;
  let matches = 0;
  let next = startOf(segment, from);
  for (let place = from; place < end; place += 1) {
    let last = next + lastIndex;
    next += lengths[place] ?? 0;
    while (last < next) {
      const byte = bytes[last] ?? 0;
      if (byte === lastByte && isAt(bytes, needle, last - lastIndex)) {
        addRow(found, first + place);
        matches += 1;
        break;
      }
      last += skips[byte] ?? 0;
    }
  }
  return matches;
}

function isAt(bytes: Buffer, needle: Buffer, offset: number): boolean {
  for (let index = 0; index < needle.length; index += 1)
    if (bytes[offset + index] !== needle[index]) return false;
  return true;
}

/** Jumps from match to match, which takes less time if they are few. */
function findByJumps({ segment, first, from, end }: Part, needle: Buffer, found: RowSet): void {
  const { bytes, lengths } = segment;
  let place = from;
  let next = startOf(segment, place) + (lengths[place] ?? 0);
  let offset = bytes.indexOf(needle, next - (lengths[place] ?? 0));
  while (offset !== -1) {
    while (next <= offset) {
      place += 1;
      if (place >= end) return;
      next += lengths[place] ?? 0;
    }
    const isWithin = offset + needle.length <= next;
    if (isWithin) addRow(found, first + place);
    // Otherwise the match runs into the next name, and is none.
    offset = bytes.indexOf(needle, isWithin ? next : offset + 1);
  }
}
