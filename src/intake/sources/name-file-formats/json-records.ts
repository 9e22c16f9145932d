import { type ByteSource, NameListError } from "../name-file-bytes/byte-source.ts";
import { createBlock, lineBytesMax, type LineBlock } from "./lines.ts";
import type { Place } from "./name-chunk.ts";
import { isBlank } from "./plain-lines.ts";

/** Containers that are open around the records. Those within a record or a skipped value are only counted. */
const depthMax = 100;
const chunkBytes = 1 << 17;
/** Length of the start of an overlong record that is kept, so that a message can show which one it is. */
const overlongKeptBytes = 256;

const quote = 0x22;
const backslash = 0x5c;
const lineFeed = 0x0a;
const comma = 0x2c;
const colon = 0x3a;
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Separates documents in JSON text sequences (RFC 7464). */
const recordSeparator = 0x1e;

export type ValueKind = "object" | "array" | "scalar";

/** Chooses the records of a document. A state is a number of the caller; 0 at the root. Elements have the state of their array. */
export interface RecordSelection {
  /** Returns the state of the value of a key; -1: nothing in it is a record. */
  stateOf(state: number, key: string): number;
  /** Returns whether a value is a record. Other containers are searched for records. */
  isRecord(state: number, value: { kind: ValueKind; inArray: boolean }): boolean;
  /** Problem of a text without an array that can contain records, as words that follow the list's name. */
  nothingFound?: string;
}

/** Records in place of lines. Lines are counted from `firstLine`. */
export interface RecordBlock extends LineBlock {
  /** State of record `i`. */
  states: Int32Array<ArrayBuffer>;
  /** Line in which record `i` starts, relative to `firstLine`. */
  startLines: Int32Array;
  /** Where the next block starts. */
  end: Place;
}

/**
 * Finds the records of a JSON document, or of several in sequence, block by block, in constant memory. What a record
 * contains is not parsed. A record that is too long has no end, as in `LineBlock`.
 * @param options.wholeOnly returns silently where the document ends too early: it may still be being written.
 * @throws NameListError after the records before it, where the text is not JSON or ends too early.
 */
export async function* readRecords(
  source: ByteSource,
  start: Place,
  selection: RecordSelection,
  { wholeOnly }: { wholeOnly: boolean },
): AsyncGenerator<RecordBlock> {
  const scanner = new Scanner(start, selection);
  for (;;) {
    const read = await source.read(scanner.room());
    const problem = read === 0 ? scanner.end() : scanner.scan(read);
    if (scanner.block.count > 0 || read === 0) yield scanner.block;
    if (problem === undefined ? read === 0 : wholeOnly && read === 0) return;
    if (problem !== undefined) throw new NameListError("", problem);
    scanner.advance();
  }
}

/** Token that may follow in the innermost open container. */
type Expected = "value" | "key" | "colon" | "comma";

class Scanner {
  readonly block: RecordBlock;
  readonly #selection: RecordSelection;
  /** Open containers, from the root. */
  readonly #open: { isArray: boolean; state: number }[] = [];
  #expected: Expected = "value";
  /** State of the next value of an object. */
  #state = 0;
  /** Start of the value or key that is being read; -1: none, or its bytes are not needed. */
  #tokenStart = -1;
  #tokenLine = 0;
  #token: "none" | "key" | "string" | "scalar" | "container" = "none";
  #isRecord = false;
  /** Containers that are open within the value that is being read. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #isOverlong = false;
  #hasText = false;
  /** Whether a record was found, or an array that can contain some. */
  #hasRecords = false;
  #filled = 0;
  /** Lines since the start of the block. */
  #line = 0;

  constructor({ position, line }: Place, selection: RecordSelection) {
    this.#selection = selection;
    const recordsMax = chunkBytes + 1;
    this.block = {
      ...createBlock(new Uint8Array(lineBytesMax + 2 * chunkBytes), recordsMax, { position, line }),
      states: new Int32Array(recordsMax),
      startLines: new Int32Array(recordsMax),
      end: { position, line },
    };
  }

