import { addNameOrLink } from "./links.ts";
import { isBlank, tooLong, type LineParser } from "./plain-lines.ts";

/** Maximum number of lines of a record. A longer one has an unbalanced quote, and the next lines are records again. */
const recordLinesMax = 100;

const unclosed = `is in a quoted field that does not end within ${recordLinesMax} lines`;

const quote = 0x22;
const hash = 0x23;

interface CsvParserDependencies {
  delimiter: number;
  column: number;
  heading: boolean;
}

/**
 * Parses character-separated values (RFC 4180) and takes the field at `column` (from 0) of each record. Quoted fields may
 * span several lines. Lines that start with `#` are comments.
 *
 * @param delimiter a byte.
 * @param heading whether the first record names the columns.
 */
export function createCsvParser({ delimiter, column, heading }: CsvParserDependencies): LineParser {
  let openLines = 0;
  let headingAhead = heading;
  const field = { start: -1, end: -1, open: false };

  return (block, chunk) => {
    const { bytes, starts, ends, count } = block;
    let openFrom = -1;
    chunk.start(block, bytes);
    for (let i = 0; i < count; i++) {
      const start = starts[i] ?? 0;
      let end = ends[i] ?? 0;
      if (end < 0) {
        openLines = 0;
        chunk.error(tooLong, i);
        continue;
      }
      if (openLines > 0) {
        const isClosed = closesQuote(bytes, start, end);
        const isLast = isClosed || openLines >= recordLinesMax;
        if (isLast && !isClosed) chunk.error(unclosed, i);
        openLines = isLast ? 0 : openLines + 1;
        continue;
      }
      while (end > start && isBlank(bytes[end - 1] ?? 0)) end--;
      if (end === start || bytes[start] === hash) continue;
      findField(bytes, start, end, delimiter, column, field);
      if (field.open) [openLines, openFrom] = [1, i];
      if (headingAhead) headingAhead = false;
      else if (field.start < 0) chunk.error(`has no field number ${column + 1}`, i);
      else if (field.start === field.end) chunk.error("has an empty name", i);
      else addNameOrLink(chunk, bytes, field.start, field.end, i, field.open);
    }
    return openLines > 0 ? openFrom : undefined;
  };
}

/** Returns the fields of one line as text, for the heading and the first record. */
export function fieldsOf(line: Uint8Array, delimiter: number): string[] {
  const fields: string[] = [];
  const field = { start: 0, end: 0, open: false };
  for (let column = 0; column < 1_000; column++) {
    findField(line, 0, line.length, delimiter, column, field);
    if (field.start < 0) break;
    fields.push(new TextDecoder().decode(line.subarray(field.start, field.end)));
  }
  return fields;
}

/** Finds the range of a field (start -1 if there is none), and whether the record continues on the next line. */
function findField(
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
  column: number,
  found: { start: number; end: number; open: boolean },
): void {
  found.start = -1;
  found.open = false;
  let at = start;
  for (let current = 0; at <= end; current++) {
    let from = at;
    let to: number;
    if (bytes[at] === quote && at < end) {
      from = at + 1;
      to = from;
      // A doubled quote is an escaped quote. No name contains one, so it is left as it is.
      while (to < end && (bytes[to] !== quote || bytes[to + 1] === quote)) to += bytes[to] === quote ? 2 : 1;
      found.open = to >= end;
      to = Math.min(to, end);
      at = to;
      while (at < end && bytes[at] !== delimiter) at++;
    } else {
      while (at < end && bytes[at] !== delimiter) at++;
      to = at;
    }
    if (current === column) {
      while (from < to && isBlank(bytes[from] ?? 0)) from++;
      while (to > from && isBlank(bytes[to - 1] ?? 0)) to--;
      found.start = from;
      found.end = to;
    }
    at++;
  }
}

function closesQuote(bytes: Uint8Array, start: number, end: number): boolean {
  let quotes = 0;
  for (let i = start; i < end; i++) if (bytes[i] === quote) quotes++;
  return quotes % 2 === 1;
}
