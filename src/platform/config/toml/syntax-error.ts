import type { ParseError } from "toml-eslint-parser";
import { visible } from "../../lib/safe-text.ts";
import type { Position } from "./nodes.ts";

/** Reason why a text is not TOML, with a suggestion. Shows nothing of the text but keys. */
export interface TomlSyntaxError {
  at: Position;
  found: string;
  allowed: string;
  nearest?: string;
}

/** Number of characters of a line that are inspected for a suggestion. */
const lineLengthMax = 500;

export function explainSyntax(text: string, error: ParseError): TomlSyntaxError {
  const at = positionOf(text, error);
  if (error.message.startsWith("Defining a key multiple times")) {
    const source = text.slice(error.index, error.index + 200);
    const key = /^("[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)/.exec(source)?.[0];
    const name = key === undefined ? "a key" : `the key ${visible(key, 60)}`;
    return { at, found: `${name} a second time`, allowed: "each key and [table] once" };
  }
  // The parser's messages quote at most one code point, never a value, so a secret cannot leak.
  const found = `invalid TOML (${visible(error.message, 80)})`;
  const lineStart = text.lastIndexOf("\n", error.index - 1) + 1;
  const nearest = guess(text.slice(lineStart, lineStart + lineLengthMax).split("\n")[0]!, error.message);
  return { at, found, allowed: "TOML 1.0", ...(nearest !== undefined && { nearest }) };
}

/** Returns the position of an error. The parser notices a missing value only at the next token, which may be lines below. */
function positionOf(text: string, error: ParseError): Position {
  if (!error.message.startsWith("Unspecified values")) {
    return { line: error.lineNumber, column: error.column + 1 };
  }
  const lines = text.slice(0, error.index).trimEnd().split("\n");
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}

/** Suggests a correction for common mistakes of people who know other formats. */
function guess(line: string, message: string): string | undefined {
  if (message.includes("escape sequence") && line.includes("\\")) {
    return "'single quotation marks', which leave backslashes as they are";
  }
  if (/^\s*[\w.-]+\s*:/.test(line)) return "= instead of :";
  // A value that begins like a word, a number with a unit or a path.
  const bare = /^\s*[\w.-]+\s*=\s*([^\s"'[\]{},#=][^"'[\]{},#]*?)\s*(#.*)?$/.exec(line)?.[1];
  if (bare === undefined || /^[\d.eE+_-]+$/.test(bare)) return undefined;
  return /^(true|false)$/i.test(bare) ? bare.toLowerCase() : "the value between quotation marks";
}
