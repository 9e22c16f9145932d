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

/** Names in buffers of thousands, so that none is copied when more are added: a byte per letter and one per name. */
export interface NameText {
  count(): number;
  add(name: string): void;
  get(row: number): string;
  /** Sets `found[row] = 1` for each row from `from` on whose name includes the needle, or starts with it. */
  mark(needle: Buffer, options: { startsWith: boolean; from: number; found: Uint8Array }): void;
  /** Returns the names of the first rows, in parts. */
  content(rows: number): NameTextContent[];
}

/** @param content names to begin with */
export function createNameText(content?: NameTextContent): NameText {
  const segments = content === undefined ? [] : divided(content);
  let count = content?.lengths.length ?? 0;

  return {
    count: () => count,

    add(text) {
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

    get(row) {
      const segment = segments[Math.floor(row / segmentRows)]!;
      const place = row % segmentRows;
      const start = startOf(segment, place);
      return segment.bytes.toString("latin1", start, start + segment.lengths[place]!);
    },

    mark(needle, { startsWith, from, found }) {
      /** Undefined until enough rows were compared. */
      let isDense = startsWith ? true : undefined;
      for (let row = from; row < count;) {
        const index = Math.floor(row / segmentRows);
        const first = index * segmentRows;
        const sampled = isDense === undefined ? densitySampleRows : segmentRows;
        const end = Math.min(count, first + segmentRows, row + sampled);
        const part = { segment: segments[index]!, from: row - first, end: end - first };
        const marked = found.subarray(first, end);
        if (isDense === false) markByJumps(part, needle, marked);
        else {
          const matches = markOneByOne(part, needle, startsWith, marked);
          isDense ??= matches > (end - row) * denseShare;
        }
        row = end;
      }
    },

    content: (rows) =>
      segments.slice(0, Math.ceil(rows / segmentRows)).map((segment, index) => {
        const size = Math.min(segmentRows, rows - index * segmentRows);
        const end = startOf(segment, size - 1) + segment.lengths[size - 1]!;
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
      segment.used += segment.lengths[place]!;
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
  let start = starts[counted / rowsPerStart]!;
  for (let index = counted; index < place; index += 1) start += lengths[index]!;
  return start;
}

/** Names of a segment from `from` up to `end`. */
interface Part {
  segment: Segment;
  from: number;
  end: number;
}

/** Compares each name, and returns the number of matches. */
function markOneByOne(
  { segment, from, end }: Part,
  needle: Buffer,
  startsWith: boolean,
  marked: Uint8Array,
): number {
  const { bytes, lengths } = segment;
  let matches = 0;
  let start = startOf(segment, from);
  for (let place = from; place < end; place += 1) {
    const next = start + lengths[place]!;
    const last = Math.min(startsWith ? start : next, next - needle.length);
    for (let offset = start; offset <= last; offset += 1) {
      if (!isAt(bytes, needle, offset)) continue;
      marked[place] = 1;
      matches += 1;
      break;
    }
    start = next;
  }
  return matches;
}

function isAt(bytes: Buffer, needle: Buffer, offset: number): boolean {
  for (let index = 0; index < needle.length; index += 1)
    if (bytes[offset + index] !== needle[index]) return false;
  return true;
}

/** Jumps from match to match, which takes less time if they are few. */
function markByJumps({ segment, from, end }: Part, needle: Buffer, marked: Uint8Array): void {
  const { bytes, lengths } = segment;
  let place = from;
  let next = startOf(segment, place) + lengths[place]!;
  let offset = bytes.indexOf(needle, next - lengths[place]!);
  while (offset !== -1) {
    while (next <= offset) {
      place += 1;
      if (place >= end) return;
      next += lengths[place]!;
    }
    const isWithin = offset + needle.length <= next;
    if (isWithin) marked[place] = 1;
    // Otherwise the match runs into the next name, and is none.
    offset = bytes.indexOf(needle, isWithin ? next : offset + 1);
  }
}
