import type { TableNode, TomlNode } from "./nodes.ts";

// Bun's parser takes time with the square of the number of keys.
const quickCharactersMax = 64 * 1024;

// Nobody is told these places: what has a fault is read once more by the parser that knows them.
const nowhere = { line: 1, column: 1 };

/**
 * TOML 1.1, which Bun's parser takes and the other refuses, and floats that are whole numbers, which here
 * could not be told from integers. Rather one file too many is read slowly.
 */
const doubtful = /\\[ex]|,\s*\}|\{[^}\n]*\n|[=[,]\s*[+-]?[\d_]+(?:\.[0_]+\b|[\d._]*[eE][+-]?\d)/;

/**
 * The tree of `parseDocument` without places, in a tenth of its time: for the start, where the file is right as
 * a rule. Undefined when the file is not TOML, or not beyond doubt the same to both parsers.
 */
export function quickDocument(source: string): TableNode | undefined {
  if (source.length > quickCharactersMax || doubtful.test(source)) return undefined;
  try {
    const root = toNode(Bun.TOML.parse(source));
    return root?.kind === "table" ? root : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for what only the other parser tells apart: dates, whole numbers beyond 53 bits, NaN. */
function toNode(value: unknown): TomlNode | undefined {
  switch (typeof value) {
    case "string":
      return { kind: "string", ...nowhere, value };
    case "boolean":
      return { kind: "boolean", ...nowhere, value };
    case "number":
      if (!Number.isFinite(value)) return undefined;
      return {
        kind: Number.isInteger(value) ? "integer" : "float",
        ...nowhere,
        value,
        source: String(value),
      };
    case "object":
      return value === null ? undefined : toContainer(value);
    default:
      return undefined;
  }
}

function toContainer(value: object): TomlNode | undefined {
  if (Array.isArray(value)) {
    const items = value.map(toNode);
    if (!items.every((item) => item !== undefined)) return undefined;
    return { kind: "array", ofTables: items.some(({ kind }) => kind === "table"), ...nowhere, items };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const table: TableNode = { kind: "table", ...nowhere, entries: new Map() };
  for (const [key, inner] of Object.entries(value)) {
    const node = toNode(inner);
    if (node === undefined) return undefined;
    table.entries.set(key, { keyAt: nowhere, node });
  }
  return table;
}
