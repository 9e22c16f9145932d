/** Detects the format of a list, and which field of a record contains the name. */
import { isIP } from "node:net";
import type { ListFormat } from "../../../platform/vocabulary/lists.ts";
import { looksLikeEmail, mayBeEmail } from "./email-head.ts";
import { createCsvParser, fieldsOf } from "./csv.ts";
import { parseHostsLines, parseAdblockLines } from "./hosts.ts";
import { createJsonLinesParser, usualFields } from "./json-lines.ts";
import { guessJson, mispProblem, revealsJson, type JsonReading } from "./json-list.ts";
import { parsePlainLines, type LineParser } from "./plain-lines.ts";
import { createZoneParser, createPolicyZoneParser } from "./zone.ts";

/** How to read one list. */
export type ListReading = LineReading | JsonReading | { format: "email" };

/** How to read a list with names in its lines. */
export interface LineReading {
  format: Exclude<ListFormat, "auto" | "email" | JsonReading["format"]>;
  parser: LineParser;
  /** Whether a line depends on the lines before it, so that reading cannot start in the middle. */
  stateful: boolean;
  /** How other threads read lines of the list; absent: they cannot. */
  lineByLine?: LineByLine;
}

/** A format in which lines can be read without the lines before them, unless linking bytes are among them. */
export type LineByLine = (
  | { format: "lines" | "hosts" | "adblock" }
  | { format: "jsonl"; column: string }
  | { format: "csv"; delimiter: number; column: number }
  | { format: "zone"; origin: Uint8Array }
) & {
  /** Bytes that may make lines after them depend on them. */
  linkingBytes?: readonly number[];
  /** Whether linking bytes at the start of the list, before other threads read it, do no harm. */
  startsLinked?: boolean;
  /** Whether the lines that the parser has read so far end within a record. */
  continues?: boolean;
};

