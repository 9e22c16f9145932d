import { addNameOrLink } from "./links.ts";
import type { NameChunkBuilder } from "./name-chunk.ts";
import { isBlank, tooLong, type LineParser } from "./plain-lines.ts";

/** Maximum number of names per line. A certificate has up to a few hundred. */
const namesPerLineMax = 10_000;

/** Fields that are tried in this order if none is configured. */
export const usualFields = ["domain", "domain_name", "hostname", "host", "fqdn", "name", "query", "url"];

/** Returns the names in the value of line `index` of a block, or why there are none, as words that follow the line. */
export type NamesOf = (value: unknown, index: number) => string[] | string;

/**
 * Parses one JSON value per line: an object with a field that contains a name or an array of names, or such a value
 * itself. `field` may be a dotted path (`data.leaf_cert.all_domains`).
 */
export function createJsonLinesParser(field: string): LineParser {
  const path = pathOf(field);
  return createValueParser((value) => namesAt(value, path));
}

/** Parses one JSON value per line. */
export function createValueParser(namesOf: NamesOf): LineParser {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const encoder = new TextEncoder();
  let names = new Uint8Array(1 << 16);

  return (block, chunk) => {
    const { bytes, starts, ends, count } = block;
    if (names.length < bytes.length) names = new Uint8Array(bytes.length);
    let used = 0;
    chunk.start(block, names);
    for (let i = 0; i < count; i++) {
      let start = starts[i] ?? 0;
      const end = ends[i] ?? 0;
      while (start < end && isBlank(bytes[start] ?? 0)) start++;
      if (end < 0) chunk.error(tooLong, i);
      else if (start < end) {
        const found = namesIn(bytes.subarray(start, end), i);
        if (typeof found === "string") chunk.error(found, i);
        else used = addNames(chunk, found, i, used);
      }
    }
    return undefined;
  };

  function namesIn(line: Uint8Array, index: number): string[] | string {
    let value: unknown;
    try {
      value = JSON.parse(decoder.decode(line));
    } catch {
      return "is not JSON";
    }
    const found = namesOf(value, index);
    return found.length > namesPerLineMax && typeof found !== "string"
      ? `contains more than ${namesPerLineMax} names`
      : found;
  }

  /** Returns how much of `names` is then in use. */
  function addNames(chunk: NameChunkBuilder, list: string[], line: number, used: number): number {
    for (const [index, name] of list.entries()) {
      if (name.trim() === "") continue;
      // A name is never longer than its JSON, so it fits.
      const { written } = encoder.encodeInto(name.trim(), names.subarray(used));
      addNameOrLink(chunk, names, used, used + written, line, index < list.length - 1);
      used += written;
    }
    return used;
  }
}

/** Returns the keys of a dotted path; undefined for the usual fields. */
export function pathOf(field: string): readonly string[] | undefined {
  return field === "" ? undefined : field.split(".");
}

/** Returns the names in the field of a value, or why there are none. Arrays on the path are passed through. */
export function namesAt(value: unknown, path: readonly string[] | undefined): string[] | string {
  const held = fieldOf(value, path) ?? (path === undefined ? undefined : fieldsOf(value, path));
  const list = Array.isArray(held) ? held.flat(nestingMax) : [held];
  if (list.every((name) => typeof name === "string")) return list;
  if (path === undefined) return `has no name in any of the fields ${usualFields.join(", ")}`;
  return path.length === 0 ? "is not a name" : `has no name in ${path.join(".")}`;
}

function fieldOf(value: unknown, path: readonly string[] | undefined): unknown {
  if (path === undefined) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const name = usualFields.find((usual) => Object.hasOwn(value, usual));
    return name === undefined ? undefined : (value as Record<string, unknown>)[name];
  }
  let held: unknown = value;
  for (const step of path) {
    if (typeof held !== "object" || held === null || !Object.hasOwn(held, step)) return undefined;
    held = (held as Record<string, unknown>)[step];
  }
  return held;
}

/** Arrays in arrays that are passed through. */
const nestingMax = 8;

/** Returns the fields of all objects in the arrays on a path; undefined if there are none. */
function fieldsOf(value: unknown, path: readonly string[]): unknown[] | undefined {
  let held = [value];
  for (const step of path)
    held = held.flat(nestingMax).flatMap((one) => {
      const field = fieldOf(one, [step]);
      return field === undefined ? [] : [field];
    });
  return held.length === 0 ? undefined : held;
}
