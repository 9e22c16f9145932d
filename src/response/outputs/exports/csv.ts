import { toIsoTime } from "../../../platform/lib/clock.ts";
import { toListObject } from "../../../threats/threats/api-object.ts";
import { shortReasons } from "../../../threats/threats/severity/explain-severity.ts";
import { describeSeverityReason } from "../../../threats/threats/severity/severity-reasons.ts";
import {
  describeForThirdParties,
  withoutBeacons,
  similarityCode,
} from "../../../threats/threats/severity/similarity-reasons.ts";
import { pageAddresses } from "./named-values.ts";
import type { ExportedThreat } from "./threat-reader.ts";

/** RFC 4180. */
const lineEnding = "\r\n";
const reasonSeparator = " | ";

type Cell = string | number | boolean | null;

/** Fields after the fields of the API's list. */
const furtherFields: readonly (readonly [string, (threat: ExportedThreat) => Cell])[] = [
  ["created_at", ({ createdAt }) => toIsoTime(createdAt)],
  ["changed_at", ({ changedAt }) => toIsoTime(changedAt)],
  ["verified", ({ verified }) => verified],
  ["ip_address", ({ ipAddress }) => ipAddress],
  ["registrar", ({ registrar }) => registrar],
  ["registered_at", ({ registeredAt }) => registeredAt],
  [
    "severity_reasons",
    ({ severityReasons }) => severityReasons.map(describeSeverityReason).join(reasonSeparator),
  ],
  ["reasons", ({ reasons }) => describeForThirdParties(reasons).join(reasonSeparator)],
  ["severity_summary", shortReasons],
  ["severity_reason_codes", ({ severityReasons }) => distinct(severityReasons.map(({ code }) => code))],
  ["reason_codes", ({ reasons }) => distinct(withoutBeacons(reasons).map(similarityCode))],
  ["urls", (threat) => pageAddresses(threat).join(reasonSeparator)],
];

function distinct(codes: readonly string[]): string {
  return [...new Set(codes)].join(reasonSeparator);
}

const listFieldNames = [
  "id",
  "domain",
  "protected_domain",
  "type",
  "status",
  "severity",
  "similarity",
  "source",
  "first_seen",
  "screenshot_url",
] as const satisfies readonly (keyof ReturnType<typeof toListObject>)[];

/** Names of the fields, in order. */
export const csvFields: readonly string[] = [...listFieldNames, ...furtherFields.map(([name]) => name)];

export const csvHeader = `${csvFields.join(",")}${lineEnding}`;

/** Returns the record of a threat: one line, unless a value contains line breaks. */
export function csvRecord(threat: ExportedThreat, publicUrl: string): string {
  const listed = toListObject(threat, publicUrl);
  const cells: Cell[] = [
    ...listFieldNames.map((name) => listed[name]),
    ...furtherFields.map(([, read]) => read(threat)),
  ];
  return `${cells.map(csvCell).join(",")}${lineEnding}`;
}

/**
 * Spreadsheets take a cell that begins with one of these characters, also in full-width form and after white space, for
 * a formula, which can run commands. Registrars and reasons contain text that attackers write.
 */
const formulaStart = /^[\s\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;
/**
 * Beginnings of formulas behind what separates cells or lines for a spreadsheet that is set to other separators than the
 * comma, as in most of Europe: it then ignores the quotes of this cell.
 */
const formulaInside = /(?<=[;\t\r\n][\s"\p{Cc}]*)(?=[=+\-@＝＋－＠])/gu;
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

/** Returns a cell by RFC 4180. A text that a spreadsheet could take for a formula gets an apostrophe in front. */
export function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = (formulaStart.test(value) ? `'${value}` : value).replace(formulaInside, "'");
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
