import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import type { Position, TableNode, ArrayNode, TomlNode } from "./nodes.ts";
import { explainSyntax, type TomlSyntaxError } from "./syntax-error.ts";

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
