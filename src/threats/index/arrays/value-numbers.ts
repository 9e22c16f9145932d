/** Numbers for values that many rows share, so that a row needs four bytes. A row without a value has the number 0. */
export type ValueNumbers = ReturnType<typeof createValueNumbers>;

const initialCapacity = 64;

export function createValueNumbers({
  toValue,
  textsRememberedMax = 0,
  known = [""],
}: {
  /** Null: none. Absent: the text is the value. */
  toValue?: (text: string) => string | null;
  /** Maximum number of texts whose value is computed only once. */
  textsRememberedMax?: number;
  /** Values that have a number already, by it. */
  known?: readonly string[];
} = {}) {
  const values = [...known];
  const numbers = new Map(values.map((value, number) => [value, number]).slice(1) as [string, number][]);
  const remembered = new Map<string, number>();
  let counts = new Uint32Array(initialCapacity);
  function add(value: string | null): number {
    if (value === null || value === "") return 0;
    let number = numbers.get(value);
    if (number === undefined) {
      number = values.push(value) - 1;
      numbers.set(value, number);
    }
    return number;
  }

  return {
    /** Returns the number of the value that `toValue` gives for a stored text; a new value gets the next number. */
    numberOf(text: string | null): number {
      if (text === null) return 0;
      if (textsRememberedMax === 0) return add(toValue === undefined ? text : toValue(text));
      let number = remembered.get(text);
      if (number === undefined) {
        number = add(toValue === undefined ? text : toValue(text));
        if (remembered.size < textsRememberedMax) remembered.set(text, number);
      }
      return number;
    },
    /** Returns the number of a value; undefined if no row has had it. */
    find: (value: string) => numbers.get(value),
    valueAt: (number: number) => values[number]!,
    /** Returns all values by their number; the first one stands for no value. */
    values: (): readonly string[] => values,
    /** Records that an active threat has the value now (1), or no longer (-1). */
    count(number: number, by: 1 | -1) {
      if (number >= counts.length) {
        const larger = new Uint32Array(Math.max(values.length, counts.length * 2));
        larger.set(counts);
        counts = larger;
      }
      counts[number]! += by;
    },
    /** Returns the number of active threats by number of their value; as many elements as there are numbers. */
    active(): Uint32Array {
      const shown = new Uint32Array(values.length);
      shown.set(counts.subarray(0, values.length));
      return shown;
    },
  };
}
