import { FieldError } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";

/** Part of a template: JSON as it was written, or the name of what is filled in. */
export type TemplatePart = string | { name: string; inString: boolean };

/** Names that a template can contain, and whether the value can be a part of a text. */
type Names = Readonly<Record<string, { text: boolean }>>;

/** Bounds the body that a short template produces. */
const placeholdersMax = 50;
/** Bounds the recursion. */
const depthMax = 50;

/** Tokens of JSON (RFC 8259). */
const space = /[ \t\n\r]*/y;
const scalar = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const quote = /"/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const characters = /(?:[^"\\{\p{Cc}]|\{(?!\{))+/uy;
const placeholder = /\{\{[ \t]*([A-Za-z_.]*)[ \t]*\}\}/y;

/**
 * Parses JSON in which `{{name}}` stands for a value, or inside of quotes for a part of a text. The parts with any
 * values between them are valid JSON, provided that each value is JSON, and escaped inside of quotes.
 * @throws PublicError `bad_request` with line and column
 */
export function parseTemplate(template: string, names: Names): TemplatePart[] {
  const cursor = createCursor(template);
  const parts: TemplatePart[] = [];
  let start = 0;
  const parser: Parser = {
    cursor,
    fillIn(inString) {
      const { at } = cursor;
      const name = placeholderName(cursor, names, inString);
      parts.push(template.slice(start, at), { name, inString });
      start = cursor.at;
      if (parts.length > 2 * placeholdersMax) cursor.fail(`at most ${placeholdersMax} {{…}} are allowed`, at);
    },
  };
  parseValue(parser, 0);
  cursor.take(space);
  if (!cursor.isAtEnd()) cursor.fail(`expected the end of the template, found ${cursor.next()}`);
  return [...parts, template.slice(start)];
}

interface Parser {
  cursor: Cursor;
  /** Adds the placeholder that is next. */
  fillIn(inString: boolean): void;
}

function placeholderName(cursor: Cursor, names: Names, inString: boolean): string {
  const start = cursor.at;
  const name = cursor.take(placeholder)?.[1];
  if (name === undefined) cursor.fail("{{ must be followed by a name and }}, as in {{title}}");
  const found = Object.hasOwn(names, name) ? names[name] : undefined;
  if (found === undefined)
    cursor.fail(`{{${name}}} is not known; use one of ${Object.keys(names).join(", ")}`, start);
  if (inString && !found.text)
    cursor.fail(`{{${name}}} is not a text; write it without quotes around it`, start);
  return name;
}

function parseValue(parser: Parser, depth: number): void {
  const { cursor, fillIn } = parser;
  cursor.take(space);
  if (depth > depthMax) cursor.fail(`more than ${depthMax} levels of brackets`);
  if (cursor.startsWith("{{")) fillIn(false);
  else if (cursor.take(/\{/y) !== null) parseSequence(cursor, "}", () => parseMember(parser, depth));
  else if (cursor.take(/\[/y) !== null) parseSequence(cursor, "]", () => parseValue(parser, depth + 1));
  else if (cursor.startsWith('"')) parseString(parser);
  else if (cursor.take(scalar) === null)
    cursor.fail(`expected a value, found ${cursor.next()}; a text needs double quotes`);
}

/** Parses the rest of an object or array, whose items are separated by commas. */
function parseSequence(cursor: Cursor, end: "}" | "]", parseItem: () => void): void {
  const closing = end === "}" ? /\}/y : /\]/y;
  cursor.take(space);
  if (cursor.take(closing) !== null) return;
  for (;;) {
    parseItem();
    cursor.take(space);
    if (cursor.take(closing) !== null) return;
    if (cursor.take(/,/y) === null) cursor.fail(`expected , or ${end}, found ${cursor.next()}`);
    cursor.take(space);
    if (cursor.startsWith(end)) cursor.fail(`remove the comma before ${end}`);
  }
}

function parseMember(parser: Parser, depth: number): void {
  const { cursor } = parser;
  if (!cursor.startsWith('"')) cursor.fail(`expected a key in double quotes, found ${cursor.next()}`);
  parseString(parser);
  cursor.take(space);
  if (cursor.take(/:/y) === null) cursor.fail(`expected : after the key, found ${cursor.next()}`);
  parseValue(parser, depth + 1);
}

function parseString({ cursor, fillIn }: Parser): void {
  const start = cursor.at;
  cursor.take(quote);
  for (;;) {
    cursor.take(characters);
    if (cursor.take(quote) !== null) return;
    if (cursor.startsWith("{{")) fillIn(true);
    else if (cursor.isAtEnd()) cursor.fail("this text has no closing quote", start);
    else if (!cursor.startsWith("\\"))
      cursor.fail('a line break or another control character must be written as an escape, such as "\\n"');
    else if (cursor.take(escape) === null) cursor.fail('a backslash must be written as "\\\\"');
  }
}

/** Position in a template. */
interface Cursor {
  readonly at: number;
  startsWith(text: string): boolean;
  isAtEnd(): boolean;
  /** Moves behind `token` (a sticky expression) if it is next, and returns its match. */
  take(token: RegExp): RegExpExecArray | null;
  /** Describes the next character in an error. */
  next(): string;
  /** @throws PublicError `bad_request` with the line and column of `offset`; default: the present position */
  fail(problem: string, offset?: number): never;
}

function createCursor(template: string): Cursor {
  let at = 0;
  return {
    get at() {
      return at;
    },
    startsWith: (text) => template.startsWith(text, at),
    isAtEnd: () => at >= template.length,
    take(token) {
      token.lastIndex = at;
      const match = token.exec(template);
      if (match !== null) at = token.lastIndex;
      return match;
    },
    next: () =>
      at >= template.length ? "the end" : visible(String.fromCodePoint(template.codePointAt(at)!)),
    fail(problem, offset = at) {
      const before = template.slice(0, offset).split("\n");
      const column = (before.at(-1) ?? "").length + 1;
      throw new FieldError("template", `template, line ${before.length}, column ${column}: ${problem}`);
    },
  };
}