  /** Returns where to put the next bytes. */
  room(): Uint8Array {
    return this.block.bytes.subarray(this.#filled, this.#filled + chunkBytes);
  }

  /** Reads the next bytes. Returns why the rest cannot be read. */
  scan(length: number): string | undefined {
    let at = this.#filled;
    const end = at + length;
    this.#filled = end;
    let problem: string | undefined;
    while (at < end && problem === undefined) {
      if (this.#inString) at = this.#skipString(at, end);
      else if (this.#token === "container") at = this.#skipContainer(at, end);
      else if (this.#token === "scalar") at = this.#skipScalar(at, end);
      else {
        const byte = this.block.bytes[at] ?? 0;
        if (byte === lineFeed) this.#line++;
        else if (!isBlank(byte)) problem = this.#punctuation(byte, at);
        at++;
      }
    }
    this.#setEnd();
    return problem;
  }

  /** Returns why the document is incomplete. */
  end(): string | undefined {
    if (this.#token === "scalar") this.#endValue(this.#filled);
    this.#setEnd();
    const isWhole = this.#open.length === 0 && this.#token === "none";
    if (!isWhole) return "ends in the middle of the JSON document";
    return this.#hasText && !this.#hasRecords ? this.#selection.nothingFound : undefined;
  }

  /** Moves what the next block needs to the start of the buffer. */
  advance(): void {
    const { block } = this;
    const { bytes } = block;
    const { from, line } = this.#needed();
    const kept = this.#filled - from;
    block.firstLine += line;
    this.#line -= line;
    this.#tokenLine = 0;
    if (kept > lineBytesMax || this.#isOverlong) {
      // The rest of an overlong record is dropped as it arrives. Its start stays in place.
      if (!this.#isOverlong) bytes.copyWithin(0, from, from + overlongKeptBytes);
      this.#isOverlong = true;
      block.position += this.#filled - overlongKeptBytes;
      this.#filled = overlongKeptBytes;
    } else {
      bytes.copyWithin(0, from, this.#filled);
      block.position += from;
      this.#filled = kept;
    }
    if (this.#tokenStart >= 0) this.#tokenStart = 0;
    block.count = 0;
  }

  /** Returns the first byte that the next block needs, with its line relative to this one. */
  #needed(): { from: number; line: number } {
    return this.#tokenStart >= 0
      ? { from: this.#tokenStart, line: this.#tokenLine }
      : { from: this.#filled, line: this.#line };
  }

  #setEnd(): void {
    const { from, line } = this.#needed();
    const { block } = this;
    block.end = { position: block.position + from, line: block.firstLine + line };
  }

  /** Returns the index after the string, or `end`. */
  #skipString(from: number, end: number): number {
    const { bytes } = this.block;
    let at = from;
    if (this.#isEscaped) at++;
    this.#isEscaped = false;
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) {
        this.#inString = false;
        if (this.#token === "key") this.#endKey(at + 1);
        else if (this.#token === "string") this.#endValue(at + 1);
        return at + 1;
      }
      if (byte !== backslash) continue;
      if (++at === end) this.#isEscaped = true;
    }
    return end;
  }

  #skipScalar(from: number, end: number): number {
    const { bytes } = this.block;
    let at = from;
    while (at < end && !isAfterScalar(bytes[at] ?? 0)) at++;
    if (at < end) this.#endValue(at);
    return at;
  }

  #skipContainer(from: number, end: number): number {
    const { bytes } = this.block;
    for (let at = from; at < end; at++) {
      switch (bytes[at]) {
        case quote:
          this.#inString = true;
          return at + 1;
        case openBrace:
        case openBracket:
          this.#depth++;
          break;
        case closeBrace:
        case closeBracket:
          if (--this.#depth > 0) break;
          this.#endValue(at + 1);
          return at + 1;
        case lineFeed:
          this.#line++;
      }
    }
    return end;
  }

  /** Reads a byte between the tokens of the open container. */
  #punctuation(byte: number, at: number): string | undefined {
    const inside = this.#open.at(-1);
    if (byte === closeBrace || byte === closeBracket) {
      const isOpen = inside?.isArray === (byte === closeBracket);
      const isAllowed = this.#expected === "comma" || this.#expected === (inside?.isArray ? "value" : "key");
      if (!isOpen || !isAllowed) return notJson;
      this.#open.pop();
      this.#afterValue();
      return undefined;
    }
    switch (this.#expected) {
      case "comma":
        if (byte !== comma) return notJson;
        this.#expected = inside!.isArray ? "value" : "key";
        return undefined;
      case "colon":
        if (byte !== colon) return notJson;
        this.#expected = "value";
        return undefined;
      case "key":
        if (byte !== quote) return notJson;
        this.#token = "key";
        [this.#tokenStart, this.#tokenLine, this.#inString] = [at, this.#line, true];
        return undefined;
      case "value":
        return byte === recordSeparator && inside === undefined ? undefined : this.#beginValue(byte, at);
    }
  }

  #beginValue(byte: number, at: number): string | undefined {
    const inside = this.#open.at(-1);
    this.#hasText = true;
    const kind = byte === openBrace ? "object" : byte === openBracket ? "array" : "scalar";
    const state = inside === undefined ? 0 : inside.isArray ? inside.state : this.#state;
    this.#isRecord =
      state >= 0 && this.#selection.isRecord(state, { kind, inArray: inside?.isArray === true });
    if (kind !== "scalar" && !this.#isRecord && state >= 0) {
      if (this.#open.length === depthMax) return `is nested more than ${depthMax} levels deep`;
      if (kind === "array") this.#hasRecords = true;
      this.#open.push({ isArray: kind === "array", state });
      this.#expected = kind === "array" ? "value" : "key";
      return undefined;
    }
    if (kind === "scalar" && byte !== quote && !scalarStarts.has(byte)) return notJson;
    this.#token = kind === "scalar" ? (byte === quote ? "string" : "scalar") : "container";
    this.#inString = byte === quote;
    this.#depth = 1;
    this.#tokenStart = this.#isRecord ? at : -1;
    this.#tokenLine = this.#line;
    this.#state = state;
    return undefined;
  }

  #endKey(end: number): void {
    const { state } = this.#open.at(-1)!;
    const text = new TextDecoder().decode(this.block.bytes.subarray(this.#tokenStart, end));
    this.#state = this.#isOverlong ? -1 : this.#selection.stateOf(state, keyOf(text));
    this.#expected = "colon";
    this.#endToken();
  }

  #endValue(end: number): void {
    if (this.#isRecord) {
      const { block } = this;
      const index = block.count++;
      block.starts[index] = this.#tokenStart;
      block.ends[index] = this.#isOverlong || end - this.#tokenStart > lineBytesMax ? -1 : end;
      block.nexts[index] = end;
      block.startLines[index] = this.#tokenLine;
      block.states[index] = this.#state;
      this.#hasRecords = true;
    }
    this.#endToken();
    this.#afterValue();
  }

  #endToken(): void {
    this.#token = "none";
    this.#tokenStart = -1;
    this.#isOverlong = false;
  }

  #afterValue(): void {
    this.#expected = this.#open.length === 0 ? "value" : "comma";
  }
}

const notJson = "is not JSON";
/** First bytes of numbers, `true`, `false` and `null`. */
const scalarStarts = new Set([..."-0123456789tfn"].map((character) => character.charCodeAt(0)));

function isAfterScalar(byte: number): boolean {
  return byte === comma || byte === closeBracket || byte === closeBrace || isBlank(byte);
}

/** Returns the text of a key; one that is damaged is returned as it is. */
function keyOf(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}
