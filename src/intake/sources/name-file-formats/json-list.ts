import type { ByteSource } from "../name-file-bytes/byte-source.ts";
import { createValueParser, namesAt, pathOf, type NamesOf } from "./json-lines.ts";
import { readRecords, type RecordSelection } from "./json-records.ts";
import { createNameChunkBuilder, type NameChunk, type Place } from "./name-chunk.ts";
import { parseJson } from "../../../platform/lib/json.ts";

/** How to read a JSON document. */
export type JsonReading = { format: "json"; column: string } | { format: "misp" };

/** Start of the JSON of an event, of several, or of the response to a search in MISP. */
const mispStart = /^\s*(\[\s*)?\{\s*("response"\s*:\s*\[?\s*\{\s*)?"(Event|Attribute)"\s*:/;
const mispManifest = /^\s*\{\s*"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"\s*:\s*\{/i;

/** Types of attributes in MISP whose value, up to a `|`, is a name, a link or an email address. */
const mispTypes = new Set(
  "domain domain|ip hostname hostname|port url uri email email-src email-reply-to".split(" "),
);

/** Returns why a text that is read as MISP cannot contain names, by its start, as words that follow the list's name. */
export function mispProblem(text: string): string | undefined {
  return mispManifest.test(text)
    ? "is the manifest of a MISP feed and contains no names: read the files of the events next to it"
    : undefined;
}

/**
 * Returns how to read a text that starts like JSON by its first lines: as one document, as a value per line, or as MISP.
 * @param second empty if there is only one line
 */
export function guessJson(
  text: string,
  [first, second]: readonly [string, string],
  column: string,
): "json" | "jsonl" | "misp" {
  if (mispStart.test(text) || mispManifest.test(text)) return "misp";
  const value = parseJson(first);
  // The first line of a log may be damaged. That of a document ends in the middle of a value.
  if (value === undefined)
    return parseJson(second) !== undefined && !/(^[[{]|,)$/.test(first) ? "jsonl" : "json";
  if (second !== "") return "jsonl";
  const isNamed = !Array.isArray(value) && typeof namesAt(value, pathOf(column)) !== "string";
  return isNamed ? "jsonl" : "json";
}

/** Returns whether the first lines of a text that starts like JSON suffice for `guessJson`. */
export function revealsJson(first: string, second: string | undefined): boolean {
  return second !== undefined && (parseJson(first) !== undefined || parseJson(second) !== undefined);
}

/** Reads a JSON document in constant memory. Reading cannot start in the middle. The rest is as for `readRecords`. */
export async function* readJson(
  source: ByteSource,
  start: Place,
  reading: JsonReading,
  options: { wholeOnly: boolean },
): AsyncGenerator<NameChunk> {
  let states = new Int32Array(0);
  const { selection, namesOf } = reading.format === "misp" ? misp : recordsAt(reading.column);
  const parse = createValueParser((value, index) => namesOf(value, states[index]!));
  const builder = createNameChunkBuilder();
  for await (const block of readRecords(source, start, selection, options)) {
    states = block.states;
    parse(block, builder);
    const chunk = builder.finish(block.end);
    for (let i = 0; i < chunk.count; i++) {
      const line = block.startLines[chunk.lines[i] ?? 0] ?? 0;
      chunk.lines[i] = chunk.nextLines[i] = line;
    }
    yield chunk;
  }
}

interface Records {
  selection: RecordSelection;
  namesOf: NamesOf;
}

/**
 * Returns how to find the records of a document: the elements of the outermost arrays or, with a path, of the first
 * array on it, and what is at its end. A state is the number of keys of the path that lead to a value.
 */
function recordsAt(column: string): Records {
  const path = pathOf(column);
  if (path === undefined)
    return {
      selection: {
        stateOf: () => 0,
        isRecord: (_, { inArray }) => inArray,
        nothingFound: "contains no list of names; name the field with column",
      },
      namesOf: (value) => namesAt(value, undefined),
    };
  const rests = Array.from({ length: path.length + 1 }, (_, steps) => path.slice(steps));
  return {
    selection: {
      stateOf: (state, key) => (key === path[state] ? state + 1 : -1),
      isRecord: (state, { kind, inArray }) => inArray || (state === path.length && kind !== "array"),
      nothingFound: `has no field ${JSON.stringify(column)}`,
    },
    namesOf: (value, state) => namesAt(value, rests[state]),
  };
}

/** The attributes of events and of their objects, wherever they are. State 1: a value of the key `Attribute`. */
const misp: Records = {
  selection: {
    stateOf: (_, key) => (key === "Attribute" ? 1 : 0),
    isRecord: (state, { kind, inArray }) => state === 1 && (inArray || kind === "object"),
  },
  namesOf(value) {
    const { type, value: text, deleted } = Object(value) as Record<string, unknown>;
    if (typeof type !== "string" || typeof text !== "string") return "is no attribute of MISP";
    if (deleted === true || deleted === "1" || !mispTypes.has(type)) return [];
    return [type.includes("|") ? text.split("|", 1)[0]! : text];
  },
};
