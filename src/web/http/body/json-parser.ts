import { badRequest } from "../../../platform/lib/errors.ts";
import { echoedMax, visible } from "../../../platform/lib/safe-text.ts";

/** Limits of a JSON document. */
export interface JsonLimits {
  /** Maximum number of values, containers included. */
  valuesMax: number;
  /** A longer string is read as `tooLong`, so that it needs no memory. */
  stringLengthMax: number;
}

/** The document has more values than allowed. */
export class TooManyValues extends Error {
  /** The document up to the value that exceeded the limit. */
  readonly partial: unknown;

  constructor(partial: unknown) {
    super("too many values");
    this.name = "TooManyValues";
    this.partial = partial;
  }
}

const depthMax = 32;
const keyLengthMax = 16_384;
/** Longest number, and room for `false`. */
const scalarLengthMax = 1_000;
/** Length of `\u0061`. */
const escapeLengthMax = 6;

/** Tokens that are allowed next. */
type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end" | "nothing";

type Container = Record<string, unknown> | unknown[];

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;

/**
 * Parses like `JSON.parse`, with two differences: limits apply while the text arrives, so that neither time nor memory
 * is spent on a document that is rejected in the end; and a key that occurs twice in one object is an error.
 * `JSON.parse` silently keeps the last of them, and other parsers the first, so two readers of one body could disagree
 * (RFC 8259 section 4). Packages that parse in pieces, such as `@streamparser/json`, hold strings and objects of any
 * size and do not report duplicate keys.
 */
