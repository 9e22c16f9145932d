import { visible } from "../lib/safe-text.ts";
import { plural, quoted } from "./fields/config-error.ts";
import type { TomlNode } from "./toml/nodes.ts";

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
