import { visible } from "../../lib/safe-text.ts";
import type { TomlNode } from "../toml/document.ts";

/** Error in the configuration file, worded for the person who wrote it. */
export interface ConfigError {
  file: string;
  /** From 1. Absent if the file could not be read. */
  line?: number;
  /** From 1. For syntax errors only; for others, the key path is more helpful. */
  column?: number;
  /** For example `webhooks.endpoints[1].url`; empty for an error of the whole file. */
  path: string;
  /** At most 100 characters, safe for a terminal, never a secret. */
  found: string;
  allowed: string;
  /** Known key or value that was probably meant. */
  nearest?: string;
}

const foundLengthMax = 100;

/** Formats one line: `phishwatch.toml:3: server.listen: found 8080; expected host:port; did you mean …?` */
export function formatConfigError(error: ConfigError): string {
  const place = [visible(error.file, 1000), error.line, error.column]
    .filter((part) => part !== undefined)
    .join(":");
  const key = error.path === "" ? "" : `${error.path}: `;
  const hint = error.nearest === undefined ? "" : `; did you mean ${error.nearest}?`;
  return `${place}: ${key}found ${error.found}; expected ${error.allowed}${hint}`;
}

/** Returns text of the file in quotation marks, safe for a terminal, truncated to fit `found`. */
export function quoted(text: string): string {
  // Escapes are longer than the characters that they replace, so the text is truncated before and after.
  return `"${cut(visible(text, foundLengthMax), foundLengthMax - 2)}"`;
}

/** Truncates a description to the limit of `found`. */
export function cutFound(found: string): string {
  return cut(found, foundLengthMax);
}

function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…`.toWellFormed() : text;
}

/** Returns a key as part of a path: bare where TOML allows it, else quoted. */
export function pathKey(key: string): string {
  return /^[A-Za-z0-9_-]{1,60}$/.test(key) ? key : `"${visible(key, 60)}"`;
}

/** `1 character`, `2 characters` */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `a, b or c` */
export function oneOf(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`;
}

/** Conflict between values that are each valid. */
export interface Conflict {
  /** The value to change. */
  path: string;
  found: string;
  allowed: string;
  nearest?: string;
}

/** Checks that two settings of a table are both set, or neither. Null: not set; undefined: invalid. */
export function* bothOrNone<Key extends string>(
  path: string,
  values: { [K in Key]?: string | null | undefined } | undefined,
  [first, second]: readonly [Key, Key],
): Generator<Conflict> {
  for (const [given, missing] of [
    [first, second],
    [second, first],
  ] as const)
    if (typeof values?.[given] === "string" && values[missing] === null)
      yield { path: `${path}.${given}`, found: `no ${missing} beside it`, allowed: "both or none" };
}

/** Describes a value without its content, for secrets and for long values. */
export function describeKind(node: TomlNode): string {
  switch (node.kind) {
    case "string":
      return node.value === "" ? "an empty string" : `a string of ${plural(node.value.length, "character")}`;
    case "integer":
    case "float":
      return "a number";
    case "boolean":
      return "a boolean";
    case "date":
      return "a date or time";
    case "array":
      return node.ofTables ? "a [[table]]" : "an array";
    case "table":
      return "a table";
  }
}

/** Describes a value, with the content of simple values. */
export function describeValue(node: TomlNode): string {
  switch (node.kind) {
    case "string":
      return quoted(node.value);
    case "integer":
    case "float":
      return visible(node.source, 40);
    case "boolean":
      return String(node.value);
    case "date":
      return `the date or time ${visible(node.source, 40)}`;
    default:
      return describeKind(node);
  }
}
