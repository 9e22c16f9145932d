import { describeValue, oneOf, plural } from "./fields/config-error.ts";
import { createDiagnostics, type Diagnostic } from "./diagnostics.ts";
import type { FieldSchema, ReadContext } from "./fields/fields.ts";
import { nearest } from "./nearest.ts";
import { readSecret, secretForms } from "./secrets.ts";
import type { Position, TableNode, TomlNode } from "./toml/document.ts";

export interface Reading {
  /** Invalid fields are undefined. */
  value: unknown;
  diagnostics: Diagnostic[];
  /** Position of each value, by its path. */
  positions: Map<string, Position>;
}

/** Reads the whole tree against the schema: all values, defaults and diagnostics. */
export function readValues(schema: FieldSchema, root: TableNode, context: ReadContext): Reading {
  const diagnostics = createDiagnostics(schema);
  const { add, reject } = diagnostics;
  const positions = new Map<string, Position>();

  function read(field: FieldSchema, node: TomlNode, path: string): unknown {
    positions.set(path, { line: node.line, column: node.column });
    switch (field.kind) {
      case "table":
        return node.kind === "table"
          ? readTable(field, node, path)
          : diagnostics.rejectKind(node, path, tableForm(field, path));
      case "tables":
      case "array":
        return node.kind === "array"
          ? readArray(field, node, path)
          : diagnostics.rejectKind(node, path, arrayForm(field, path));
      case "boolean":
        return node.kind === "boolean" ? node.value : reject(node, path, "true or false", swapQuotes(node));
      case "integer":
      case "number":
        return readNumber(field, node, path);
      case "choice":
        return readChoice(field, node, path);
      case "secret":
        return readSecretField(field, node, path);
      default:
        return readText(field, node, path);
    }
  }

  function readTable(field: FieldSchema, node: TableNode, path: string): Record<string, unknown> {
    const properties = field.properties!;
    for (const [key, { keyAt }] of node.entries) {
      if (!Object.hasOwn(properties, key)) diagnostics.rejectKey(field, key, keyAt, path);
    }
    const values: Record<string, unknown> = {};
    for (const [key, property] of Object.entries(properties)) {
      const propertyPath = path === "" ? key : `${path}.${key}`;
      const entry = node.entries.get(key);
      if (entry !== undefined) values[key] = read(property, entry.node, propertyPath);
      else if (property.default === undefined) diagnostics.rejectMissing(property, node, propertyPath);
      else values[key] = read(property, nodeOf(property.default, node), propertyPath);
    }
    return values;
  }

  function readArray(field: FieldSchema, node: TomlNode & { kind: "array" }, path: string): unknown {
    const { items, maxItems = Infinity, minItems = 0 } = { ...field, items: node.items };
    if (items.length > maxItems || items.length < minItems) {
      const allowed = items.length < minItems ? `at least ${minItems}` : `at most ${maxItems}`;
      return add({ path, at: node, found: plural(items.length, "entry", "entries"), allowed });
    }
    const values = items.map((item, index) => read(field.items!, item, `${path}[${index}]`));
    if (field.uniqueItems === true) diagnostics.rejectRepeated(values, items, path);
    return values;
  }

  function readNumber(field: FieldSchema, node: TomlNode, path: string): unknown {
    const { minimum = -Infinity, maximum = Infinity } = field;
    const whole = field.kind === "integer";
    const allowed = `a ${whole ? "whole " : ""}number from ${minimum} to ${maximum}`;
    const fits = node.kind === "integer" || (node.kind === "float" && !whole);
    if (!fits || !(node.value >= minimum && node.value <= maximum)) {
      return reject(node, path, allowed, swapQuotes(node));
    }
    return node.value;
  }

  function readChoice(field: FieldSchema, node: TomlNode, path: string): unknown {
    const choices = field.choices!;
    if (node.kind === "string" && choices.includes(node.value)) return node.value;
    const meant = node.kind === "string" ? nearest(node.value, choices) : undefined;
    const allowed = oneOf(choices.map((one) => `"${one}"`));
    return reject(node, path, allowed, meant === undefined ? undefined : `"${meant}"`);
  }

  function readText(field: FieldSchema, node: TomlNode, path: string): unknown {
    if (node.kind !== "string") return reject(node, path, `a string between quotation marks (${field.kind})`);
    const result = field.read!(node.value, context);
    if ("value" in result) return result.value;
    return add({ path, at: node, found: describeValue(node), ...result });
  }

  function readSecretField(field: FieldSchema, node: TomlNode, path: string): unknown {
    const result = readSecret(node, field.rule!, context);
    if (!("value" in result)) return add({ path, at: node, ...result });
    if (result.value !== null || field.default !== undefined) return result.value;
    return add({ path, at: node, found: "an empty string", allowed: secretForms(field.rule!) });
  }

  return { value: read(schema, root, ""), diagnostics: diagnostics.all, positions };
}

/** Returns `10` for `"10"` and `true` for `"true"`, because extra quotation marks are a common mistake. */
function swapQuotes(node: TomlNode): string | undefined {
  return node.kind === "string" && /^(true|false|[0-9]{1,9}(\.[0-9]{1,9})?)$/.test(node.value)
    ? `${node.value} without quotation marks`
    : undefined;
}

function tableForm(field: FieldSchema, path: string): string {
  const keys = Object.keys(field.properties!);
  return path.endsWith("]") ? `a table with ${oneOf(keys)}` : `a [${path}] table`;
}

function arrayForm(field: FieldSchema, path: string): string {
  return field.kind === "tables" ? `[[${path}]] tables` : `an array, such as ${exampleOf(field)}`;
}

function exampleOf(field: FieldSchema): string {
  const example = (field.example ?? field.default) as unknown[];
  return example.length === 0 ? `["…"]` : JSON.stringify(example).replaceAll('","', '", "');
}

/** Turns a default into a node, so that it is read like a value of the file. */
function nodeOf(value: unknown, { line, column }: Position): TomlNode {
  const at = { line, column };
  if (typeof value === "string") return { kind: "string", ...at, value };
  if (typeof value === "boolean") return { kind: "boolean", ...at, value };
  if (typeof value === "number") {
    return { kind: Number.isInteger(value) ? "integer" : "float", ...at, value, source: String(value) };
  }
  if (Array.isArray(value)) {
    return { kind: "array", ofTables: false, ...at, items: value.map((one) => nodeOf(one, at)) };
  }
  return { kind: "table", ...at, entries: new Map() };
}
