import { unicodeName } from "../detection/names/name.ts";

const lineFeed = 0x0a;
const firstCapacity = 1 << 16;
/** No name is longer, and few addresses; what is beyond is not looked at. */
const typedMax = 1_024;
const cachedSearchesMax = 4;
/** Where so many of the first rows are hits, rows are looked at one by one: each call of indexOf costs more. */
const denseSample = 2_000;

/** Names of all threats, to be searched for a part of them; a row is never taken away and never changes. */
export interface NamesInMemory {
  /** Row is the number of names before. A-label form. */
  add(name: string): void;
  get(row: number): string;
  /** 1 for each row whose name holds the text, 0 for the others; of the first `rows`. */
  search(text: NameSearch): Uint8Array;
}

export interface NameSearch {
  /** Lower case, in A-label or U-label form. */
  text: string;
  startsWith: boolean;
}

/**
 * What a person typed into the search box, or pasted: a part of a name, `part*` for its beginning, or a whole
 * address, of which the host counts. Undefined: nothing to search for.
 */
export function readNameSearch(typed: string): NameSearch | undefined {
  let text = typed.slice(0, typedMax).normalize("NFC").trim().toLowerCase();
  const address = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:]*)/.exec(text);
  if (address !== null) text = address[1]!;
  const startsWith = text.endsWith("*");
  if (startsWith) text = text.slice(0, -1);
  return text === "" ? undefined : { text, startsWith };
}

export function createNamesInMemory({
  fold,
}: {
  /** The name as it looks, letter by letter: what a person types who means a homograph. */
  fold: (name: string) => string;
}): NamesInMemory {
  // Names in ASCII, a line feed after each; name `row` begins at `starts[row]`.
  let bytes = Buffer.alloc(firstCapacity * 24);
  let starts = new Uint32Array(firstCapacity);
  let count = 0;
  let used = 0;
  /** Of names with A-labels: as they are shown, and as they look. */
  const shown: { row: number; unicode: string; folded: string }[] = [];
  // Names never change, so a search that was made has to be carried on with the newest rows only.
  const searches = new Map<string, { found: Uint8Array; rows: number; shownRows: number }>();

  function get(row: number): string {
    return bytes.toString("latin1", starts[row]!, endOf(row));
  }

  function endOf(row: number): number {
    return (row + 1 < count ? starts[row + 1]! : used) - 1;
  }

  function searchAscii(needle: Buffer, startsWith: boolean, from: number, found: Uint8Array): void {
    let row = from;
    if (startsWith) {
      for (; row < count; row += 1) if (standsAt(needle, starts[row]!)) found[row] = 1;
      return;
    }
    const sampleEnd = Math.min(count, from + denseSample);
    let hits = 0;
    for (; row < sampleEnd; row += 1) if (isIn(needle, row)) hits += found[row] = 1;
    const dense = hits * 4 > sampleEnd - from;
    if (dense) {
      for (; row < count; row += 1) if (isIn(needle, row)) found[row] = 1;
      return;
    }
    const names = bytes.subarray(0, used);
    while (row < count) {
      const hit = names.indexOf(needle, starts[row]!);
      if (hit === -1) return;
      row = rowAt(hit, row);
      found[row] = 1;
      row += 1;
    }
  }

  /** The row whose name holds this place: steps that double from `row` on, then halves. */
  function rowAt(place: number, row: number): number {
    let step = 1;
    while (row + step < count && starts[row + step]! <= place) step *= 2;
    let low = row + (step >> 1);
    let high = Math.min(row + step, count);
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= place) low = middle;
      else high = middle;
    }
    return low;
  }

  function isIn(needle: Buffer, row: number): boolean {
    const last = endOf(row) - needle.length;
    const first = needle[0]!;
    for (let place = starts[row]!; place <= last; place += 1) {
      if (bytes[place] === first && standsAt(needle, place)) return true;
    }
    return false;
  }

  function standsAt(needle: Buffer, place: number): boolean {
    // The line feed after each name is in no needle, so no match runs into the next name.
    for (let index = 0; index < needle.length; index += 1) {
      if (bytes[place + index] !== needle[index]) return false;
    }
    return place + needle.length <= used;
  }

  return {
    get,
    add(name) {
      if (count === starts.length) starts = grown(starts, new Uint32Array(count * 2));
      if (used + name.length + 1 > bytes.length) bytes = grown(bytes, Buffer.alloc(bytes.length * 2));
      starts[count] = used;
      used += bytes.write(name, used, "latin1");
      bytes[used++] = lineFeed;
      if (name.includes("xn--")) {
        const unicode = unicodeName(name).toLowerCase().normalize("NFC");
        shown.push({ row: count, unicode, folded: fold(name) });
      }
      count += 1;
    },

    search({ text, startsWith }) {
      const key = `${startsWith ? "^" : ""}${text}`;
      const known = searches.get(key) ?? { found: new Uint8Array(starts.length), rows: 0, shownRows: 0 };
      searches.delete(key);
      if (known.found.length < count) known.found = grown(known.found, new Uint8Array(starts.length));
      const { found } = known;
      if (/^[\x21-\x7e]*$/.test(text))
        searchAscii(Buffer.from(text, "latin1"), startsWith, known.rows, found);
      for (const { row, unicode, folded } of shown.slice(known.shownRows)) {
        const holds = startsWith
          ? unicode.startsWith(text) || folded.startsWith(text)
          : unicode.includes(text) || folded.includes(text);
        if (holds) found[row] = 1;
      }
      known.rows = count;
      known.shownRows = shown.length;
      searches.set(key, known);
      if (searches.size > cachedSearchesMax) searches.delete(searches.keys().next().value!);
      return found;
    },
  };
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
