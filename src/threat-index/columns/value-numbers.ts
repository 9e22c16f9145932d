/** Numbers for values that many rows share, so that a row needs four bytes. A row without a value has the number 0. */
export interface ValueNumbers {
  /** Returns the number of the value that `valueOf` gives for a stored text; a new value gets the next number. */
  numberOf(text: string | null): number;
  /** Returns the number of a value; undefined if no row has had it. */
  find(value: string): number | undefined;
  valueOf(number: number): string;
  /** Records that an active threat has the value now (1), or no longer (-1). */
  count(number: number, by: 1 | -1): void;
  /** Number of active threats by number of their value; as many elements as there are numbers. */
  active(): Uint32Array;
}

const initialCapacity = 64;

/** @param valueOf null: none. Without it, the text is the value. */
export function createValueNumbers(valueOf?: (text: string) => string | null): ValueNumbers {
  const values = [""];
  const numbers = new Map<string, number>();
  let counts = new Uint32Array(initialCapacity);
  return {
    numberOf(text) {
      const value = text === null || valueOf === undefined ? text : valueOf(text);
      if (value === null || value === "") return 0;
      let number = numbers.get(value);
      if (number === undefined) {
        number = values.push(value) - 1;
        numbers.set(value, number);
      }
      return number;
    },
    find: (value) => numbers.get(value),
    valueOf: (number) => values[number]!,
    count(number, by) {
      if (number >= counts.length) {
        const larger = new Uint32Array(Math.max(values.length, counts.length * 2));
        larger.set(counts);
        counts = larger;
      }
      counts[number]! += by;
    },
    active() {
      const shown = new Uint32Array(values.length);
      shown.set(counts.subarray(0, values.length));
      return shown;
    },
  };
}
