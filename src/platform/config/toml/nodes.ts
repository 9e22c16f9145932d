/** Tree of a TOML document, in which every key and value has its position. */

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