const endings: [RegExp, Exclude<ListFormat, "auto">][] = [
  [/\.(jsonl|ndjson)$/, "jsonl"],
  [/\.(csv|tsv)$/, "csv"],
  [/\.zone$/, "zone"],
  [/\.rpz$/, "rpz"],
  [/\.(eml|mbox|mbx)$/, "email"],
];
const compressions = /\.(gz|zst|zip)$/;
const jsonStart = /^[{[]/;
const delimiters = [",", "\t", ";", "|"];
const hostName = /^[^\s,;|"]+\.[^\s,;|"]{2,}$/u;
const link = /^[a-z*]{3,10}:\/\/[^\s"]+$/iu;
/** Comments, headers and rules with which filter lists start. */
const adblockStart = /^(!|@?@?\|\|.|\[(adblock|ublock|adguard))/i;
const zoneStart = /^(\$(ORIGIN|TTL)\s|\S+\s+(\d+\s+)?(IN\s+)?(SOA|NS)\s)/i;
/** Actions of response policy zones, and names of such zones. */
const policyRule = /\sCNAME\s+(\.|\*\.|rpz-[a-z-]+\.)\s*(;.*)?\r?$|\.rpz-(client-)?ip\s/im;

/**
 * Chooses how to read a list, by the requested format, the file's name and its first lines.
 * @param head the start of the text; its last line may be truncated.
 * @param options.fromStart whether reading starts at the start, where the heading is.
 * @returns a problem, as words that follow the file's name, if the column does not exist.
 */
export function chooseReading(
  path: string,
  head: Uint8Array,
  options: { format: ListFormat; column: string; fromStart: boolean },
): ListReading | { problem: string } {
  const lines = contentLines(head);
  const text = new TextDecoder().decode(head);
  const format =
    options.format === "auto" ? guessFormat(path, lines, { text, column: options.column }) : options.format;
  switch (format) {
    case "lines":
    case "hosts":
    case "adblock":
      return statelessReading({ format });
    case "jsonl":
      return statelessReading({ format, column: options.column });
    case "zone":
      return zoneReading();
    case "rpz":
      return { format, parser: createPolicyZoneParser(), stateful: true };
    case "email":
      return { format };
    case "json":
      return { format, column: options.column };
    case "misp": {
      const problem = mispProblem(text);
      return problem === undefined ? { format } : { problem };
    }
    case "csv":
      return csvReading(lines, options);
  }
}

function statelessReading(lineByLine: LineByLine): LineReading {
  return { format: lineByLine.format, parser: parserOf(lineByLine), stateful: false, lineByLine };
}

const plainParsers = { lines: parsePlainLines, hosts: parseHostsLines, adblock: parseAdblockLines };

/** Returns a parser of lines that come after the start of the list. */
export function parserOf(format: LineByLine): LineParser {
  switch (format.format) {
    case "jsonl":
      return createJsonLinesParser(format.column);
    case "csv":
      return createCsvParser({ ...format, heading: false });
    case "zone":
      return createZoneParser(format);
    default:
      return plainParsers[format.format];
  }
}

/** Returns whether the start of a text suffices to detect the format: people who type names expect a result for each. */
export function revealsFormat(head: Uint8Array): boolean {
  const whole = head.subarray(0, head.lastIndexOf(lineFeed) + 1);
  if (mayBeEmail(new TextDecoder().decode(whole.subarray(0, emailHeadBytes)))) return false;
  const [first, second] = contentLines(whole);
  // A response policy zone differs from another zone only in its records.
  if (first === undefined || zoneStart.test(first)) return false;
  if (jsonStart.test(first)) return revealsJson(first, second);
  return second !== undefined || delimiterOf(first) === undefined;
}
const lineFeed = 0x0a;
const quote = 0x22;
const dollar = 0x24;
const parentheses = [0x28, 0x29];
const emailHeadBytes = 1 << 14;

function guessFormat(
  path: string,
  lines: string[],
  { text, column }: { text: string; column: string },
): Exclude<ListFormat, "auto"> {
  const name = path.toLowerCase().replace(compressions, "");
  const byEnding = endings.find(([ending]) => ending.test(name));
  if (byEnding !== undefined) return byEnding[1];
  if (looksLikeEmail(text.slice(0, emailHeadBytes))) return "email";
  const [first = "", second = ""] = lines;
  if (adblockStart.test(first)) return "adblock";
  if (isHostsLine(first) && (second === "" || isHostsLine(second))) return "hosts";
  if (jsonStart.test(first)) return guessJson(text, [first, second], column);
  const delimiter = delimiterOf(first);
  const fields = csvFieldsOf(first, delimiter);
  if (fields.some(isUsualField) && !fields.some(containsName)) return "csv";
  if (first.startsWith('"') && !/^"[^"]*",/.test(first)) return "jsonl";
  if (zoneStart.test(first)) return policyRule.test(text) ? "rpz" : "zone";
  if (policyRule.test(first)) return "rpz";
  if (delimiter === undefined) return "lines";
  return second === "" || csvFieldsOf(second, delimiter).length === fields.length ? "csv" : "lines";
}

/** Recognizes an address and names, but not an address beside numbers or times. */
function isHostsLine(line: string): boolean {
  const [text = ""] = line.split("#", 1);
  const [address = "", ...names] = text.trim().split(/\s+/, 10);
  const isName = (name: string) => /^[\w.*-]+$/.test(name) && /[a-z]/i.test(name);
  return isIP(address.replace(/%.*$/, "")) !== 0 && names.length > 0 && names.every(isName);
}

function zoneReading(): LineReading {
  // Nearly all zones set the origin once, before their records.
  const lineByLine: Extract<LineByLine, { format: "zone" }> = {
    format: "zone",
    origin: new Uint8Array(0),
    linkingBytes: [dollar, ...parentheses],
    startsLinked: true,
  };
  const onOrigin = (origin: Uint8Array): void => void (lineByLine.origin = new Uint8Array(origin));
  const onBlockEnd = (continues: boolean): void => void (lineByLine.continues = continues);
  return { format: "zone", parser: createZoneParser({ onOrigin, onBlockEnd }), stateful: true, lineByLine };
}

function csvReading(
  lines: string[],
  { column, fromStart }: { column: string; fromStart: boolean },
): LineReading | { problem: string } {
  const [first = "", second = ""] = lines;
  const delimiter = delimiterOf(first);
  const code = byteOf(delimiter);
  const headings = csvFieldsOf(first, delimiter);
  const reading = (index: number, heading: boolean): LineReading => ({
    format: "csv",
    parser: createCsvParser({ delimiter: code, column: index, heading: heading && fromStart }),
    stateful: false,
    lineByLine: { format: "csv", delimiter: code, column: index, linkingBytes: [quote] },
  });
  const looksLikeHeading = !headings.some(containsName);
  if (/^[1-9]\d{0,3}$/.test(column)) return reading(Number(column) - 1, looksLikeHeading);
  const wanted = column === "" ? usualFields : [column.toLowerCase()];
  const names = headings.map((field) => field.toLowerCase());
  const index = wanted.map((field) => names.indexOf(field)).find((found) => found >= 0);
  if (index !== undefined) return reading(index, true);
  if (column !== "")
    return {
      problem: `has no column ${JSON.stringify(column)}; its first line names ${headings.map(quoted).join(", ")}`,
    };
  // No known heading: the first column that contains a host name.
  for (const [line, heading] of [
    [first, false],
    [second, true],
  ] as const) {
    const at = csvFieldsOf(line, delimiter).findIndex(containsName);
    if (at >= 0) return reading(at, heading);
  }
  return reading(0, false);
}

function isUsualField(field: string): boolean {
  return usualFields.includes(field.toLowerCase());
}

function containsName(field: string): boolean {
  return hostName.test(field) || link.test(field);
}

function delimiterOf(line: string): string | undefined {
  return delimiters.find((delimiter) => line.includes(delimiter));
}

function csvFieldsOf(line: string, delimiter: string | undefined): string[] {
  return fieldsOf(new TextEncoder().encode(line), byteOf(delimiter));
}

/** A list of one column has no delimiter. */
function byteOf(delimiter = ","): number {
  return delimiter.charCodeAt(0);
}

/** Returns the first lines that are neither blank nor comments, trimmed. */
function contentLines(head: Uint8Array): string[] {
  return new TextDecoder()
    .decode(head)
    .split("\n", 200)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith(";"))
    .slice(0, 2);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
