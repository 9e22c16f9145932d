import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { visible } from "../../lib/safe-text.ts";

/** Lines and columns count from 1. */
export interface Position {
  line: number;
  column: number;
}

export interface TableNode extends Position {
  kind: "table";
  entries: Map<string, Entry>;
}

export interface ArrayNode extends Position {
  kind: "array";
  /** Written with `[[double brackets]]`. */
  ofTables: boolean;
  items: TomlNode[];
}

export type TomlNode =
  | TableNode
  | ArrayNode
  | (Position & { kind: "string"; value: string })
  | (Position & { kind: "integer" | "float"; value: number; source: string })
  | (Position & { kind: "boolean"; value: boolean })
  | (Position & { kind: "date"; source: string });

export interface Entry {
  keyAt: Position;
  node: TomlNode;
}

export type DocumentResult = { ok: true; root: TableNode } | { ok: false; error: TomlSyntaxError };

/** Four times the depth of the schema. */
const depthMax = 16;

/**
 * Parses TOML 1.0 into a tree in which every key and value has its position. `Bun.TOML` is faster, but reports positions
 * neither of values nor of syntax errors, and without a line an error in a long file is hard to find.
 */
export function parseDocument(source: string): DocumentResult {
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  let program: AST.TOMLProgram;
  try {
    program = parseTOML(text, { tomlVersion: "1.0" });
  } catch (error) {
    if (error instanceof ParseError) return { ok: false, error: explainSyntax(text, error) };
    // The parser recurses, and spreads the characters of a string; the stack limits both.
    if (error instanceof RangeError) return tooDeep({ line: 1, column: 1 });
    throw error;
  }
  const root: TableNode = { kind: "table", line: 1, column: 1, entries: new Map() };
  try {
    for (const statement of program.body[0].body) {
      if (statement.type === "TOMLKeyValue") assign(root, statement, 0);
      else openTable(root, statement);
    }
  } catch (error) {
    if (error instanceof TooDeepError) return tooDeep(error.at);
    throw error;
  }
  return { ok: true, root };
}

class TooDeepError extends Error {
  readonly at: Position;
  constructor(at: Position) {
    super("nested too deeply");
    this.name = "TooDeepError";
    this.at = at;
  }
}

function tooDeep(at: Position): DocumentResult {
  const found = `more than ${depthMax} levels of nesting, or a string of more than 100,000 characters`;
  return { ok: false, error: { at, found, allowed: "the tables and keys of the example" } };
}

function openTable(root: TableNode, header: AST.TOMLTable): void {
  const at = position(header);
  if (header.resolvedKey.length > depthMax) throw new TooDeepError(at);
  let current: TomlNode = root;
  header.resolvedKey.forEach((segment, index) => {
    if (typeof segment === "number") {
      const array = current as ArrayNode;
      array.items[segment] ??= { kind: "table", ...at, entries: new Map() };
      current = array.items[segment];
      return;
    }
    const { entries } = current as TableNode;
    let entry = entries.get(segment);
    if (entry === undefined) {
      const node: TomlNode =
        typeof header.resolvedKey[index + 1] === "number"
          ? { kind: "array", ofTables: true, ...at, items: [] }
          : { kind: "table", ...at, entries: new Map() };
      entry = { keyAt: at, node };
      entries.set(segment, entry);
    }
    current = entry.node;
  });
  for (const pair of header.body) assign(current as TableNode, pair, header.resolvedKey.length);
}

function assign(table: TableNode, pair: AST.TOMLKeyValue, depth: number): void {
  const keys = pair.key.keys;
  const at = position(keys[0]!);
  if (depth + keys.length > depthMax) throw new TooDeepError(at);
  let current = table;
  for (const key of keys.slice(0, -1)) {
    let entry = current.entries.get(keyText(key));
    if (entry === undefined) {
      entry = { keyAt: position(key), node: { kind: "table", ...position(key), entries: new Map() } };
      current.entries.set(keyText(key), entry);
    }
    current = entry.node as TableNode;
  }
  const last = keys.at(-1)!;
  current.entries.set(keyText(last), {
    keyAt: position(last),
    node: convert(pair.value, depth + keys.length),
  });
}

function convert(value: AST.TOMLContentNode, depth: number): TomlNode {
  const at = position(value);
  if (depth > depthMax) throw new TooDeepError(at);
  if (value.type === "TOMLArray") {
    const items = value.elements.map((element) => convert(element, depth + 1));
    return { kind: "array", ofTables: false, ...at, items };
  }
  if (value.type === "TOMLInlineTable") {
    const table: TableNode = { kind: "table", ...at, entries: new Map() };
    for (const pair of value.body) assign(table, pair, depth);
    return table;
  }
  switch (value.kind) {
    case "string":
      return { kind: "string", ...at, value: value.value };
    case "boolean":
      return { kind: "boolean", ...at, value: value.value };
    case "integer":
    case "float":
      return { kind: value.kind, ...at, value: value.value, source: value.number || String(value.value) };
    default:
      return { kind: "date", ...at, source: value.datetime };
  }
}

function keyText(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === "TOMLBare" ? key.name : key.value;
}

function position(node: { loc: { start: Position } }): Position {
  return { line: node.loc.start.line, column: node.loc.start.column + 1 };
}

/** Reason why a text is not TOML, with a suggestion. Shows nothing of the text but keys. */
interface TomlSyntaxError {
  at: Position;
  found: string;
  allowed: string;
  nearest?: string;
}

/** Number of characters of a line that are inspected for a suggestion. */
const lineLengthMax = 500;

function explainSyntax(text: string, error: ParseError): TomlSyntaxError {
  const at = positionOf(text, error);
  if (error.message.startsWith("Defining a key multiple times")) {
    const source = text.slice(error.index, error.index + 200);
    const key = /^("[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)/.exec(source)?.[0];
    const name = key === undefined ? "a key" : `the key ${visible(key, 60)}`;
    return { at, found: `${name} a second time`, allowed: "each key and [table] once" };
  }
  // The parser's messages quote at most one code point, never a value, so a secret cannot leak.
  const found = `invalid TOML (${visible(error.message, 80)})`;
  const lineStart = text.lastIndexOf("\n", error.index - 1) + 1;
  const nearest = guess(text.slice(lineStart, lineStart + lineLengthMax).split("\n")[0]!, error.message);
  return { at, found, allowed: "TOML 1.0", ...(nearest !== undefined && { nearest }) };
}

/** Returns the position of an error. The parser notices a missing value only at the next token, which may be lines below. */
function positionOf(text: string, error: ParseError): Position {
  if (!error.message.startsWith("Unspecified values")) {
    return { line: error.lineNumber, column: error.column + 1 };
  }
  const lines = text.slice(0, error.index).trimEnd().split("\n");
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}

/** Suggests a correction for common mistakes of people who know other formats. */
function guess(line: string, message: string): string | undefined {
  if (message.includes("escape sequence") && line.includes("\\")) {
    return "'single quotation marks', which leave backslashes as they are";
  }
  if (/^\s*[\w.-]+\s*:/.test(line)) return "= instead of :";
  // A value that begins like a word, a number with a unit or a path.
  const bare = /^\s*[\w.-]+\s*=\s*([^\s"'[\]{},#=][^"'[\]{},#]*?)\s*(#.*)?$/.exec(line)?.[1];
  if (bare === undefined || /^[\d.eE+_-]+$/.test(bare)) return undefined;
  return /^(true|false)$/i.test(bare) ? bare.toLowerCase() : "the value between quotation marks";
}
