import type { Config } from "../config.ts";
import { type FieldSchema, fieldSchema } from "../fields/fields.ts";
import { configSchema } from "../schema.ts";
import type { TableNode, TomlNode } from "../toml/document.ts";
import { readTree } from "../toml/quick-document.ts";

/** Places of the secrets that a configuration file sets. */
export interface SecretPlaces {
  /** Keys whose secret is in the configuration file, such as `console.password` and `api_keys.key`, without repeats. */
  inFile: string[];
  /** Paths of files with secrets, as they are written in the configuration file. */
  files: string[];
}

/** Returns where the secrets of the configuration file are. Secrets in the environment have no place here. */
export function findSecretPlaces({ path, text }: NonNullable<Config["source"]>): SecretPlaces {
  const root = readTree(text);
  if (root === undefined) throw new Error(`${path} was read once, so it is TOML`);
  const inFile = new Set<string>();
  const files = new Set<string>();

  function walk(field: FieldSchema, node: TableNode, prefix: string): void {
    for (const [key, property] of Object.entries(field.properties!)) {
      const found = node.entries.get(key)?.node;
      if (found === undefined) continue;
      const name = prefix === "" ? key : `${prefix}.${key}`;
      if (property.kind === "secret") note(found, name);
      if (property.kind === "table" && found.kind === "table") walk(property, found, name);
      if (property.kind !== "tables" || found.kind !== "array") continue;
      for (const item of found.items) if (item.kind === "table") walk(property.items!, item, name);
    }
  }

  function note(node: TomlNode, name: string): void {
    if (node.kind === "string") {
      if (node.value !== "") inFile.add(name);
    } else if (node.kind === "table") {
      const file = node.entries.get("file")?.node;
      if (file?.kind === "string") files.add(file.value);
    }
  }

  walk(fieldSchema(configSchema), root, "");
  return { inFile: [...inFile], files: [...files] };
}
