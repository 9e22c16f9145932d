import { addNameOrLink } from "./links.ts";
import type { NameChunkBuilder } from "./name-chunk.ts";
import { isBlank, tooLong, type LineParser } from "./plain-lines.ts";

/** Maximum number of names per line. A certificate has up to a few hundred. */
const namesPerLineMax = 10_000;

/** Fields that are tried in this order if none is configured. */
export const usualFields = ["domain", "domain_name", "hostname", "host", "fqdn", "name", "query", "url"];

/**
 * Parses one JSON value per line: an object with a field that contains a name or an array of names, or such a value
 * itself. `field` may be a dotted path (`data.leaf_cert.all_domains`).
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
      if (end < 0) chunk.error(tooLong, i);
      else if (start < end) {
        const found = namesIn(bytes.subarray(start, end));
        if (typeof found === "string") chunk.error(found, i);
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
      return "is not JSON";
    }
    const held = fieldOf(value, path);
    const list = Array.isArray(held) ? held : [held];
    if (list.length > namesPerLineMax) return `contains more than ${namesPerLineMax} names`;
    if (list.every((name) => typeof name === "string")) return list;
    return path === undefined
      ? `has no name in any of the fields ${usualFields.join(", ")}`
      : `has no name in ${field}`;
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
