import type { NameChunkBuilder } from "./name-chunk.ts";
import { isBlank, tooLong, type LineParser } from "./plain-lines.ts";

/** A certificate holds up to some hundred names; a line with more is no record of one. */
const namesPerLineMax = 10_000;

/** Looked for in this order when no field is named. */
export const usualFields = ["domain", "domain_name", "hostname", "host", "fqdn", "name", "query"];

/**
 * One JSON value a line: an object with a field that holds a name or an array of names, or such a value
 * itself. `field` may be a path with dots (`data.leaf_cert.all_domains`).
 */
export function createJsonLinesParser(field: string): LineParser {
  const path = field === "" ? undefined : field.split(".");
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const encoder = new TextEncoder();
  let names = new Uint8Array(1 << 16);

  return (block, chunk) => {
    const { bytes, starts, ends, count } = block;
    if (names.length < bytes.length) names = new Uint8Array(bytes.length);
    let used = 0;
    chunk.start(block, names);
    for (let i = 0; i < count; i++) {
      let start = starts[i]!;
      const end = ends[i]!;
      while (start < end && isBlank(bytes[start]!)) start++;
      if (end < 0) chunk.fault(tooLong, i);
      else if (start < end) {
        const found = namesIn(bytes.subarray(start, end));
        if (typeof found === "string") chunk.fault(found, i);
        else used = addNames(chunk, found, i, used);
      }
    }
    return undefined;
  };

  function namesIn(line: Uint8Array): string[] | string {
    let value: unknown;
    try {
      value = JSON.parse(decoder.decode(line));
    } catch {
      return "is no JSON";
    }
    const held = fieldOf(value, path);
    const list = Array.isArray(held) ? held : [held];
    if (list.length > namesPerLineMax) return `holds more than ${namesPerLineMax} names`;
    if (list.every((name) => typeof name === "string")) return list;
    return path === undefined
      ? `has no name in any of the fields ${usualFields.join(", ")}`
      : `has no name in ${field}`;
  }

  /** Answers how much of `names` is used then. */
  function addNames(chunk: NameChunkBuilder, list: string[], line: number, used: number): number {
    for (const [index, name] of list.entries()) {
      if (name.trim() === "") continue;
      // The text of a name is never longer than the JSON it was written in, so it fits.
      const { written } = encoder.encodeInto(name.trim(), names.subarray(used));
      chunk.name(used, used + written, line, index < list.length - 1);
      used += written;
    }
    return used;
  }
}

function fieldOf(value: unknown, path: readonly string[] | undefined): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return path === undefined ? value : undefined;
  if (path === undefined) {
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
