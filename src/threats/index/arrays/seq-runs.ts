const initialCapacity = 64;

/**
 * The `seq` of each row, in ascending order. Most follow the one of the row before, so only those that do not are stored,
 * with their row.
 */
export type SeqRuns = ReturnType<typeof createSeqRuns>;

export interface SeqRunContent {
  /** Number of rows. */
  count: number;
  rows: Uint32Array;
  seqs: Float64Array;
}

/** @param content rows to begin with */
export function createSeqRuns(content?: SeqRunContent) {
  let rows = content?.rows ?? new Uint32Array(initialCapacity);
  let seqs = content?.seqs ?? new Float64Array(initialCapacity);
  let runs = content?.rows.length ?? 0;
  let count = content?.count ?? 0;
  return {
    /** Appends the `seq` of the next row, which must be greater than all before. */
    append(seq: number) {
      const last = runs - 1;
      if (runs === 0 || seq !== (seqs[last] ?? 0) + (count - (rows[last] ?? 0))) {
        if (runs === rows.length) {
          rows = copied(rows, new Uint32Array(Math.max(initialCapacity, runs * 2)));
          seqs = copied(seqs, new Float64Array(rows.length));
        }
        rows[runs] = count;
        seqs[runs] = seq;
        runs += 1;
      }
      count += 1;
    },
    at(row: number): number {
      const run = lastNotAbove(rows, runs, row);
      return (seqs[run] ?? 0) + (row - (rows[run] ?? 0));
    },
    /** Returns the `seq` of the first `count` of the rows, which ascend. */
    ofRows({ count: wanted, rows: ascending }: { count: number; rows: Int32Array }): Float64Array {
      const found = new Float64Array(wanted);
      let run = -1;
      let end = 0;
      /** Difference of `seq` and row in the present run. */
      let ahead = 0;
      for (let index = 0; index < wanted; index += 1) {
        const row = ascending[index] ?? 0;
        while (row >= end) {
          run += 1;
          ahead = (seqs[run] ?? 0) - (rows[run] ?? 0);
          end = run + 1 === runs ? Infinity : (rows[run + 1] ?? 0);
        }
        found[index] = row + ahead;
      }
      return found;
    },
    /** Returns the first row with this `seq` or a greater one; the number of rows if there is none. */
    rowFrom(seq: number): number {
      const run = lastNotAbove(seqs, runs, seq);
      if (run === -1) return 0;
      const end = run + 1 === runs ? count : (rows[run + 1] ?? 0);
      return Math.min(end, (rows[run] ?? 0) + (seq - (seqs[run] ?? 0)));
    },
    /** Returns the row and the `seq` that begin each run, in the form that `createSeqRuns` accepts. */
    content: (): SeqRunContent => ({ count, rows: rows.slice(0, runs), seqs: seqs.slice(0, runs) }),
  };
}

/** Returns the index of the last element that is at most `value`, by binary search; -1 if there is none. */
function lastNotAbove(ascending: Uint32Array | Float64Array, length: number, value: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function copied<T extends Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
