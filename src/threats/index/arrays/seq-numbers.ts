/** Consecutive numbers for the `seq` of what many rows refer to, so that arrays can be indexed by them. */
export type SeqNumbers = ReturnType<typeof createSeqNumbers>;

/** @param known `seq`s that have a number already, from 1 */
export function createSeqNumbers(known: readonly number[] = []) {
  const seqs: (number | null)[] = [null, ...known];
  const numbers = new Map<number | null, number>(seqs.map((seq, number) => [seq, number]));
  return {
    /** Returns the number of a `seq`; a new one gets the next number. Null: 0. */
    numberOf(seq: number | null): number {
      if (seq === null) return 0;
      let number = numbers.get(seq);
      if (number === undefined) {
        number = seqs.push(seq) - 1;
        numbers.set(seq, number);
      }
      return number;
    },
    /** Returns the number of a `seq`; undefined if no row has had it. Null: 0. */
    find: (seq: number | null) => numbers.get(seq),
    /** Returns the `seq` of a number; null for 0. */
    seqAt: (number: number) => seqs[number] ?? null,
    /** Returns how many numbers were given so far, including 0 for null: each number is less than this. */
    count: () => seqs.length,
  };
}
