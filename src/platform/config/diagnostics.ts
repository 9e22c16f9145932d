import { lazy } from "../lib/startup.ts";
import { describeKind, describeValue, oneOf, pathKey } from "./fields/config-error.ts";
import type { FieldSchema } from "./fields/fields.ts";
import { nearest } from "./nearest.ts";
import { secretForms } from "./secrets.ts";
import type { Position, TomlNode } from "./toml/document.ts";

/** Error without the name of the file. */
export interface Diagnostic {
  path: string;
  at: Position;
  found: string;
  allowed: string;
  nearest?: string | undefined;
}

/** Words and collects diagnostics. `add` and `reject` return undefined, the value of an invalid field. */
export function createDiagnostics(schema: FieldSchema) {
  const all: Diagnostic[] = [];
  const knownPaths = lazy(() => leafPaths(schema, ""));

  function rejectKey(field: FieldSchema, key: string, at: Position, path: string): void {
    const known = Object.keys(field.properties!);
    const meant = nearest(key, known);
    const here = meant === undefined ? undefined : path === "" ? meant : `${path}.${meant}`;
    add({
      path: path === "" ? pathKey(key) : `${path}.${pathKey(key)}`,
      at,
      found: "an unknown key",
      allowed: oneOf(known),
      // A key of another table is more likely misplaced than misspelled.
      nearest: knownPaths().get(key) ?? here,
    });
  }

  function rejectMissing(field: FieldSchema, at: Position, path: string): void {
    const example = JSON.stringify(field.example);
    const allowed =
      field.kind === "secret" ? secretForms(field.rule!) : `a ${field.kind}, such as ${example}`;
    add({ path, at, found: "nothing", allowed });
  }

  function reject(node: TomlNode, path: string, allowed: string, meant?: string): undefined {
    return add({ path, at: node, found: describeValue(node), allowed, nearest: meant });
  }

  /** Does not show the value: a text where a table is expected could be a misplaced secret. */
  function rejectKind(node: TomlNode, path: string, allowed: string): undefined {
    return add({ path, at: node, found: describeKind(node), allowed });
  }

  function add(diagnostic: Diagnostic): undefined {
    all.push(diagnostic);
    return undefined;
  }

  function rejectRepeated(values: unknown[], items: TomlNode[], path: string): void {
    const seen = new Set<unknown>();
    values.forEach((value, index) => {
      const found = `${describeValue(items[index]!)} a second time`;
      if (seen.has(value))
        add({ path: `${path}[${index}]`, at: items[index]!, found, allowed: "each entry once" });
      if (value !== undefined) seen.add(value);
    });
  }

  return { all, add, reject, rejectKind, rejectKey, rejectMissing, rejectRepeated };
}

/** Maps the last part of each path to the path, to find keys that are in the wrong table. */
function leafPaths(field: FieldSchema, path: string): Map<string, string> {
  const paths = new Map<string, string>();
  for (const [key, property] of Object.entries(field.properties ?? field.items?.properties ?? {})) {
    const propertyPath = path === "" ? key : `${path}.${key}`;
    const nested = leafPaths(property, property.kind === "tables" ? `${propertyPath}[]` : propertyPath);
    for (const [leaf, leafPath] of [[key, propertyPath] as const, ...nested]) {
      if (!paths.has(leaf)) paths.set(leaf, leafPath);
    }
  }
  return paths;
}
