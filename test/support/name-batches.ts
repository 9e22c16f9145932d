import { nameLines } from "../../src/engines/archive/archive.ts";
import type { NameBatch } from "../../src/intake/sources/name-batch.ts";

/**
 * Makes a batch of plain strings that is read again as a whole if processing stops in the middle of it.
 *
 * @param start position before the names.
 * @param end position after the names.
 */
export function batchOfNames<Position>(
  names: readonly string[],
  { start, end }: { start: Position; end: Position },
): NameBatch<Position> {
  return {
    count: names.length,
    dropped: 0,
    end,
    name: (index) => names[index]!,
    error: () => undefined,
    line: (index) => index + 1,
    mayMatch: () => true,
    names: () => nameLines(names),
    positionAfter: (index) => (index === names.length - 1 ? end : start),
  };
}
