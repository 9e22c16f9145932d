/** Makes sorted segments from a journal: one for each day and source, or several if it contains very many names. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { sealedNumber } from "../files/folder.ts";
import { journalBytesMax } from "../files/journal.ts";
import { readRecords, type Group } from "../files/record.ts";
import { createNameSorter, sortedNamesMax } from "../names/sort-names.ts";
import { copyValidNames } from "../names/valid-names.ts";
import { createSegmentWriter } from "./segment-writer.ts";

/** Memory for the names of a segment before they are sorted: a whole journal, which ends with the write that fills it. */
const runBytesMax = journalBytesMax + (1 << 20);
const runBytesAtFirst = 1 << 16;
/** Numbers between two journals. The segments of one journal that are of the same day and source use some of them. */
export const numbersPerJournal = 64;

/** Names of one day and source that are not sorted yet. */
interface Run extends Group {
  names: Uint8Array;
  used: number;
  count: number;
  /** Number of segments written before. */
  written: number;
}

/** @param file a sealed journal. Repeating this after a crash writes the same segments again. */
export async function writeSegmentsOf(folder: string, file: string): Promise<void> {
  const sort = createNameSorter();
  const runs = new Map<string, Run>();

  function write(run: Run): void {
    if (run.count === 0) return;
    const number = sealedNumber(file) + run.written++;
    const writer = createSegmentWriter(folder, {
      day: run.day,
      source: run.source,
      first: number,
      last: number,
    });
    try {
      sort(run.names, run.count, (start, end) => writer.add(run.names, start, end));
      writer.finish();
    } catch (error) {
      writer.discard();
      throw error;
    }
    run.used = 0;
    run.count = 0;
  }

  function add(run: Run, lines: Uint8Array): void {
    for (let start = 0; start < lines.length;) {
      const { length, count, read } = copyValidNames(lines, run.names, run.used, {
        start,
        countMax: sortedNamesMax - run.count,
      });
      run.used += length;
      run.count += count;
      start += read;
      if (start === lines.length) return;
      if (run.names.length < runBytesMax && run.count < sortedNamesMax) {
        const larger = new Uint8Array(Math.min(runBytesMax, 4 * run.names.length));
        larger.set(run.names.subarray(0, run.used));
        run.names = larger;
      } else write(run);
    }
  }

  const journal = await open(join(folder, file), "r");
  try {
    for await (const { day, source, stored } of readRecords(journal)) {
      const key = `${day} ${source}`;
      let run = runs.get(key);
      if (run === undefined) {
        run = { day, source, names: new Uint8Array(runBytesAtFirst), used: 0, count: 0, written: 0 };
        runs.set(key, run);
      }
      add(run, stored);
    }
    for (const run of runs.values()) write(run);
  } finally {
    await journal.close();
  }
}
