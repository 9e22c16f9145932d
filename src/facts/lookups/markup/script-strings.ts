/** Strings of a script that it joins, as one: `"<fo" + "rm>"` and `["<fo", "rm>"].join("")`. */
export interface ScriptString {
  text: string;
  /** Number of escapes, such as `\x3c`, in it. */
  escapes: number;
}

const stringsMax = 2_000;
const backslash = "\\";
const escapesOfOne: Record<string, string> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  v: "\v",
  0: "\0",
};

/**
 * Finds the string literals of a script without parsing it, in linear time: comments and regular expressions can confuse
 * it, which only loses strings. Expressions in templates are omitted.
 */
export function scriptStrings(script: string): ScriptString[] {
  const found: ScriptString[] = [];
  /** Strings that commas separate, which may be the elements of an array. */
  let row: ScriptString[] = [];
  let last: ScriptString | undefined;
  const endRow = (isJoined: boolean) => {
    if (isJoined && row.length > 1)
      found.push({
        text: row.map(({ text }) => text).join(""),
        escapes: row.reduce((sum, { escapes }) => sum + escapes, 0),
      });
    else found.push(...row);
    row = [];
    last = undefined;
  };
  let between = "";
  for (let at = 0; at < script.length && found.length + row.length < stringsMax;) {
    const character = script[at]!;
    if (character === "/" && (script[at + 1] === "/" || script[at + 1] === "*")) {
      const end = script[at + 1] === "/" ? script.indexOf("\n", at) : script.indexOf("*/", at + 2);
      if (end === -1) break;
      at = end + (script[at + 1] === "/" ? 1 : 2);
      continue;
    }
    if (character !== '"' && character !== "'" && character !== "`") {
      if (between.length < 4 && character > " ") between += character;
      else if (between.length >= 4 && row.length > 0) endRow(false);
      if (row.length > 0 && character === "]")
        endRow(/^\]\s{0,20}\.\s{0,20}(join|reverse|map)\b/.test(script.slice(at, at + 60)));
      at += 1;
      continue;
    }
    const literal = literalAt(script, at);
    at = literal.end;
    if (last !== undefined && (between === "+" || between === "" || between === "+(")) {
      last.text += literal.text;
      last.escapes += literal.escapes;
    } else {
      if (row.length > 0 && between !== ",") endRow(false);
      last = { text: literal.text, escapes: literal.escapes };
      row.push(last);
    }
    between = "";
  }
  endRow(false);
  return found;
}

function literalAt(script: string, from: number): ScriptString & { end: number } {
  const quote = script[from]!;
  const parts: string[] = [];
  let escapes = 0;
  let at = from + 1;
  for (let start = at; ;) {
    const character = script[at];
    if (character === undefined || character === quote || (character === "\n" && quote !== "`")) {
      parts.push(script.slice(start, at));
      return { text: parts.join(""), escapes, end: at + 1 };
    }
    if (character === backslash) {
      parts.push(script.slice(start, at));
      const { text, end } = escapeAt(script, at + 1);
      parts.push(text);
      if (end > at + 2) escapes += 1;
      at = start = end;
    } else if (quote === "`" && character === "$" && script[at + 1] === "{") {
      parts.push(script.slice(start, at));
      const end = script.indexOf("}", at);
      at = start = end === -1 ? script.length : end + 1;
    } else at += 1;
  }
}

/** Reads an escape (ECMA-262 §12.9.4) after its backslash. */
function escapeAt(script: string, at: number): { text: string; end: number } {
  const hex = (from: number, length: number) => {
    const digits = script.slice(from, from + length);
    return /^[0-9a-f]+$/i.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : undefined;
  };
  const character = script[at] ?? "";
  if (character === "x") {
    const code = hex(at + 1, 2);
    if (code !== undefined) return { text: String.fromCharCode(code), end: at + 3 };
  }
  if (character === "u" && script[at + 1] === "{") {
    const digits = /^[0-9a-f]{1,6}(?=\})/i.exec(script.slice(at + 2, at + 9))?.[0];
    const code = digits === undefined ? undefined : Number.parseInt(digits, 16);
    if (code !== undefined && code <= 0x10ffff)
      return { text: String.fromCodePoint(code), end: at + 3 + digits!.length };
  }
  if (character === "u") {
    const code = hex(at + 1, 4);
    if (code !== undefined) return { text: String.fromCharCode(code), end: at + 5 };
  }
  const octal = /^(?:[0-3][0-7]{2}|[0-7]{2})/.exec(script.slice(at, at + 3))?.[0];
  if (octal !== undefined)
    return { text: String.fromCharCode(Number.parseInt(octal, 8)), end: at + octal.length };
  if (character === "\n") return { text: "", end: at + 1 };
  return { text: escapesOfOne[character] ?? character, end: at + 1 };
}