export class JsonParser {
  readonly #limits: JsonLimits;
  #root: unknown;
  #values = 0;
  readonly #open: Container[] = [];
  #key = "";
  #expected: Expected = "value";
  #token: "none" | "string" | "scalar" = "none";
  /** Text of the current token, as it was sent. */
  #raw = "";
  /** Whether the current string is a key. */
  #isKey = false;
  #hasEscapes = false;
  /** Whether the last character of the previous piece is a backslash that escapes the next one. */
  #isEscaping = false;
  #isTooLong = false;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** @throws PublicError `bad_request`, or TooManyValues, as soon as the text exceeds a limit or is not JSON */
  push(text: string): void {
    let at = 0;
    while (at < text.length) {
      if (this.#token === "string") at = this.#readString(text, at);
      else if (this.#token === "scalar") at = this.#readScalar(text, at);
      else at = this.#readPunctuation(text, at);
    }
  }

  /** Returns the value. @throws PublicError `bad_request` if the document is incomplete */
  end(): unknown {
    if (this.#token === "scalar") this.#endScalar();
    if (this.#values === 0 && this.#token === "none") throw badRequest("The body is empty; send JSON.");
    if (this.#token !== "none" || this.#expected !== "nothing") throw notJson();
    return this.#root;
  }

  /** Reads a character between tokens. Returns the index after it, or its own if it begins a scalar. */
  #readPunctuation(text: string, at: number): number {
    const character = text[at]!;
    switch (character) {
      case " ":
      case "\t":
      case "\n":
      case "\r":
        break;
      case '"':
        this.#isKey = this.#expected === "key" || this.#expected === "key or end";
        if (!this.#isKey) this.#requireValueExpected();
        this.#beginToken("string");
        break;
      case "{":
        this.#begin({}, "key or end");
        break;
      case "[":
        this.#begin([], "value or end");
        break;
      case "}":
        this.#end("key or end", false);
        break;
      case "]":
        this.#end("value or end", true);
        break;
      case ",":
        if (this.#expected !== "comma or end") throw notJson();
        this.#expected = Array.isArray(this.#open.at(-1)) ? "value" : "key";
        break;
      case ":":
        if (this.#expected !== "colon") throw notJson();
        this.#expected = "value";
        break;
      default:
        this.#requireValueExpected();
        this.#beginToken("scalar");
        return this.#readScalar(text, at);
    }
    return at + 1;
  }

  #requireValueExpected(): void {
    if (this.#expected !== "value" && this.#expected !== "value or end") throw notJson();
  }

  #beginToken(kind: "string" | "scalar"): void {
    this.#token = kind;
    this.#raw = "";
    this.#hasEscapes = false;
    this.#isTooLong = false;
  }

  #readString(text: string, from: number): number {
    let at = this.#isEscaping ? from + 1 : from;
    this.#isEscaping = false;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.#keep(text, from, at);
        this.#endString();
        return at + 1;
      }
      if (code < space) throw notJson();
      if (code !== backslash) continue;
      this.#hasEscapes = true;
      at += 1;
      this.#isEscaping = at === text.length;
    }
    this.#keep(text, from, text.length);
    return text.length;
  }

  #keep(text: string, from: number, to: number): void {
    if (this.#isTooLong) return;
    const max = this.#isKey ? keyLengthMax : this.#limits.stringLengthMax;
    const rawMax = this.#hasEscapes ? escapeLengthMax * max : max;
    this.#isTooLong = this.#raw.length + (to - from) > rawMax;
    this.#raw = this.#isTooLong ? "" : this.#raw + text.slice(from, to);
  }

  #endString(): void {
    this.#token = "none";
    if (!this.#isKey)
      return this.#attach(this.#isTooLong ? tooLong(this.#limits.stringLengthMax) : this.#unescaped());
    if (this.#isTooLong)
      throw badRequest(`The body has a key of more than ${keyLengthMax} characters; send a shorter one.`);
    this.#key = this.#unescaped();
    if (Object.hasOwn(this.#open.at(-1)!, this.#key))
      throw badRequest(`The body has the key "${visible(this.#key, echoedMax)}" twice.`);
    this.#expected = "colon";
  }

  #unescaped(): string {
    return this.#hasEscapes ? (parseToken(`"${this.#raw}"`) as string) : this.#raw;
  }

  #readScalar(text: string, from: number): number {
    let at = from;
    while (at < text.length && isScalarCode(text.charCodeAt(at))) at += 1;
    if (this.#raw.length + (at - from) > scalarLengthMax)
      throw badRequest(
        `The body has a number of more than ${scalarLengthMax} characters; send a shorter one.`,
      );
    this.#raw += text.slice(from, at);
    if (at < text.length) this.#endScalar();
    return at;
  }

  #endScalar(): void {
    this.#token = "none";
    this.#attach(parseToken(this.#raw));
  }

  #begin(container: Container, next: Expected): void {
    this.#requireValueExpected();
    if (this.#open.length === depthMax)
      throw badRequest(`The body is nested more than ${depthMax} levels deep; send a flatter one.`);
    // Attached before it is filled, so that the part up to a limit can be validated.
    this.#attach(container);
    this.#open.push(container);
    this.#expected = next;
  }

  #end(whenEmpty: Expected, isArray: boolean): void {
    if (this.#expected !== whenEmpty && this.#expected !== "comma or end") throw notJson();
    if (Array.isArray(this.#open.pop()) !== isArray) throw notJson();
    this.#expected = this.#open.length === 0 ? "nothing" : "comma or end";
  }

  #attach(value: unknown): void {
    const container = this.#open.at(-1);
    if (container === undefined) this.#root = value;
    else if (Array.isArray(container)) container.push(value);
    else define(container, this.#key, value);
    this.#expected = container === undefined ? "nothing" : "comma or end";
    this.#values += 1;
    if (this.#values > this.#limits.valuesMax) throw new TooManyValues(this.#root);
  }
}

/** Returns the text that replaces one of more than `lengthMax` characters: too long as well, and no valid value. */
export function tooLong(lengthMax: number): string {
  return "\ufffd".repeat(lengthMax + 1);
}

/** An assignment to `__proto__` would change the prototype instead. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Letters, digits, `+`, `-` and `.`: what numbers, `true`, `false` and `null` consist of. */
function isScalarCode(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x2e
  );
}

function parseToken(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

function notJson(): Error {
  return badRequest("The body is not valid JSON.");
}
