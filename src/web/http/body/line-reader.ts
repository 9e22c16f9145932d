import { tooLong } from "./json-parser.ts";

/** Collects the lines of a text that arrives in pieces. Skips blank lines and comments, which begin with `#`. */
export interface LineReader {
  push(text: string): void;
  /** Complete lines up to now. */
  readonly read: readonly string[];
  /** Ends the last line. Returns all lines. */
  end(): readonly string[];
}

const lineBreak = 0x0a;

/** @param options.lineLengthMax a longer line is read as `tooLong`, so that it needs no memory */
export function createLineReader({ lineLengthMax }: { lineLengthMax: number }): LineReader {
  const read: string[] = [];
  /** Beginning of the line that is not complete yet. */
  let held = "";
  let isTooLong = false;

  function keep(text: string): void {
    if (isTooLong) return;
    isTooLong = held.length + text.length > lineLengthMax;
    held += text.slice(0, Math.max(0, lineLengthMax - held.length));
  }

  function endLine(): void {
    const line = held.trim();
    if (line !== "" && !line.startsWith("#")) read.push(isTooLong ? tooLong(lineLengthMax) : line);
    held = "";
    isTooLong = false;
  }

  return {
    read,
    push(text) {
      for (let from = 0; from < text.length;) {
        const isBlank = text.charCodeAt(from) === lineBreak;
        const end = isBlank ? from : text.indexOf("\n", from);
        keep(text.slice(from, end === -1 ? text.length : end));
        if (end === -1) return;
        endLine();
        from = end + 1;
      }
    },
    end() {
      endLine();
      return read;
    },
  };
}
