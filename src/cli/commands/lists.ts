import { statSync } from "node:fs";
import { visible } from "../../platform/lib/safe-text.ts";
import { grouped } from "../../platform/lib/wording.ts";
import type { InvalidName } from "../../intake/sources/tally.ts";
import { formNames, type Interpretation } from "../../intake/sources/entries/interpretation.ts";
import { listFormats } from "../../platform/vocabulary/lists.ts";
import { UsageError } from "../terminal/command.ts";
import { choice, text } from "../terminal/flags.ts";
import type { Output, Terminal } from "../terminal/terminal.ts";

/** Options shared by commands that read lists of names. */
export const listFlags = {
  format: choice("--format <format>", listFormats, "auto", "format of the lists"),
  column: text(
    "--column <field>",
    "csv: heading or number of the column; jsonl, json: field, with dots for nested fields",
  ),
};

export const listDetails = `A list contains one name per line, or is CSV, JSON Lines, a JSON document, a MISP event, a hosts file, an adblock filter
list, a zone file or a response policy zone, optionally compressed with gzip, Zstandard or ZIP. The format is recognized, also on standard input: CSV by a
heading such as domain or url, or by the same number of fields in its first two lines; otherwise, use --format csv. Blank
lines and comments (#) are skipped. In place of a name, a line or field may contain links or email addresses, also in a
defanged form such as hxxps://paypa1[.]com/login. A list may also be an email (.eml) or a mailbox file: its links, forms,
images and senders are read.`;

/** Validates paths, of which one may be "-" for standard input. */
export function readPaths(args: string[]): string[] {
  if (args.includes("")) throw new UsageError("a file name is empty");
  if (args.filter((path) => path === "-").length > 1)
    throw new UsageError("standard input can be read only once");
  return args;
}

export function shownPath(path: string): string {
  return path === "-" ? "standard input" : visible(path, 500);
}

/** Returns the size of a file, or undefined for a pipe, a terminal, and what cannot be read, which the reader reports. */
export function sizeOf(path: string): number | undefined {
  if (path === "-") return undefined;
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size > 0 ? stat.size : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Size of lists from which the last compiler tier compiles fewer functions. Matches are rare: for up to tens of millions of
 * names, optimizing the functions that score them takes longer than it saves, and half of the processor time for a million
 * names. Starting the process again takes as long as this saves for a list of a tenth of this size.
 */
const largeListBytes = 4 << 20;
const optimizationThreshold = 1_000_000;

/** Sets options of the runtime for lists of their size. Call it before anything is opened; see `Terminal`. */
export function tuneRuntime(terminal: Terminal, paths: readonly string[]): void {
  const bytes = paths.reduce((sum, path) => sum + (sizeOf(path) ?? 0), 0);
  if (bytes >= largeListBytes) terminal.setRuntimeOption?.("optimizationThreshold", optimizationThreshold);
}

/** Reports the number of invalid lines and the first few of them. */
export function reportInvalid(
  err: Output,
  path: string,
  invalid: number,
  first: readonly InvalidName[],
): void {
  if (invalid === 0) return;
  err.write(
    `${shownPath(path)}: ${grouped(invalid)} ${invalid === 1 ? "line is not a name" : "lines are not names"}\n`,
  );
  for (const { line, text: given, why } of first)
    err.write(`  line ${line}: "${visible(given, 100)}" ${why}\n`);
  if (invalid > first.length) err.write(`  and ${grouped(invalid - first.length)} more\n`);
}

/** Reports how lines were read. */
export function reportInterpreted(err: Output, path: string, interpreted: readonly Interpretation[]): void {
  if (interpreted.length === 0) return;
  err.write(`${shownPath(path)}: how lines were read\n`);
  for (const { line, text: given, form, name, isMatch } of interpreted) {
    const found = name === null ? "no name" : `${name}${isMatch ? ", a look-alike" : ""}`;
    err.write(`  line ${line}: "${visible(given, 100)}" is read as ${formNames[form]}: ${found}\n`);
  }
}
