import { parseDocument, type TableNode, type TomlNode } from "./document.ts";

// Bun's parser is quadratic in the number of keys.
const quickCharactersMax = 64 * 1024;

// Never shown: a file with an error is parsed again by the parser that knows positions.
const nowhere = { line: 1, column: 1 };

/**
 * TOML 1.1, which Bun's parser accepts and the other rejects, and floats that are integers, which could not be told
 * apart here. A false positive only means that the file is parsed by the slower parser.
 */
const doubtful = /\\[ex]|,\s*\}|\{[^}\n]*\n|[=[,]\s*[+-]?[\d_]+(?:\.[0_]+\b|[\d._]*[eE][+-]?\d)/;

/**
 * Returns the tree of `parseDocument` without positions in a tenth of the time, for the start, when the file is usually
 * valid. Returns undefined if the file is not TOML, or if the parsers could disagree about it.
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

/** Returns the tree of a document for those who need no positions: it may have wrong ones. Undefined: it is not TOML. */
export function readTree(source: string): TableNode | undefined {
  const quick = quickDocument(source);
  if (quick !== undefined) return quick;
  const document = parseDocument(source);
  return document.ok ? document.root : undefined;
}

/** Returns undefined for values that only the other parser distinguishes: dates, integers beyond 53 bits, NaN. */
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
