/** Numbers for values that many rows share, so that a row needs four bytes. A row without a value has the number 0. */
export interface ValueNumbers {
  /** Returns the number of the value that `valueOf` gives for a stored text; a new value gets the next number. */
  numberOf(text: string | null): number;
  /** Returns the number of a value; undefined if no row has had it. */
  find(value: string): number | undefined;
  valueOf(number: number): string;
  /** Number of values, plus one: all numbers are below it. */
  end(): number;
}

/** @param valueOf null: none. Without it, the text is the value. */
export function createValueNumbers(valueOf?: (text: string) => string | null): ValueNumbers {
  const values = [""];
  const numbers = new Map<string, number>();
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
    end: () => values.length,
  };
}
