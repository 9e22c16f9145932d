import { statSync } from "node:fs";
import { listFormats } from "../../vocabulary/lists.ts";
import type { InvalidName } from "../../sources/candidate-run.ts";
import { visible } from "../../lib/safe-text.ts";
import { grouped } from "../../lib/wording.ts";
import { UsageError } from "../terminal/command.ts";
import { choice, text } from "../terminal/flags.ts";
import type { Output } from "../terminal/terminal.ts";

/** What commands that read lists of names have in common. */
export const listFlags = {
  format: choice("--format <format>", listFormats, "how names stand in the lists", "auto"),
  column: text(
    "--column <field>",
    "csv: heading or number of the column; jsonl: the field, with dots for inner ones",
  ),
};

export const listDetails = `A list holds one name a line, or is CSV, JSON lines or a zone file; it may be packed with gzip or Zstandard.
Blank lines and comments (#) are passed over.`;

/** "-" is standard input. */
export function readPaths(args: string[]): string[] {
  if (args.includes("")) throw new UsageError("the name of a file is empty");
  if (args.filter((path) => path === "-").length > 1)
    throw new UsageError("standard input can be read once only");
  return args;
}

export function shownPath(path: string): string {
  return path === "-" ? "standard input" : visible(path, 500);
}

/** Undefined for what has no size: a pipe, a terminal. */
export function sizeOf(path: string): number | undefined {
  if (path === "-") return undefined;
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size > 0 ? stat.size : undefined;
}

/** Says how many lines were no names, and the first few of them. */
export function reportInvalid(
  err: Output,
  path: string,
  invalid: number,
  first: readonly InvalidName[],
): void {
  if (invalid === 0) return;
  err.write(
    `${shownPath(path)}: ${grouped(invalid)} ${invalid === 1 ? "line is no name" : "lines are no names"}\n`,
  );
  for (const { line, text: given, why } of first)
    err.write(`  line ${line}: "${visible(given, 100)}": ${why}\n`);
  if (invalid > first.length) err.write(`  and ${grouped(invalid - first.length)} more\n`);
}
