import type { ConfigSource } from "./config.ts";
import { formatHostPort } from "./fields/texts.ts";
import { type FieldSchema, fieldSchema } from "./fields/fields.ts";
import { configSchema } from "./schema.ts";
import { parseDocument } from "./toml/document.ts";
import type { TableNode, TomlNode } from "./toml/document.ts";

/** Origin of a value. */
export type Origin =
  | { kind: "default" }
  | { kind: "file"; line: number }
  | { kind: "environment"; line: number; name: string }
  | { kind: "secret_file"; line: number; path: string }
  | { kind: "credential"; line: number; name: string }
  | { kind: "command_line"; option: string };

/** One key of the configuration with its value. */
export interface Setting {
  /** `scan.schedule` */
  path: string;
  description: string;
  /** As written in the file; null for a secret. */
  value: string | null;
  /** For a secret: whether it is set. */
  isSet: boolean;
  origin: Origin;
  /** Whether a change takes effect only at the next start. */
  needsRestart: boolean;
}

/** Entries of one `[[kind]]`, with the first line of each. */
export interface Entries {
  path: string;
  description: string;
  lines: number[];
}

/** Returns every key with its effective value, without secrets, and the entries. */
export function describeEffective({ path, text, listen }: Pick<ConfigSource, "path" | "text" | "listen">): {
  settings: Setting[];
  entries: Entries[];
} {
  const document = parseDocument(text);
  if (!document.ok) throw new Error(`${path} was read once, so it is TOML`);
  const settings: Setting[] = [];
  const entries: Entries[] = [];

  function walk(
    field: FieldSchema,
    node: TableNode | undefined,
    prefix: string,
    tableNeedsRestart: boolean,
  ): void {
    for (const [key, property] of Object.entries(field.properties!)) {
      const name = prefix === "" ? key : `${prefix}.${key}`;
      const found = node?.entries.get(key)?.node;
      const { description } = property;
      const needsRestart = tableNeedsRestart || property.reload === "restart";
      if (property.kind === "table")
        walk(property, found?.kind === "table" ? found : undefined, name, needsRestart);
      else if (property.kind === "tables") {
        const items = found?.kind === "array" ? found.items : [];
        entries.push({ path: name, description, lines: items.map(({ line }) => line) });
      } else settings.push({ path: name, description, needsRestart, ...describe(property, found) });
    }
  }

  walk(fieldSchema(configSchema), document.root, "", false);
  const listening = settings.find((setting) => setting.path === "server.listen");
  if (listening !== undefined && listen !== undefined) {
    listening.value = JSON.stringify(formatHostPort(listen));
    listening.origin = { kind: "command_line", option: "--listen" };
  }
  return { settings, entries };
}

function describe(
  field: FieldSchema,
  node: TomlNode | undefined,
): Pick<Setting, "value" | "isSet" | "origin"> {
  const secret = field.kind === "secret";
  if (node === undefined) {
    const value = secret ? null : JSON.stringify(field.default);
    return { value, isSet: !secret, origin: { kind: "default" } };
  }
  const { line } = node;
  if (!secret) return { value: written(node), isSet: true, origin: { kind: "file", line } };
  const isSet = node.kind !== "string" || node.value !== "";
  return { value: null, isSet, origin: originOfSecret(node) };
}

function originOfSecret(node: TomlNode): Origin {
  const { line } = node;
  if (node.kind === "table") {
    const [[kind, entry] = []] = node.entries;
    const reference = entry?.node.kind === "string" ? entry.node.value : "";
    if (kind === "env") return { kind: "environment", line, name: reference };
    if (kind === "file") return { kind: "secret_file", line, path: reference };
    if (kind === "credential") return { kind: "credential", line, name: reference };
  }
  return { kind: "file", line };
}

/** Formats a value as it is written in the file. Values never contain tables. */
function written(node: TomlNode): string {
  switch (node.kind) {
    case "string":
      return JSON.stringify(node.value);
    case "boolean":
      return String(node.value);
    case "array":
      return `[${node.items.map(written).join(", ")}]`;
    case "table":
      return "{ … }";
    default:
      return node.source;
  }
}
