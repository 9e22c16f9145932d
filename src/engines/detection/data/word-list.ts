/**
 * A sorted list of words, searched in place: a set of 70,000 strings would delay the start of every command. The index
 * by the first three letters leaves a few words to search.
 */

const lengthMin = 3;
const lineFeed = 0x0a;
const letters = 26;
const codeOfA = 0x61;

/** @param lines words of at least three letters `a` to `z` in ascending order, each with a line feed after it */
export function createWordList(lines: string) {
  // A buffer is searched several times as fast as a string.
  const bytes = Buffer.from(lines);
  const { starts, firstOfTriple } = indexOf(bytes);

  /** Returns the first word from `low` to before `high` whose character at `index` is at least `code`, or `high`. */
  function firstFrom(low: number, high: number, index: number, code: number): number {
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bytes[starts[middle]! + index]! < code) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    has(text: string) {
      if (text.length < lengthMin) return false;
      const triple = tripleAt(text, 0);
      if (triple < 0) return false;
      let low = firstOfTriple[triple]!;
      let high = firstOfTriple[triple + 1]!;
      for (let index = lengthMin; low < high && index < text.length; index++) {
        const code = text.charCodeAt(index);
        low = firstFrom(low, high, index, code);
        high = firstFrom(low, high, index, code + 1);
      }
      // A line feed sorts before all letters, so the word itself comes before its continuations.
      return low < high && bytes[starts[low]! + text.length] === lineFeed;
    },

    /**
     * Writes the lengths of the words that `text` contains from `start` on, the shortest first, to `lengths` from index
     * `count` on, and returns the index after the last one.
     */
    lengthsAt(text: string, start: number, lengths: Uint8Array, count: number) {
      if (start + lengthMin > text.length) return count;
      const triple = tripleAt(text, start);
      if (triple < 0) return count;
      let low = firstOfTriple[triple]!;
      let high = firstOfTriple[triple + 1]!;
      // Narrows the range of words to those that start with one more letter of the text.
      for (let length = lengthMin; low < high; length++) {
        if (bytes[starts[low]! + length] === lineFeed) lengths[count++] = length;
        if (start + length >= text.length) break;
        const code = text.charCodeAt(start + length);
        low = firstFrom(low, high, length, code);
        high = firstFrom(low, high, length, code + 1);
      }
      return count;
    },

    /** Returns whether a word contains `text`. */
    contains: (text: string) => bytes.includes(text),

    /** Returns the number of words that contain `text` and are longer, up to `countMax`. */
    countAround(text: string, countMax: number) {
      let count = 0;
      for (let at = bytes.indexOf(text); at >= 0 && count < countMax; at = bytes.indexOf(text, at + 1)) {
        const isWhole = (at === 0 || bytes[at - 1] === lineFeed) && bytes[at + text.length] === lineFeed;
        if (!isWhole) count++;
      }
      return count;
    },
  };
}

/**
 * Returns where each word starts, and `firstOfTriple[(26 * first + second) * 26 + third]`: the first word that starts
 * with these letters or sorts after them.
 */
function indexOf(bytes: Uint8Array): { starts: Int32Array; firstOfTriple: Int32Array } {
  const starts: number[] = [];
  const firstOfTriple = new Int32Array(letters ** 3 + 1);
  let reached = 0;
  for (let start = 0; start < bytes.length; start = bytes.indexOf(lineFeed, start) + 1) {
    const triple = tripleOf(bytes[start]!, bytes[start + 1]!, bytes[start + 2]!);
    while (reached <= triple) firstOfTriple[reached++] = starts.length;
    starts.push(start);
  }
  firstOfTriple.fill(starts.length, reached);
  return { starts: Int32Array.from(starts), firstOfTriple };
}

function tripleAt(text: string, start: number): number {
  return tripleOf(text.charCodeAt(start), text.charCodeAt(start + 1), text.charCodeAt(start + 2));
}

/** Returns the number of three letters, or -1 if one of them is no letter. */
function tripleOf(first: number, second: number, third: number): number {
  const areLetters = isLetter(first) && isLetter(second) && isLetter(third);
  return areLetters ? ((first - codeOfA) * letters + second - codeOfA) * letters + third - codeOfA : -1;
}

function isLetter(code: number): boolean {
  return code >= codeOfA && code < codeOfA + letters;
}
