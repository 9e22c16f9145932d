import { grown } from "./grown.ts";
import { unicodeName } from "../../detection/names/name.ts";
import type { NameQuery } from "./name-query.ts";

const lineFeed = 0x0a;
const initialRows = 1 << 16;
const initialBytesPerRow = 24;
const cachedQueriesMax = 4;
/** Rows that decide whether matches are dense; then a call of `indexOf` per match costs more than a loop. */
const densitySampleRows = 2_000;
const denseShare = 1 / 4;

/**
 * The names of all threats for substring search. Rows are only ever appended and never change, so a repeated query
 * only has to scan the rows that are new.
 */
export interface NameColumn {
  /** Appends a name in A-label form as the next row. */
  add(name: string): void;
  get(row: number): string;
  /** Returns 1 for each row whose name matches; elements beyond the last row are undefined. */
  search(query: NameQuery): Uint8Array;
  /** Returns the names in the form that `createNameColumn` accepts. Names that are added later are not in it. */
  content(): NameContent;
}

/** The names of a column. */
export interface NameContent {
  /** Names with a line feed after each. */
  bytes: Buffer;
  /** Offset of each name. */
  starts: Uint32Array;
  internationalized: readonly InternationalizedName[];
}

/** A name with A-labels, in the forms in which people read it. */
export interface InternationalizedName {
  row: number;
  unicode: string;
  folded: string;
}

export function createNameColumn({
  fold,
  content,
}: {
  /** Maps a name to the letters that it looks like, which is what people type who search for a homograph. */
  fold: (name: string) => string;
  /** Names to begin with. */
  content?: NameContent | undefined;
}): NameColumn {
  const text = createText(content);
  const internationalized = [...(content?.internationalized ?? [])];
  const cache = new Map<string, { found: Uint8Array; rows: number; internationalized: number }>();

  return {
    get: text.get,
    content: () => ({ ...text.content(), internationalized: internationalized.slice() }),
    add(name) {
      if (name.includes("xn--")) {
        const unicode = unicodeName(name).toLowerCase().normalize("NFC");
        internationalized.push({ row: text.count(), unicode, folded: fold(name) });
      }
      text.add(name);
    },

    search({ text: wanted, startsWith }) {
      const key = `${startsWith ? "^" : ""}${wanted}`;
      const cached = cache.get(key) ?? { found: new Uint8Array(text.count()), rows: 0, internationalized: 0 };
      // Inserted again below, so that the map's order is that of last use.
      cache.delete(key);
      const count = text.count();
      if (cached.found.length < count) cached.found = copyInto(cached.found, new Uint8Array(count * 2));
      const { found } = cached;
      if (/^[\x21-\x7e]*$/.test(wanted))
        markMatches({ text, needle: Buffer.from(wanted, "latin1"), startsWith, from: cached.rows, found });
      for (const { row, unicode, folded } of internationalized.slice(cached.internationalized)) {
        const matches = startsWith
          ? unicode.startsWith(wanted) || folded.startsWith(wanted)
          : unicode.includes(wanted) || folded.includes(wanted);
        if (matches) found[row] = 1;
      }
      cached.rows = count;
      cached.internationalized = internationalized.length;
      cache.set(key, cached);
      if (cache.size > cachedQueriesMax) cache.delete(cache.keys().next().value!);
      return found;
    },
  };
}

type Text = ReturnType<typeof createText>;

/** Appendable names in one buffer, separated by line feeds: 1 byte per letter and 5 per name. */
function createText(content?: Pick<NameContent, "bytes" | "starts">) {
  let bytes = content?.bytes ?? Buffer.alloc(initialRows * initialBytesPerRow);
  let starts = content?.starts ?? new Uint32Array(initialRows);
  let count = content?.starts.length ?? 0;
  let used = content?.bytes.length ?? 0;

  function endOf(row: number): number {
    return (row + 1 < count ? starts[row + 1]! : used) - 1;
  }

  /** Whether the needle is at this offset. It has no line feed, so it never runs into the next name. */
  function isAt(needle: Buffer, offset: number): boolean {
    for (let index = 0; index < needle.length; index += 1) {
      if (bytes[offset + index] !== needle[index]) return false;
    }
    return offset + needle.length <= used;
  }

  return {
    count: () => count,
    content: () => ({ bytes: bytes.subarray(0, used), starts: starts.subarray(0, count) }),
    get: (row: number) => bytes.toString("latin1", starts[row]!, endOf(row)),

    add(name: string): void {
      if (count === starts.length) starts = copyInto(starts, new Uint32Array(grown(count)));
      if (used + name.length + 1 > bytes.length)
        bytes = copyInto(bytes, Buffer.alloc(grown(used) + name.length));
      starts[count] = used;
      used += bytes.write(name, used, "latin1");
      bytes[used++] = lineFeed;
      count += 1;
    },

    startsWith: (row: number, needle: Buffer) => isAt(needle, starts[row]!),

    includes(row: number, needle: Buffer): boolean {
      const last = endOf(row) - needle.length;
      const first = needle[0]!;
      for (let offset = starts[row]!; offset <= last; offset += 1) {
        if (bytes[offset] === first && isAt(needle, offset)) return true;
      }
      return false;
    },

    /** Returns the first row from `row` on that includes the needle; undefined if there is none. */
    nextIncluding(row: number, needle: Buffer): number | undefined {
      const offset = bytes.subarray(0, used).indexOf(needle, starts[row]!);
      return offset === -1 ? undefined : rowAt(offset, row);
    },
  };

  /** Returns the row that holds an offset: an exponential search from `row` on, then a binary search. */
  function rowAt(offset: number, row: number): number {
    let step = 1;
    while (row + step < count && starts[row + step]! <= offset) step *= 2;
    let low = row + (step >> 1);
    let high = Math.min(row + step, count);
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Sets `found[row] = 1` for each matching row from `from` on. */
function markMatches({
  text,
  needle,
  startsWith,
  from,
  found,
}: {
  text: Text;
  needle: Buffer;
  startsWith: boolean;
  from: number;
  found: Uint8Array;
}): void {
  const count = text.count();
  let row = from;
  if (startsWith) {
    for (; row < count; row += 1) if (text.startsWith(row, needle)) found[row] = 1;
    return;
  }
  const sampleEnd = Math.min(count, from + densitySampleRows);
  let matches = 0;
  for (; row < sampleEnd; row += 1) if (text.includes(row, needle)) matches += found[row] = 1;
  if (matches > (sampleEnd - from) * denseShare) {
    for (; row < count; row += 1) if (text.includes(row, needle)) found[row] = 1;
    return;
  }
  while (row < count) {
    const next = text.nextIncluding(row, needle);
    if (next === undefined) return;
    found[next] = 1;
    row = next + 1;
  }
}

function copyInto<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
